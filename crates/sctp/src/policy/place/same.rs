//! A lost chunk goes to its former path while that path is active.

use super::alternate::another;
use super::{LostChunk, Place, Placement};
use crate::policy::View;

/// The same path, or another active one if that has failed.
#[derive(Debug, Default)]
pub struct Same;

impl Placement for Same {
    fn place(&mut self, lost: &LostChunk, view: &View<'_>) -> Place {
        match view.path(lost.path).state.carries_data() {
            true => Place::Now(lost.path),
            false => Place::Now(another(lost.path, view)),
        }
    }
}
