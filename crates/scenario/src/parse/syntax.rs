//! Explains why a text is not TOML, from the places of the parser's errors, the characters it expected there, and the
//! brackets that were open. Falls back to the parser's own message.

use std::ops::Range;

use toml_parser::decoder::Encoding;
use toml_parser::parser::{EventReceiver, parse_document, parse_value};
use toml_parser::{ErrorSink, Expected, ParseError, Raw, Source, Span};

use crate::tree::quoted;

/// A syntax error and the text expected there; empty where there is nothing to suggest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxFault {
    pub message: String,
    pub expected: String,
}

/// The reason why a document is invalid at this place; `None` where its syntax is valid.
pub(crate) fn of_document(text: &str, at: &Range<usize>) -> Option<SyntaxFault> {
    let mut parts = Parts::new(text);
    let mut errors = Vec::new();
    parse_document(&Source::new(text).lex().into_vec(), &mut parts, &mut errors);
    parts.reason(&errors, at)
}

/// Like [`of_document`], for a value alone.
pub(super) fn of_value(text: &str, at: &Range<usize>) -> Option<SyntaxFault> {
    let mut parts = Parts::new(text);
    let mut errors = Vec::new();
    parse_value(&Source::new(text).lex().into_vec(), &mut parts, &mut errors);
    parts.reason(&errors, at)
}

/// The places that the parser reports: headers, and errors within keys and values.
struct Parts<'t> {
    text: &'t str,
    headers: Vec<usize>,
    wrong: Vec<WrongPart>,
}

/// An error within a key or a value.
struct WrongPart {
    error: ParseError,
    encoding: Option<Encoding>,
    whole: Range<usize>,
}

impl<'t> Parts<'t> {
    fn new(text: &'t str) -> Parts<'t> {
        Parts { text, headers: Vec::new(), wrong: Vec::new() }
    }

    fn reason(&self, errors: &[ParseError], at: &Range<usize>) -> Option<SyntaxFault> {
        let is_here = |error: &ParseError| place(error).as_ref() == Some(at);
        let between = || errors.iter().find(|error| is_here(error)).map(|error| self.between(error));
        let within = || self.wrong.iter().find(|wrong| is_here(&wrong.error)).map(|wrong| self.within(wrong));
        between().or_else(within)
    }

    /// The error between keys, values and brackets.
    fn between(&self, error: &ParseError) -> SyntaxFault {
        let start = error.context().map(|context| context.start());
        let opening = start.and_then(|start| self.text[start..].chars().next());
        let is_header = start.is_some_and(|start| self.headers.contains(&start));
        let (message, expected) = match (signs(error).as_slice(), opening) {
            (["="], _) => ("there is no `=` after this key", "KEY = VALUE".to_owned()),
            (["\n", "#"], _) => {
                ("unexpected text after the value", "the end of the line after a value".to_owned())
            }
            (["]" | "]]"], Some('[')) if is_header => ("the header is not closed", expected(error)),
            (["]"], Some('[')) => ("the list is not closed", expected(error)),
            (["}"], Some('{')) => ("the table is not closed", expected(error)),
            _ => (error.description(), expected(error)),
        };
        SyntaxFault { message: message.to_owned(), expected }
    }

    /// The error within a key or a value.
    fn within(&self, wrong: &WrongPart) -> SyntaxFault {
        let WrongPart { error, encoding, whole } = wrong;
        let found = &self.text[whole.clone()];
        let is_unknown = matches!(error.expected(), Some([Expected::Description(_), ..]));
        let ends_too_late = place(error) == Some(whole.end..whole.end);
        let (message, expected) = match (encoding, signs(error).as_slice()) {
            (None, []) if found.is_empty() => {
                ("there is no value".to_owned(), "one after the `=`".to_owned())
            }
            (None, []) if is_unknown && place(error).as_ref() == Some(whole) => (
                format!("{} is not a TOML value", quoted(found)),
                format!("text in quotes: {}", quoted(found)),
            ),
            (Some(Encoding::BasicString | Encoding::LiteralString), [_]) if ends_too_late => {
                ("the text does not end on this line".to_owned(), expected(error))
            }
            (Some(_), [_]) if ends_too_late => ("the text does not end".to_owned(), expected(error)),
            _ => (error.description().to_owned(), expected(error)),
        };
        SyntaxFault { message, expected }
    }

    fn decode(
        &mut self,
        span: Span,
        encoding: Option<Encoding>,
        decode: impl FnOnce(Raw<'t>, &mut Vec<ParseError>),
    ) {
        let whole = span.start()..span.end();
        let Some(text) = self.text.get(whole.clone()) else { return };
        let mut errors = Vec::new();
        decode(Raw::new_unchecked(text, encoding, span), &mut errors);
        self.wrong.extend(errors.into_iter().map(|error| WrongPart {
            error,
            encoding,
            whole: whole.clone(),
        }));
    }
}

impl EventReceiver for Parts<'_> {
    fn std_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.headers.push(span.start());
    }

    fn array_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.headers.push(span.start());
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, _error: &mut dyn ErrorSink) {
        self.decode(span, encoding, |raw, errors| raw.decode_key(&mut String::new(), errors));
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, _error: &mut dyn ErrorSink) {
        self.decode(span, encoding, |raw, errors| {
            let _ = raw.decode_scalar(&mut String::new(), errors);
        });
    }
}

fn place(error: &ParseError) -> Option<Range<usize>> {
    error.unexpected().map(|span| span.start()..span.end())
}

/// The characters of TOML that could have stood there.
fn signs(error: &ParseError) -> Vec<&'static str> {
    let expected = error.expected().unwrap_or_default().iter();
    expected
        .filter_map(|expected| match expected {
            Expected::Literal(sign) => Some(*sign),
            _ => None,
        })
        .collect()
}

/// The text that could have stood there, in a few words.
fn expected(error: &ParseError) -> String {
    let expected = error.expected().unwrap_or_default().iter();
    let words = expected.filter_map(|expected| match expected {
        Expected::Literal("\n") => Some("newline".to_owned()),
        Expected::Literal(sign) => Some(format!("`{sign}`")),
        Expected::Description(what) => Some((*what).to_owned()),
        _ => None,
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::*;

    /// The message and the expectation for a document's first error.
    fn said(text: &str) -> (String, String) {
        let error = DeTable::parse(text).expect_err("no TOML");
        let reason = of_document(text, &error.span().expect("a place"));
        reason.map(|reason| (reason.message, reason.expected)).expect("a reason")
    }

    #[test]
    fn what_is_open_is_named() {
        for (text, message, expected) in [
            ("[[link]\n", "the header is not closed", "`]`"),
            ("[link\n", "the header is not closed", "`]`"),
            ("a = [1, 2\n", "the list is not closed", "`]`"),
            ("a = [\n[1, 2\n]\n", "the list is not closed", "`]`"),
            ("a = { b = 1\n", "the table is not closed", "`}`"),
            ("a = \"b\n", "the text does not end on this line", "`\"`"),
            ("a = 'b\n", "the text does not end on this line", "`'`"),
            ("a = \"\"\"b\n", "the text does not end", "`\"`"),
        ] {
            assert_eq!(said(text), (message.to_owned(), expected.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        for (text, message, expected) in [
            ("a\n", "there is no `=` after this key", "KEY = VALUE"),
            ("a =\n", "there is no value", "one after the `=`"),
            ("a = 1 b = 2\n", "unexpected text after the value", "the end of the line after a value"),
            ("a = zen\n", "\"zen\" is not a TOML value", "text in quotes: \"zen\""),
        ] {
            assert_eq!(said(text), (message.to_owned(), expected.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn keys_that_contradict_one_another_are_no_fault_of_syntax() {
        let text = "a = 1\na = 2\n";
        let error = DeTable::parse(text).expect_err("a key twice");
        assert_eq!(of_document(text, &error.span().expect("a place")), None);
    }
}
