//! The refusal of commands and options that the program of `make demo` leaves out, because their crates take longest to
//! compile. They stay in `--help`.

use crate::failure::Failure;

/// The refusal of a command or an option.
pub(crate) fn refusal(what: &str) -> Failure {
    Failure::Arguments(format!(
        "this program was built for `make demo`, without `{what}`: `make release` builds the whole program, \
         target/release/anabranch"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_wrong_input_and_says_what_to_type() {
        let document = refusal("sweep").document();
        assert_eq!(document["kind"], "arguments");
        let message = document["message"].as_str().expect("a message");
        assert!(message.contains("without `sweep`: `make release`"), "{message}");
    }
}
