//! A lost chunk goes to its former path while that path is active.

use super::alternate::another;
use super::{Destination, LostChunk, RetransmissionPolicy};
use crate::policy::View;

/// The same path, or another active one if the same path has failed.
#[derive(Debug, Default)]
pub struct Same;

impl RetransmissionPolicy for Same {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        if view.path(lost.path).state.carries_data() {
            Destination::Now(lost.path)
        } else {
            Destination::Now(another(lost.path, view))
        }
    }
}
