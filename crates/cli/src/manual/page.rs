//! One page of the manual, with its sections in the usual order.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::environment;
use crate::arguments::{Example, Remarks, usage};

/// Returns the name of a command's page, without section.
pub(super) fn name(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

/// The page of `command`, which is `program` or one of its commands.
pub(super) fn text(program: &Command, command: &Command) -> String {
    let remarks = remarks(command);
    let status = remarks.exit_status.clone().or_else(|| self::remarks(program).exit_status);
    let mut page = Roff::new();
    section(&mut page, "EXAMPLES", |page| examples(page, &remarks.examples));
    section(&mut page, "EXIT STATUS", |page| paragraphs(page, status.as_slice()));
    section(&mut page, "ENVIRONMENT", |page| entries(page, &environment::variables(command)));
    section(&mut page, "FILES", |page| entries(page, &environment::files(command)));
    section(&mut page, "SEE ALSO", |page| paragraphs(page, &[see_also(program, command)]));
    typeset(&(generated(command, &remarks.text) + &page.to_roff()))
}

fn remarks(command: &Command) -> Remarks {
    Remarks::of(&command.get_after_help().map(ToString::to_string).unwrap_or_default())
}

/// The part of the page that is generated from the arguments, with the text of the remarks.
fn generated(command: &Command, text: &[String]) -> String {
    let man =
        Man::new(worded(command)).title(name(command).to_uppercase()).source(SOURCE).manual("User Commands");
    let mut more = Roff::new();
    paragraphs(&mut more, text);
    // The page has no date: equal sources give equal pages.
    let mut page =
        format!(".TH {} 1 \"\" \"{SOURCE}\" \"User Commands\"\n", name(command).to_uppercase()).into_bytes();
    // Writing to memory does not fail.
    let _ = man.render_name_section(&mut page);
    let _ = man.render_synopsis_section(&mut page);
    let _ = man.render_description_section(&mut page);
    page.extend(more.to_roff().bytes());
    let _ = man.render_options_section(&mut page);
    if has_commands(command) {
        let _ = man.render_subcommands_section(&mut page);
    }
    String::from_utf8_lossy(&page).into_owned()
}

/// The command with the usage of `--help`, and its description as a sentence.
fn worded(command: &Command) -> Command {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let sentence = format!("{}.", about.trim_end_matches('.'));
    command.clone().override_usage(usage(command)).long_about(sentence).subcommand_help_heading("COMMANDS")
}

fn see_also(program: &Command, command: &Command) -> String {
    let others = program.get_subcommands().filter(|other| !other.is_hide_set());
    let below =
        command.get_subcommands().filter(|other| !other.is_hide_set() && name(command) != name(program));
    let pages =
        std::iter::once(program).chain(others).chain(below).map(name).filter(|other| *other != name(command));
    let pages: Vec<String> = pages.map(|page| format!("{page}(1)")).collect();
    format!(
        "{}. The user guide is guide.md in this package's documentation, docs/guide.md among the sources.",
        pages.join(", ")
    )
}

fn has_commands(command: &Command) -> bool {
    command.get_subcommands().any(|command| !command.is_hide_set())
}

/// A section, unless it is empty.
fn section(page: &mut Roff, title: &str, write: impl FnOnce(&mut Roff)) {
    let mut body = Roff::new();
    write(&mut body);
    if body != Roff::new() {
        page.control("SH", [title]);
        page.extend([body]);
    }
}

fn paragraphs(page: &mut Roff, text: &[String]) {
    for paragraph in text {
        page.control("PP", []);
        if paragraph.contains('\n') {
            as_typed(page, &paragraph.lines().collect::<Vec<_>>());
        } else {
            page.text([roman(paragraph)]);
        }
    }
}

fn examples(page: &mut Roff, examples: &[Example]) {
    for example in examples {
        page.control("PP", []);
        if !example.purpose.is_empty() {
            page.text([roman(format!("{}:", example.purpose))]);
        }
        page.control("RS", ["4"]);
        as_typed(page, &example.lines);
        page.control("RE", []);
    }
}

/// Lines that are kept apart.
fn as_typed(page: &mut Roff, lines: &[impl AsRef<str>]) {
    page.control("EX", []);
    for line in lines {
        page.text([roman(line.as_ref())]);
    }
    page.control("EE", []);
}

fn entries(page: &mut Roff, entries: &[(&str, &str)]) {
    for (term, text) in entries {
        page.control("TP", []);
        page.text([bold(*term)]);
        page.text([roman(*text)]);
    }
}

/// The page with signs that roff would turn into others kept as they are, what stands between backquotes in bold, and
/// without what has no effect: space at the top of a section, empty lines.
fn typeset(page: &str) -> String {
    let mut typeset: Vec<String> = Vec::new();
    for line in page.lines().filter(|line| !line.is_empty() && !PREAMBLE.contains(line)) {
        let last = typeset.last().map_or("", String::as_str);
        let is_idle = line == ".br" && last == line || line == ".PP" && last.starts_with(".SH");
        if !is_idle {
            typeset.push(if line.starts_with('.') { line.to_owned() } else { typeset_line(line) });
        }
    }
    typeset.iter().map(|line| format!("{line}\n")).collect()
}

fn typeset_line(line: &str) -> String {
    let mut bold = false;
    let mut typeset = String::new();
    for c in line.replace(r"\*(Aq", "'").chars() {
        match c {
            '`' => {
                bold = !bold;
                typeset.push_str(if bold { r"\fB" } else { r"\fR" });
            }
            '\'' => typeset.push_str(r"\(aq"),
            '~' => typeset.push_str(r"\(ti"),
            '^' => typeset.push_str(r"\(ha"),
            _ => typeset.push(c),
        }
    }
    typeset
}

const SOURCE: &str = concat!("anabranch ", env!("CARGO_PKG_VERSION"));

/// The preamble of clap_mangen, which keeps apostrophes straight; here they are written so that they stay straight.
const PREAMBLE: [&str; 2] = [r".ie \n(.g .ds Aq \(aq", r".el .ds Aq '"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_stay_as_they_are_typed() {
        assert_eq!(typeset_line(r"it\*(Aqs ~/.zfunc ^ 'x'"), r"it\(aqs \(ti/.zfunc \(ha \(aqx\(aq");
    }

    #[test]
    fn what_stands_between_backquotes_is_bold() {
        assert_eq!(typeset_line(r"as `anabranch recv` says"), r"as \fBanabranch recv\fR says");
    }

    #[test]
    fn a_section_without_content_is_left_out() {
        let mut page = Roff::new();
        section(&mut page, "FILES", |page| entries(page, &[]));
        assert_eq!(page, Roff::new());
    }
}
