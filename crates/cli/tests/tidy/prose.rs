//! Refuses sentences and names of an idiom of our own: doc comments that begin with a question, and phrases and identifiers
//! that a stranger has to learn first.

use crate::code::{only_code, tokens};
use crate::workspace::File;

/// Words with which a sentence of a doc comment does not begin: it is a noun phrase or a third-person verb.
const BEGINNINGS: &[&str] = &["What", "How", "Whether", "Its", "All", "That of", "Those of", "Who", "Whose"];

/// Identifiers that are pictures, with the field's word for each.
const PICTURES: &[(&str, &str)] = &[
    ("Came", "ReceiveOutcome"),
    ("Spoken", "the protocol's term"),
    ("Conduct", "RunOptions"),
    ("Wanted", "Selection"),
    ("Again", "Resend"),
    ("look", "view"),
    ("pour", "load"),
    ("way", "direction"),
    ("turns", "rounds or order"),
    ("strangers", "unreadable_peers"),
    ("hearing", "icmp"),
    ("reach", "pairing"),
    ("uncut", "unfragmented"),
    ("spent", "used_tags"),
    ("worth", "marginal_gain"),
];
/// Where such an identifier belongs to another library.
const OTHERS: &[(&str, &str)] = &[("crates/cli/src/lookup.rs", "Again")];

/// A sentence and the line in which it begins, from 1.
#[derive(Debug, PartialEq)]
struct Sentence {
    line: usize,
    text: String,
}

/// Complaints about sentences of doc comments that begin with a question.
pub(crate) fn questions(file: &File) -> Vec<String> {
    let begins = |sentence: &Sentence| {
        let rest =
            |word: &str| sentence.text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word));
        BEGINNINGS.iter().find(|word| rest(word))
    };
    let found = sentences(file).into_iter().filter_map(|sentence| {
        let word = begins(&sentence)?;
        let what = format!("a sentence begins with `{word}`: write a noun phrase or a third-person verb");
        Some(file.complain(sentence.line, &what))
    });
    found.collect()
}

/// Complaints about identifiers that are pictures.
pub(crate) fn pictures(file: &File) -> Vec<String> {
    if !file.is_one_of(&["rs"]) {
        return Vec::new();
    }
    let code = only_code(&file.text);
    let found = tokens(&code).into_iter().filter_map(|token| {
        let (_, word) = PICTURES.iter().find(|(picture, _)| *picture == token.text)?;
        let is_other = OTHERS.contains(&(file.path.as_str(), token.text));
        let what = format!("`{}` is a picture: use the field's word, such as {word}", token.text);
        (!is_other).then(|| file.complain(token.line, &what))
    });
    found.collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn sentences(file: &File) -> Vec<Sentence> {
    if !file.is_one_of(&["rs"]) {
        return Vec::new();
    }
    paragraphs(doc_lines(&file.text)).iter().flat_map(|paragraph| split(paragraph)).collect()
}

/// The lines of doc comments outside blocks of code; an empty one where a comment ends.
fn doc_lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut in_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        in_code =
            comment.is_some() && in_code != comment.is_some_and(|text| text.trim_start().starts_with("```"));
        lines.push((number, comment.filter(|_| !in_code).unwrap_or_default().trim()));
    }
    lines
}

/// Lines that follow one another, up to an empty line or the item of a list.
fn paragraphs(lines: Vec<(usize, &str)>) -> Vec<Vec<(usize, &str)>> {
    let mut paragraphs: Vec<Vec<(usize, &str)>> = vec![Vec::new()];
    for (number, line) in lines {
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        if line.is_empty() || item.is_some() {
            paragraphs.push(Vec::new());
        }
        if let Some(last) = paragraphs.last_mut().filter(|_| !line.is_empty()) {
            last.push((number, item.unwrap_or(line)));
        }
    }
    paragraphs
}

/// The sentences of a paragraph: a full stop, a question or an exclamation mark, and a capital behind a blank.
fn split(paragraph: &[(usize, &str)]) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut is_over = true;
    for (line, word) in
        paragraph.iter().flat_map(|(line, text)| text.split(' ').map(move |word| (*line, word)))
    {
        let begins = is_over && word.starts_with(|c: char| c.is_uppercase() || c == '`');
        match sentences.last_mut().filter(|_| !begins) {
            Some(last) => last.text.extend([" ", word]),
            None => sentences.push(Sentence { line, text: word.to_owned() }),
        }
        is_over = word.ends_with(['.', '?', '!']);
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_sentence_that_begins_with_a_question_is_found_where_it_begins() {
        let text = "//! What it is.\n\n/// The rate. Its\n/// unit is 1. How?\nfn f() {}\n/// - All of it\n";
        let lines: Vec<String> = questions(&file("a.rs", text));
        let lines: Vec<&str> = lines.iter().filter_map(|complaint| complaint.split(':').nth(1)).collect();
        assert_eq!(lines, ["1", "3", "4", "6"]);
    }

    #[test]
    fn what_is_no_beginning_of_a_doc_comment_is_left_alone() {
        let text = "// What follows is code.\n/// Whatever comes, that of it.\n/// ```\n/// What\n/// ```\nlet a = \"How\";";
        assert!(questions(&file("a.rs", text)).is_empty());
        assert!(questions(&file("a.md", "What it is.")).is_empty());
    }

    #[test]
    fn an_identifier_that_is_a_picture_is_found_in_code_only() {
        for (picture, _) in PICTURES {
            assert_eq!(pictures(&file("a.rs", &format!("fn f() {{ {picture}; }}"))).len(), 1, "{picture}");
            assert!(
                pictures(&file("a.rs", &format!("// {picture}\nlet a_{picture} = \"{picture}\";")))
                    .is_empty()
            );
        }
    }
}
