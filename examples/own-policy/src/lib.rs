//! Two custom policies, each with its settings in one file; its line in [`add_to`] registers it.

mod gentle;
mod three_to_one;

use anabranch_sctp::policy::Registry;

/// Adds the policies to a program's registry.
pub fn add_to(registry: &mut Registry) {
    gentle::add(registry);
    three_to_one::add(registry);
}
