//! Records whether the peer answers: the errors in a row on all paths together, and the path that may carry a control
//! chunk.

use super::PathTable;
use crate::policy::PathId;

impl PathTable {
    /// Counts an error on all paths together if it `is_serious`. Returns the number of errors in a row (RFC 9260 §8.1).
    pub(crate) fn count_errors_in_row(&mut self, is_serious: bool) -> u32 {
        self.errors_in_row = self.errors_in_row.saturating_add(u32::from(is_serious));
        self.errors_in_row
    }

    /// The peer answered.
    pub(crate) fn clear_errors_in_row(&mut self) {
        self.errors_in_row = 0;
    }

    /// Errors in a row, on all paths together.
    pub(crate) fn errors_in_row(&self) -> u32 {
        self.errors_in_row
    }

    /// A path that may carry a SACK or a control chunk: `wanted` while it is in use, else an active path. If
    /// none is active, [`substitute_for`](PathTable::substitute_for) chooses.
    #[inline]
    pub(crate) fn usable(&self, wanted: PathId) -> PathId {
        if self.sample(wanted).state.is_in_use() {
            return wanted;
        }
        let mut active = self.samples().iter().filter(|sample| sample.state.carries_data());
        match active.next() {
            Some(sample) => sample.id,
            None => self.substitute_for(wanted),
        }
    }
}
