//! One recording: a file of any kind.

use anabranch_base::Duration;
use anabranch_scenario::{ScenarioError, Source};

use crate::choices::Choices;
use crate::content::Content;
use crate::fault::{Fault, Read};
use crate::kind::{self, TraceKind};
use crate::observed::Observations;
use crate::{iperf3, mahimahi, ping, table};

/// The observations of a link from one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The name of the file.
    pub file: String,
    /// The kind of the file.
    pub kind: TraceKind,
    /// The name by which a scenario in the same folder may refer to a Mahimahi trace; with `None`, its rates are
    /// written as steps.
    pub reference: Option<String>,
    /// The program or format in words.
    pub(crate) made_by: String,
    /// The time from the first moment to the last.
    pub(crate) length: Duration,
    /// The measured direction.
    pub(crate) forward: Observations,
    /// The opposite direction, if measured too.
    pub(crate) reverse: Observations,
    /// Further remarks, each a sentence.
    pub(crate) remarks: Vec<String>,
}

impl Recording {
    /// Reads a file of this kind, or of the kind recognised by its content.
    ///
    /// # Errors
    /// The first fault found, with its place.
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

    /// The length of the recording.
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

/// The size limit of a file, in bytes.
pub const LARGEST: usize = 64 << 20;
