//! Systems other than Linux lead no flows to this program.

use anabranch_forward::Bond;
use tokio::task::JoinSet;

use crate::arguments::ForwardArguments;
use crate::failure::Failure;

/// The flows of programs without settings: none.
#[derive(Debug)]
pub(super) struct Captured;

impl Captured {
    pub(super) fn open(_: &ForwardArguments) -> Result<Captured, Failure> {
        Ok(Captured)
    }

    pub(super) fn serve(&self, _: &Bond, _: &mut JoinSet<()>) {}

    pub(super) fn mark(&self) -> Option<u32> {
        None
    }

    pub(super) fn close(self, _: &ForwardArguments) {}
}
