//! What is printed, and how. It prints nothing.

use clap::Args;

/// What is printed, and how.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Output {
    /// Print one JSON document on standard output; all else goes to standard error
    #[arg(long)]
    pub json: bool,
    /// Print one JSON object a second, then the document, each on a line
    #[arg(long)]
    pub json_lines: bool,
    /// Print nothing but errors (and JSON)
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell what happens to each path
    #[arg(short, long)]
    pub verbose: bool,
}

impl Output {
    /// Whether standard output is for JSON only.
    pub fn is_json(self) -> bool {
        self.json || self.json_lines
    }
}
