//! Finds the report in a file: after other lines, and printed once or twice.

use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::fault::{Fault, Read, quoted};

/// JSON text whose parts are read one after another.
pub(super) struct Json<'t> {
    text: &'t str,
}

/// The text of a report, and remarks on the text around it.
pub(super) struct Document<'t> {
    pub report: &'t str,
    pub remarks: Vec<String>,
}

/// Returns true if a report begins with this line.
pub(crate) fn begins(line: &str) -> bool {
    line.starts_with('{')
}

impl<'t> Json<'t> {
    pub(super) fn of(text: &'t str) -> Json<'t> {
        Json { text }
    }

    /// The report in the text.
    pub(super) fn document(&self) -> Read<Document<'t>> {
        let mut lines = self.text.split_inclusive('\n');
        let before: usize = lines.by_ref().take_while(|line| !begins(line.trim_start())).map(str::len).sum();
        let start = if before == self.text.len() { 0 } else { before };
        if self.text[start..].trim_start().starts_with("{\"event\"") {
            let first = self.text[start..].lines().next().map_or(0, str::len);
            let fault = Fault::at(start..start + first, "this is the output of `iperf3 --json-stream`");
            return Err(fault.expected("that of `iperf3 --json`"));
        }
        let mut remarks = skipped("before", &self.text[..start]);
        let (report, rest) = self.first(&self.text[start..])?;
        // Versions 3.16 and 3.17 print the document twice.
        let rest = rest.trim_start();
        let (rest, is_repeated) = rest.strip_prefix(report).map_or((rest, false), |rest| (rest, true));
        if is_repeated {
            remarks.push("The report is in the file twice, and read once.".to_owned());
        }
        if let Some(line) = rest.lines().find(|line| begins(line.trim_start())) {
            let at = self.range_of(line).start;
            let fault = Fault::at(at..at + 1, "a second report begins here, which differs from the first");
            return Err(fault.expected("a file for each report"));
        }
        remarks.extend(skipped("after", rest));
        Ok(Document { report, remarks })
    }

    /// The first value of a text, and the rest of the text.
    fn first(&self, part: &'t str) -> Read<(&'t str, &'t str)> {
        let mut values = serde_json::Deserializer::from_str(part).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(value)) => Ok((value.get(), &part[values.byte_offset()..])),
            Some(Err(error)) => Err(self.fault(part, &error)),
            None => Err(Fault::at(0..0, "the file has no JSON").expected(WHOLE)),
        }
    }

    /// Reads a part of the text; places of errors refer to the whole text.
    pub(super) fn read<T: Deserialize<'t>>(&self, part: &'t str) -> Read<T> {
        serde_json::from_str(part).map_err(|error| self.fault(part, &error))
    }

    fn fault(&self, part: &str, error: &serde_json::Error) -> Fault {
        let start = self.range_of(part).start;
        let lines = part.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
        let at = start + lines.sum::<usize>() + error.column().saturating_sub(1);
        let at = at.min(self.text.len());
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        Fault::at(at..at + 1, message).expected(WHOLE)
    }

    /// The place of a part in the text.
    pub(crate) fn range_of(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        start..start + part.len()
    }

    /// The place of a word's first occurrence; the start of the text without one.
    pub(super) fn place_of(&self, word: &str) -> Range<usize> {
        self.text.find(word).map_or(0..0, |at| at..at + word.len())
    }
}

/// The remark on lines around a report.
fn skipped(place: &str, text: &str) -> Vec<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return Vec::new() };
    let lines = match lines.count() {
        0 => "A line".to_owned(),
        more => format!("{} lines", more + 1),
    };
    vec![format!("{lines} {place} the report not read: {}.", quoted(first))]
}

const WHOLE: &str = "the output of `iperf3 --json`, whole";
