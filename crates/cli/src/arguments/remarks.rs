//! The text below the options in `--help`, taken apart and laid out for a terminal: text, examples, exit status.

/// Something to type, and what for.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Example {
    /// The purpose; empty where it needs no words.
    pub purpose: String,
    /// The lines of the command.
    pub lines: Vec<String>,
}

impl Example {
    /// Adds a line, indented if it continues the one before.
    fn add_line(&mut self, typed: &str) {
        let goes_on = self.lines.last().is_some_and(|line| line.ends_with('\\'));
        self.lines.push(if goes_on { format!("    {typed}") } else { typed.to_owned() });
    }

    /// Lays out the command in the given column, with its purpose before it.
    fn beside(&self, column: usize) -> Vec<String> {
        let mut lead = match self.purpose.as_str() {
            "" => " ".repeat(INDENT),
            purpose => format!("{:column$}", format!("{:INDENT$}{purpose}:", "")),
        };
        let mut lines = Vec::new();
        for line in &self.lines {
            lines.push(format!("{lead}{line}"));
            lead = " ".repeat(lead.chars().count());
        }
        lines
    }

    /// Lays out the purpose on a line, with the command below it.
    fn below(&self) -> Vec<String> {
        let purpose = (!self.purpose.is_empty()).then(|| format!("{:INDENT$}{}:", "", self.purpose));
        purpose.into_iter().chain(self.lines.iter().map(|line| format!("    {line}"))).collect()
    }
}

/// The parts of one command's remarks.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Remarks {
    /// Paragraphs, each on one line; those with a line that is indented are kept as they are.
    pub text: Vec<String>,
    /// The examples.
    pub examples: Vec<Example>,
    /// The meaning of the exit status, on one line.
    pub exit_status: Option<String>,
}

impl Remarks {
    /// Splits `remarks` into paragraphs at empty lines. `Examples:` begins the paragraph of examples, and `Exit status:`
    /// the meaning of the exit status.
    pub(crate) fn of(remarks: &str) -> Remarks {
        let mut parts = Remarks::default();
        for paragraph in remarks.split("\n\n") {
            match paragraph.trim_matches('\n').strip_prefix("Examples:\n") {
                Some(examples) => examples.lines().for_each(|line| parts.add_example(line)),
                None => parts.add_text(paragraph.trim_matches('\n')),
            }
        }
        parts
    }

    /// Lays out the remarks for a terminal of 80 columns or more; the caller wraps paragraphs. Examples stand beside their
    /// purposes if all of them fit, otherwise below.
    pub(crate) fn laid_out(&self) -> String {
        let mut parts = self.text.clone();
        if !self.examples.is_empty() {
            parts.push(format!("Examples:\n{}", self.examples_laid_out()));
        }
        parts.extend(self.exit_status.iter().map(|status| format!("Exit status: {status}")));
        parts.join("\n\n")
    }

    fn examples_laid_out(&self) -> String {
        let purposes = self.examples.iter().map(|example| example.purpose.chars().count());
        let column = INDENT + purposes.max().unwrap_or(0) + 5;
        let typed = self.examples.iter().filter(|example| !example.purpose.is_empty());
        let widest = typed.flat_map(|example| &example.lines).map(|line| line.chars().count()).max();
        let is_beside = column + widest.unwrap_or(0) <= COLUMNS;
        let laid_out = self
            .examples
            .iter()
            .flat_map(|example| if is_beside { example.beside(column) } else { example.below() });
        laid_out.collect::<Vec<_>>().join("\n")
    }

    /// Adds a line of examples: a purpose, a colon, two blanks or more, and the command; or a command alone. A command that
    /// is indented further than purposes continues the previous line.
    fn add_example(&mut self, line: &str) {
        let typed = line.trim_start();
        let indent = line.len() - typed.len();
        let (purpose, typed) = typed.split_once(":  ").unwrap_or(("", typed));
        match self.examples.last_mut() {
            Some(last) if purpose.is_empty() && indent > INDENT => last.add_line(typed),
            _ => {
                let lines = vec![typed.trim_start().to_owned()];
                self.examples.push(Example { purpose: purpose.to_owned(), lines });
            }
        }
    }

    fn add_text(&mut self, paragraph: &str) {
        if paragraph.contains("\n ") {
            return self.text.push(paragraph.to_owned());
        }
        let paragraph = on_one_line(paragraph);
        let (text, status) = match paragraph.split_once("Exit status:") {
            Some((text, status)) => (text.trim(), Some(status.trim())),
            None => (paragraph.as_str(), None),
        };
        if !text.is_empty() {
            self.text.push(text.to_owned());
        }
        if let Some(status) = status {
            self.exit_status = Some(status.to_owned());
        }
    }
}

/// The number of columns a terminal has at least.
const COLUMNS: usize = 80;

/// The indent of examples.
const INDENT: usize = 2;

fn on_one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_text_examples_and_exit_status() {
        let remarks = Remarks::of(
            "A line\nthat goes on.\n\nExamples:\n  x\n  one:  a\n        b\n\nMore. Exit status: 0 done,\n1 \
             not.",
        );
        assert_eq!(remarks.text, ["A line that goes on.", "More."]);
        let example = |purpose: &str, lines: &[&str]| Example {
            purpose: purpose.to_owned(),
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
        };
        assert_eq!(remarks.examples, [example("", &["x"]), example("one", &["a", "b"])]);
        assert_eq!(remarks.exit_status.as_deref(), Some("0 done, 1 not."));
    }

    #[test]
    fn examples_stand_beside_what_they_are_for_where_all_of_them_fit() {
        let remarks = Remarks::of("Examples:\n  x\n  one:  a \\\n           b\n  the other:  c");
        assert_eq!(
            remarks.laid_out(),
            "Examples:\n  x\n  one:          a \\\n                    b\n  the other:    c"
        );
    }

    #[test]
    fn examples_stand_below_what_they_are_for_where_one_is_too_wide() {
        let wide = "w".repeat(COLUMNS - 9);
        let remarks = Remarks::of(&format!("Examples:\n  x\n  one:  a\n  two:  {wide}"));
        assert_eq!(remarks.laid_out(), format!("Examples:\n    x\n  one:\n    a\n  two:\n    {wide}"));
    }

    #[test]
    fn a_paragraph_with_lines_of_its_own_keeps_them() {
        assert_eq!(Remarks::of("These:\n  one\n  two").laid_out(), "These:\n  one\n  two");
    }

    #[test]
    fn empty_remarks_have_no_parts() {
        assert_eq!(Remarks::of(""), Remarks::default());
    }
}
