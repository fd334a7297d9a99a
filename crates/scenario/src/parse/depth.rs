//! The limits of a document's nesting. The parser bounds brackets, but not keys with many dots in brackets: their
//! tables nest so deep that dropping them overflows the stack. This check reads tokens only and does not recurse.

use toml_parser::parser::{EventReceiver, parse_document, parse_value};
use toml_parser::{ErrorSink, Source, Span};

/// The first place in `text` that nests too deep.
pub(super) fn excess(text: &str) -> Option<Excess> {
    let source = Source::new(text);
    let mut depth = Depth::default();
    let tokens = source.lex().into_vec();
    parse_document(&tokens, &mut depth, &mut ());
    depth.excess
}

/// Like [`excess`], for a value alone.
pub(crate) fn excess_of_value(text: &str) -> Option<Excess> {
    let source = Source::new(text);
    let mut depth = Depth::default();
    let tokens = source.lex().into_vec();
    parse_value(&tokens, &mut depth, &mut ());
    depth.excess
}

/// The place where a limit is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// The bracket at this byte is inside [`BRACKETS`] others.
    Brackets(usize),
    /// The dot at this byte is one too many in a key of [`DOTS`].
    Dots(usize),
}

/// The most brackets within one another; no setting needs more than four.
pub(crate) const BRACKETS: usize = 16;
/// The most dots in a key; no setting needs more than three.
pub(crate) const DOTS: usize = 8;

#[derive(Default)]
struct Depth {
    brackets: usize,
    dots: usize,
    excess: Option<Excess>,
}

impl Depth {
    fn open(&mut self, span: Span) -> bool {
        self.brackets += 1;
        self.dots = 0;
        let allowed = self.brackets <= BRACKETS;
        if !allowed {
            self.excess.get_or_insert(Excess::Brackets(span.start()));
        }
        allowed
    }

    fn close(&mut self) {
        self.brackets = self.brackets.saturating_sub(1);
        self.dots = 0;
    }
}

impl EventReceiver for Depth {
    fn std_table_open(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.dots = 0;
    }

    fn array_table_open(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.dots = 0;
    }

    fn inline_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.open(span)
    }

    fn inline_table_close(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.close();
    }

    fn array_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.open(span)
    }

    fn array_close(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.close();
    }

    fn key_sep(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.dots += 1;
        if self.dots > DOTS {
            self.excess.get_or_insert(Excess::Dots(span.start()));
        }
    }

    fn key_val_sep(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.dots = 0;
    }

    fn newline(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.dots = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_dots_are_counted() {
        let nested = |n: usize| format!("a = {}1{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(excess(&nested(BRACKETS)), None);
        assert_eq!(excess(&nested(BRACKETS + 1)), Some(Excess::Brackets(4 + BRACKETS)));
        let dotted = |n: usize| format!("[{}a]\n{}b = 1.5", "a.".repeat(n), "b.".repeat(n));
        assert_eq!(excess(&dotted(DOTS)), None);
        assert_eq!(excess(&dotted(DOTS + 1)), Some(Excess::Dots(2 * DOTS + 2)));
        assert_eq!(excess("a = [1.5, 1.5]\n".repeat(100).as_str()), None);
        assert_eq!(excess_of_value(&"[".repeat(100)), Some(Excess::Brackets(BRACKETS)));
    }
}
