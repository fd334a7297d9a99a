//! The reasons why no scenario is made.

use anabranch_scenario::ScenarioError;

use crate::kind::TraceKind;

/// The reason why no scenario is made of some files.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A file is invalid, at a place in it.
    #[error(transparent)]
    Wrong(#[from] ScenarioError),
    /// Two files give the same quantity of one link.
    #[error(
        "{first:?} and {second:?} are both of {kind} and of the link {link:?}: \
         say with --link NAME=FILE,… which files are of one link"
    )]
    SameTwice {
        /// The name of the link.
        link: String,
        /// The kind of both.
        kind: TraceKind,
        /// The first file.
        first: String,
        /// The second file.
        second: String,
    },
    /// Two links have the same name.
    #[error("two links would be called {0:?}: give them names with --name or --link")]
    SameName(String),
    /// A link cannot have this name.
    #[error("{0:?} is not a name for a link: up to 64 letters, digits, `_` and `-`, not beginning with `-`")]
    Name(String),
    /// More or fewer names than links.
    #[error("{names} names for {links} links: {}", .found.join(", "))]
    NameCount {
        /// The number of names given.
        names: usize,
        /// The number of links.
        links: usize,
        /// The links' names without those given.
        found: Vec<String>,
    },
    /// More steps than a scenario should have.
    #[error(
        "the {what} of link {link:?} has {steps} steps, more than {most}: average them, such as with --step {advice}"
    )]
    TooManySteps {
        /// The quantity: rate, delay or loss.
        what: &'static str,
        /// The name of the link.
        link: String,
        /// The number of steps.
        steps: usize,
        /// The most steps allowed.
        most: usize,
        /// A length of steps that is within the limit.
        advice: String,
    },
    /// A link that never carries anything.
    #[error("the rate of link {0:?} is 0 all the time")]
    NoRate(String),
    /// No file is given.
    #[error("no file is given")]
    NoFile,
}
