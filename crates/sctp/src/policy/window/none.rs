//! No limit besides the controller's own.

use anabranch_base::ByteCount;

use super::{Grant, WindowBound, WindowLimit};
use crate::policy::{PathId, PathSample, View};

/// Grants everything.
#[derive(Debug, Default)]
pub struct Unlimited;

impl WindowLimit for Unlimited {
    fn grant(&mut self, _path: PathId, wanted: ByteCount, _view: &View<'_>) -> Grant {
        Grant::free(wanted)
    }

    fn largest_step(&self, _path: &PathSample) -> ByteCount {
        ByteCount::MAX
    }

    fn bound(&self) -> WindowBound {
        WindowBound::None
    }

    fn set_limits(&mut self, _limits: &[(PathId, ByteCount)]) {}
}
