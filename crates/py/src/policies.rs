//! The policies whose names scenarios may use in this module: those of anabranch, and those that a module of one's own adds.

use std::sync::OnceLock;

use anabranch_planner::live;
use anabranch_scenario::Registry;

/// Chosen once, when the module is made: Python imports a module once, and nothing else says which policies there are.
static CHOSEN: OnceLock<Registry> = OnceLock::new();

/// The chosen policies; by default those of anabranch.
pub fn registry() -> Registry {
    CHOSEN.get_or_init(live::registry).clone()
}

/// Chooses them. Later choices change nothing.
pub fn choose(registry: Registry) {
    let _ = CHOSEN.set(registry);
}
