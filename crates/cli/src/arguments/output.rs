//! The arguments that choose the form of the output.

use clap::Args;

/// The form of the output.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Output {
    /// Print one JSON document on standard output; everything else goes to standard error
    #[arg(long)]
    pub json: bool,
    /// Print one JSON object per second, then the document, each on its own line
    #[arg(long)]
    pub json_lines: bool,
    /// Print only errors (and JSON)
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Report events and state of each path
    #[arg(short, long)]
    pub verbose: bool,
}

/// The option that adds computation times to JSON documents.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Timing {
    /// Add the time of the computation to the JSON document, as `wall_s`; without it, equal runs print equal bytes
    #[arg(long)]
    pub timing: bool,
}

impl Output {
    /// Returns true if standard output is for JSON only.
    pub(crate) fn is_json(self) -> bool {
        self.json || self.json_lines
    }
}
