//! Why no scenario is made.

use anabranch_scenario::ScenarioError;

use crate::kind::TraceKind;

/// Why no scenario is made of some files.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A file is wrong, at a place in it.
    #[error(transparent)]
    Wrong(#[from] ScenarioError),
    /// Two files of one link say the same.
    #[error(
        "{first:?} and {second:?} are both of {kind} and of the link {link:?}: \
         say with --link NAME=FILE,… which files are of one link"
    )]
    SameTwice {
        /// The link.
        link: String,
        /// What both are.
        kind: TraceKind,
        /// One of them.
        first: String,
        /// The other.
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
        /// How many were given.
        names: usize,
        /// The number of links.
        links: usize,
        /// Their names without that.
        found: Vec<String>,
    },
    /// More steps than a scenario should have.
    #[error(
        "the {what} of link {link:?} has {steps} steps, more than {most}: average them, such as with --step {advice}"
    )]
    TooManySteps {
        /// Rate, delay or loss.
        what: &'static str,
        /// Whose.
        link: String,
        /// How many.
        steps: usize,
        /// How many may be.
        most: usize,
        /// A length of steps with which it works.
        advice: String,
    },
    /// A link that never carries anything.
    #[error("the rate of link {0:?} is 0 all the time")]
    NoRate(String),
    /// There is no file.
    #[error("no file is given")]
    NoFile,
}
