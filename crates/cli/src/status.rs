//! `anabranch status`: the links, bonds and flows of the running programs `anabranch forward`.

pub(crate) mod answer;
mod ask;
pub(crate) mod judged;
pub(crate) mod place;
mod table;
mod watching;

use anabranch_observe::Body;
use serde_json::json;

use crate::arguments::StatusArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::notice;
use crate::report::Outcome;
use ask::{Answered, Asked};

/// Asks the running programs, once or again and again.
///
/// # Errors
/// No program is running, and Ctrl-C.
pub(crate) async fn run(arguments: &StatusArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let asked = tokio::select! {
        asked = ask::all(arguments.pid) => asked,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    asked.refusals().for_each(|refusal| notice::tell(&refusal));
    if asked.answers.is_empty() {
        return Err(Failure::NotRunning(absent(arguments.pid)));
    }
    match arguments.watch {
        None => Ok(Outcome {
            document: Some(document(&asked)),
            summary: summary(&asked.answers),
            ..Outcome::default()
        }),
        Some(every) => watching::run(asked, arguments, every, interrupt).await,
    }
}

/// The document of all programs.
fn document(asked: &Asked) -> Body {
    let running: Vec<_> = asked.answers.iter().map(|one| &one.document).collect();
    Body::of(&json!({ "running": running }))
}

/// The programs, a block each.
fn summary(answers: &[Answered]) -> String {
    answers.iter().map(|one| table::block(&one.answer)).collect::<Vec<_>>().join("\n")
}

/// The message that no program answers.
fn absent(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid} is not an `anabranch forward` of this user; without --pid all are shown"),
        None => "no `anabranch forward` of this user is running here; `anabranch forward --help` shows how to start \
                 one, and root also sees those that are services"
            .to_owned(),
    }
}
