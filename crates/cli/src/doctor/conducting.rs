//! The end that measures: test packets over each link, the bond itself each way, then the judgement.

use anabranch_diagnose::recording::Recording;
use anabranch_diagnose::{LinkEstimate, LinkStatus, estimate_links};
use anabranch_net::Config;
use anabranch_probe::{Host, Plan, ProbeError, measure};

use super::document::{self, Examined};
use super::progress::View;
use super::pronounced::{self, Pronounced};
use super::silence::Silence;
use super::simulated::{self, Simulated};
use super::tests_of_bond::{self, Bond};
use super::{verified, written};
use crate::answering::host;
use crate::arguments::DoctorArguments;
use crate::dialing::Route;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::peer::{Connected, Peer};
use crate::report::Outcome;

/// Measures, judges, and writes what was asked for. `route` leads to the other end, if this one dials.
///
/// # Errors
/// Nothing could be measured, a file cannot be written, or Ctrl-C.
pub(super) async fn run(
    other: &Connected,
    arguments: &DoctorArguments,
    config: &Config,
    route: Option<&Route>,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let mut view = View::new(arguments.output);
    let silence = Silence::beside(route.filter(|_| !arguments.light));
    let mut recording = record(other, arguments, config, &mut view, interrupt).await?;
    let links = estimate_links(&recording);
    let is_measured = links.iter().any(|link| link.status == LinkStatus::Measured);
    let bond = if arguments.light || !is_measured {
        Bond::default()
    } else {
        tests_of_bond::run(other, config, &mut view, interrupt).await?
    };
    let _ = tokio::time::timeout(CLOSING, other.association.close()).await;
    let simulated = simulated::run(&recording, &links, arguments, config, &mut view, interrupt).await?;
    if is_measured {
        silence.end_into(&mut recording, &mut view, interrupt).await?;
    }
    let pronounced = pronounced::of(&recording, &links, &bond, simulated.as_ref(), config, arguments);
    if !is_measured && pronounced.findings.is_empty() {
        return Err(unmeasured(&links));
    }
    let verified = match route {
        Some(route) if arguments.verify => {
            verified::run(simulated.as_ref(), &bond, route, &mut view, interrupt).await?
        }
        _ => None,
    };
    view.finish();
    written::files(arguments, &recording, &links, simulated.as_ref(), &pronounced, &other.peer)?;
    let examined =
        Examined { recording: &recording, links: &links, bond: &bond, simulated, pronounced, verified };
    Ok(outcome(&examined, arguments, config))
}

async fn record(
    other: &Connected,
    arguments: &DoctorArguments,
    config: &Config,
    view: &mut View,
    interrupt: &mut Interrupt,
) -> Result<Recording, Failure> {
    let Connected { association, endpoint, peer } = other;
    let host = Host { folder: arguments.disk.clone(), ..host(config) };
    let plan = Plan { is_light: arguments.light, host };
    let measured = tokio::select! {
        measured = measure(endpoint, association, &plan, |progress| view.measuring(&progress)) => measured,
        () = interrupt.pressed() => {
            association.abort(&Failure::Interrupted.to_string());
            return Err(Failure::Interrupted);
        }
    };
    measured.map_err(|error| {
        association.abort(&error.to_string());
        failure(peer, error)
    })
}

fn failure(peer: &Peer, error: ProbeError) -> Failure {
    match error {
        ProbeError::Refused(why) => Failure::Refused(format!("{peer} refused the measurement: {why}")),
        ProbeError::Closed(reason) => peer.failure(reason),
        error => Failure::PeerGone(format!("the measurement of the paths to {peer} failed: {error}")),
    }
}

/// The failure where nothing is known of any link.
fn unmeasured(links: &[LinkEstimate]) -> Failure {
    let is_late = links.iter().any(|link| link.status == LinkStatus::TooLate);
    let why = if is_late {
        "this machine or the other one was later than what would be measured: stop other programs that use the \
         processor, and measure again"
    } else {
        "no link answered test packets"
    };
    Failure::PeerGone(why.to_owned())
}

fn outcome(examined: &Examined<'_>, arguments: &DoctorArguments, config: &Config) -> Outcome {
    let Pronounced { findings, text, .. } = &examined.pronounced;
    let simulated: Option<&Simulated> = examined.simulated.as_ref();
    let links = super::table::links(examined.links);
    let changes = simulated.map(Simulated::table).unwrap_or_default();
    let tried = examined.verified.as_ref().map(ToString::to_string).unwrap_or_default();
    let summary = format!("\n{links}\n{}{text}{changes}{tried}", examined.bond.summary());
    let document = document::of(examined, arguments, config);
    Outcome { document: Some(document), summary, failure: None, has_findings: !findings.is_empty() }
}

const CLOSING: std::time::Duration = std::time::Duration::from_secs(2);
