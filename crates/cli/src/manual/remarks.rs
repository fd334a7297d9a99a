//! What stands below the options in `--help`, taken apart: text, examples, exit status. It knows how these texts are
//! written, and no manual.

/// Something to type, and what for.
#[derive(Debug, Default, PartialEq)]
pub struct Example {
    /// What it does; empty where it needs no words.
    pub purpose: String,
    /// The lines to be typed.
    pub lines: Vec<String>,
}

/// The parts of one command's remarks.
#[derive(Debug, Default, PartialEq)]
pub struct Remarks {
    /// Paragraphs, each on one line.
    pub text: Vec<String>,
    /// What may be typed.
    pub examples: Vec<Example>,
    /// What the exit status means, on one line.
    pub exit_status: Option<String>,
}

impl Remarks {
    /// Takes `remarks` apart: paragraphs with empty lines between them; one that begins with `Examples:` has examples,
    /// what follows `Exit status:` is that.
    pub fn of(remarks: &str) -> Remarks {
        let mut parts = Remarks::default();
        for paragraph in remarks.split("\n\n") {
            match paragraph.trim_matches('\n').strip_prefix("Examples:\n") {
                Some(examples) => examples.lines().for_each(|line| parts.add_example(line)),
                None => parts.add_text(&on_one_line(paragraph)),
            }
        }
        parts
    }

    /// A line of examples: what it is for, a colon, two blanks or more, what is typed; or what is typed alone, which goes
    /// on with what came before where it is further right than the words.
    fn add_example(&mut self, line: &str) {
        let typed = line.trim_start();
        let indent = line.len() - typed.len();
        let (purpose, typed) = typed.split_once(":  ").unwrap_or(("", typed));
        match self.examples.last_mut() {
            Some(last) if purpose.is_empty() && indent > INDENT => last.lines.push(typed.to_owned()),
            _ => {
                let lines = vec![typed.trim_start().to_owned()];
                self.examples.push(Example { purpose: purpose.to_owned(), lines });
            }
        }
    }

    fn add_text(&mut self, paragraph: &str) {
        let (text, status) = match paragraph.split_once("Exit status:") {
            Some((text, status)) => (text.trim(), Some(status.trim())),
            None => (paragraph, None),
        };
        if !text.is_empty() {
            self.text.push(text.to_owned());
        }
        if let Some(status) = status {
            self.exit_status = Some(status.to_owned());
        }
    }
}

/// How far examples stand from the margin.
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
            "A line\nthat goes on.\n\nExamples:\n  x\n  one:  a\n        b\n\nMore. Exit status: 0 done,\n1 not.",
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
    fn no_remarks_are_none() {
        assert_eq!(Remarks::of(""), Remarks::default());
    }
}
