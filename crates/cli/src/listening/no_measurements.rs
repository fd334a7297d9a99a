//! A build without `doctor` answers no measurement.

use std::path::Path;

use anabranch_net::{Association, Config, Endpoint};

use crate::arguments::Output;
use crate::peer::Connected;

/// Nothing.
#[derive(Debug)]
pub(super) struct Measurements;

impl Measurements {
    pub(super) fn new(_: &Config, _: Output) -> Measurements {
        Measurements
    }

    pub(super) fn store_in(&mut self, _: &Path) {}

    pub(super) fn leave(&mut self) {}

    pub(super) fn is_one(&self, _: &Association) -> bool {
        false
    }

    pub(super) async fn answer(&mut self, _: &Connected) {}

    pub(super) fn begin(&mut self, _: &Endpoint, _: Association) {}
}
