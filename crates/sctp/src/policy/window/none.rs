//! No limit besides the controller's own.

use anabranch_base::ByteCount;

use super::{Grant, WindowLimit};
use crate::policy::{PathId, View};

/// Grants everything.
#[derive(Debug, Default)]
pub struct Unlimited;

impl WindowLimit for Unlimited {
    fn grant(&mut self, _path: PathId, wanted: ByteCount, _view: &View<'_>) -> Grant {
        Grant::free(wanted)
    }

    fn set_limits(&mut self, _limits: &[(PathId, ByteCount)]) {}
}
