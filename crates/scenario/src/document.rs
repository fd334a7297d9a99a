//! A parsed scenario file, which can be read again and again with other settings.

use anabranch_sctp::policy::Registry;

use crate::assignment::Assignment;
use crate::error::ScenarioError;
use crate::fault::Fault;
use crate::files::Files;
use crate::model::Scenario;
use crate::parse;
use crate::read::{self, Users};
use crate::source::Source;
use crate::tree::{Span, Table, TextOrigin, TreeValue};

/// A scenario file, or a file of settings, as a tree: valid TOML, otherwise unchecked. The default is an empty file.
#[derive(Clone, Debug, Default)]
pub struct ParsedDocument {
    source: Source,
    root: Table,
}

impl ParsedDocument {
    /// Reads the text.
    ///
    /// # Errors
    /// The text is not TOML, or nests too deep.
    pub fn parse(source: &Source) -> Result<ParsedDocument, ScenarioError> {
        let root = parse::document(&source.text).map_err(|fault| fault.in_file(source))?;
        Ok(ParsedDocument { source: source.clone(), root })
    }

    /// The scenario of this file with `settings` applied in order, later ones over earlier ones, and with the policies
    /// of `registry`. The document itself does not change: a sweep calls this for every point.
    ///
    /// # Errors
    /// The first fault found.
    pub fn scenario(
        &self,
        files: &dyn Files,
        settings: &[Assignment],
        registry: &Registry,
    ) -> Result<Scenario, ScenarioError> {
        self.read(files, settings, registry, Users::Flows)
    }

    /// Like [`scenario`](Self::scenario), for other programs on its links: flows may be absent or endless.
    ///
    /// # Errors
    /// The first fault found.
    pub fn links(
        &self,
        files: &dyn Files,
        settings: &[Assignment],
        registry: &Registry,
    ) -> Result<Scenario, ScenarioError> {
        self.read(files, settings, registry, Users::Programs)
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn root(&self) -> &Table {
        &self.root
    }

    fn read(
        &self,
        files: &dyn Files,
        settings: &[Assignment],
        registry: &Registry,
        users: Users,
    ) -> Result<Scenario, ScenarioError> {
        let mut root = self.root.clone();
        let applied =
            settings.iter().enumerate().try_for_each(|(index, setting)| setting.apply(index, &mut root));
        let read = applied.and_then(|()| read::scenario(&root, files, registry, users));
        read.map_err(|fault| {
            fault.in_known_table(|key| read::header_of(key, registry)).shown(&self.source, settings)
        })
    }

    /// The error for an association that the format allows but `message` refuses: at the setting `key` of the flow
    /// called `flow`, or at the flow where that key is not given.
    pub fn complaint(&self, settings: &[Assignment], flow: &str, key: &str, message: &str) -> ScenarioError {
        let mut root = self.root.clone();
        let applied =
            settings.iter().enumerate().try_for_each(|(index, setting)| setting.apply(index, &mut root));
        if let Err(fault) = applied {
            return fault.shown(&self.source, settings);
        }
        let table = flow_named(&root, flow);
        let setting = table.and_then(|(_, table)| match &table.find("sctp")?.value {
            TreeValue::Table(sctp) => sctp.find(key),
            _ => None,
        });
        match (setting, table) {
            (Some(setting), _) => Fault::value(setting.span, message),
            (None, Some((span, _))) => Fault::value(span, message),
            (None, None) => Fault::value(Span::START, message),
        }
        .shown(&self.source, settings)
    }
}

/// The table of the flow with this name, and its place; the first flow may go without a name.
fn flow_named<'t>(root: &'t Table, name: &str) -> Option<(Span, &'t Table)> {
    let flow = root.find("flow")?;
    let flows = match &flow.value {
        TreeValue::List(flows) => flows.as_slice(),
        _ => std::slice::from_ref(flow),
    };
    let tables = flows.iter().enumerate().filter_map(|(index, node)| match &node.value {
        TreeValue::Table(table) => Some((index, node.span, table)),
        _ => None,
    });
    let is_it = |index: usize, table: &Table| match table.find("name").map(|node| &node.value) {
        Some(TreeValue::Text(given)) => given == name,
        _ => index == 0 && name == read::MAIN,
    };
    tables.filter(|(index, _, table)| is_it(*index, table)).map(|(_, span, table)| (span, table)).next()
}

impl Source {
    /// Reads bytes as text.
    ///
    /// # Errors
    /// The place of the first byte that is not UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Result<Source, ScenarioError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) => {
                let good = error.valid_up_to();
                let byte = bytes.get(good).copied().unwrap_or_default();
                let source = Source::new(name, String::from_utf8_lossy(bytes));
                let span = Span { origin: TextOrigin::File, start: good, end: good + '\u{fffd}'.len_utf8() };
                let fault = Fault::syntax(span, format!("the byte {byte:#04x} is not UTF-8"));
                Err(fault.expected("text in UTF-8, like every TOML file").in_file(&source))
            }
        }
    }
}

impl Scenario {
    /// Reads a scenario file with settings of the command line, trace files that it names through `files`, and the
    /// policies of `registry`.
    ///
    /// # Errors
    /// The first fault found, with its place.
    pub fn parse(
        source: &Source,
        files: &dyn Files,
        settings: &[Assignment],
        registry: &Registry,
    ) -> Result<Scenario, ScenarioError> {
        ParsedDocument::parse(source)?.scenario(files, settings, registry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str, settings: &[&str], flow: &str) -> String {
        let settings: Vec<Assignment> =
            settings.iter().map(|text| Assignment::parse(text).expect("a setting")).collect();
        let document = ParsedDocument::parse(&Source::new("a.toml", text)).expect("TOML");
        document.complaint(&settings, flow, "receive_buffer", "it is too small").to_string()
    }

    #[test]
    fn a_complaint_stands_where_the_setting_does_or_the_flow() {
        let text = "[[flow]]\n[[flow]]\nname = \"b\"\n[flow.sctp]\nreceive_buffer = \"3 kB\"\n";
        let setting = "flow.b.sctp.receive_buffer=2 kB";
        for (found, place) in [
            (complaint(text, &[], "b"), "a.toml:5:18".to_owned()),
            (complaint(text, &[], "main"), "a.toml:1:1".to_owned()),
            (complaint("", &[], "main"), "a.toml:1:1".to_owned()),
            (complaint(text, &[setting], "b"), format!("--set {setting}")),
        ] {
            assert_eq!(found.lines().next(), Some(format!("{place}: it is too small").as_str()), "{found}");
        }
    }

    #[test]
    fn links_for_other_programs_need_no_flow_that_ends() {
        let source = Source::new("s.toml", "[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"");
        let document = ParsedDocument::parse(&source).expect("a sound file");
        assert!(document.scenario(&crate::NoFiles, &[], &crate::registry()).is_err());
        let links = document.links(&crate::NoFiles, &[], &crate::registry()).expect("links");
        assert_eq!((links.links.len(), links.paths.len()), (1, 1));
    }

    #[test]
    fn what_is_not_utf_8_is_shown_where_it_is() {
        let error = Source::from_bytes("a.toml", b"x = 1\ny = \xff\n").expect_err("no text");
        assert!(error.to_string().starts_with("a.toml:2:5: the byte 0xff is not UTF-8\n"), "{error}");
    }
}
