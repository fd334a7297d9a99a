//! A scheduler of one's own for the Python package: three packets over the first path for each over another.

use anabranch_native::{add_to, shipped_policies};
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler, may_carry};
use anabranch_sctp::policy::{PathId, View};
use pyo3::prelude::*;

/// Counts what it has sent, to know whose turn it is.
#[derive(Debug, Default)]
struct ThreeToOne {
    sent: u64,
}

impl Scheduler for ThreeToOne {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let path = match self.sent % 4 {
            3 => view.next_after(PathId::FIRST, |sample| may_carry(sample, queue)),
            _ => may_carry(view.path(PathId::FIRST), queue).then_some(PathId::FIRST),
        }?;
        self.sent += 1;
        Some((path, Index::OLDEST))
    }
}

#[pymodule]
fn own_policy(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let mut policies = shipped_policies();
    policies.schedulers.add("three-to-one", |_| Box::new(ThreeToOne::default()));
    add_to(module, policies)
}
