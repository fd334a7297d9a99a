//! The content of a recording, as the reader of its kind returns it.

use anabranch_base::Duration;

use crate::observed::Observations;

/// The content of a file, before its name is added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub made_by: String,
    pub length: Duration,
    pub forward: Observations,
    pub reverse: Observations,
    pub remarks: Vec<String>,
}
