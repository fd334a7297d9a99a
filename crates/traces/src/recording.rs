//! One recording: a file read, whatever its kind.

use anabranch_base::Duration;
use anabranch_scenario::{ScenarioError, Source};

use crate::choices::Choices;
use crate::fault::{Fault, Read};
use crate::kind::{self, TraceKind};
use crate::observed::Observations;
use crate::{iperf3, mahimahi, ping, table};

/// What one file says of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What the file is called.
    pub file: String,
    /// What made it.
    pub kind: TraceKind,
    /// How a scenario may name it, beside which it lies; `None` where it may not, so that its rates are written as steps.
    /// For Mahimahi's alone.
    pub reference: Option<String>,
    /// What made it, more exactly.
    pub(crate) made_by: String,
    /// From its first moment to its last.
    pub(crate) length: Duration,
    /// The way that was measured.
    pub(crate) forward: Observations,
    /// The way back, where the file tells of both.
    pub(crate) reverse: Observations,
    /// What else is to be said, in sentences.
    pub(crate) remarks: Vec<String>,
}

/// What a file of some kind has in it, before it is called after its file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub made_by: String,
    pub length: Duration,
    pub forward: Observations,
    pub reverse: Observations,
    pub remarks: Vec<String>,
}

impl Recording {
    /// Reads a file, of this kind or of the one that its content is like.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn read(
        source: &Source,
        kind: Option<TraceKind>,
        choices: &Choices,
    ) -> Result<Recording, ScenarioError> {
        // A byte order mark is not content, and no program that reads these kinds expects it.
        let marked = source.text.strip_prefix('\u{feff}').map(|text| Source::new(source.name.clone(), text));
        let source = marked.as_ref().unwrap_or(source);
        let (kind, content) = content(&source.text, kind, choices).map_err(|fault| fault.in_file(source))?;
        let Content { made_by, length, forward, reverse, remarks } = content;
        Ok(Recording {
            file: source.name.clone(),
            kind,
            reference: None,
            made_by,
            length,
            forward,
            reverse,
            remarks,
        })
    }

    /// The time it lasts.
    pub fn length(&self) -> Duration {
        self.length
    }
}

fn content(text: &str, kind: Option<TraceKind>, choices: &Choices) -> Read<(TraceKind, Content)> {
    if text.len() > LARGEST {
        let message = format!("the file has {} bytes; a recording has at most {LARGEST}", text.len());
        return Err(Fault::at(0..0, message));
    }
    let Some(kind) = kind.or_else(|| TraceKind::of(text)) else {
        let message = if text.trim().is_empty() {
            "the file is empty"
        } else {
            "this is not a known kind of recording"
        };
        return Err(Fault::at(0..text.lines().next().map_or(0, str::len), message).expected(kind::EXPECTED));
    };
    let content = match kind {
        TraceKind::Mahimahi => mahimahi::read(text)?,
        TraceKind::Csv => table::read(text)?,
        TraceKind::Ping => ping::read(text, choices)?,
        TraceKind::Iperf3 => iperf3::read(text)?,
    };
    Ok((kind, content))
}

/// The number of bytes a file that may have.
pub const LARGEST: usize = 64 << 20;
