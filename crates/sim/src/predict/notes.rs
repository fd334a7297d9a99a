//! The notes of a prediction: what it leaves out or assumes. A part of the scenario without which no prediction is
//! possible is an obstacle.

use anabranch_base::Time;
use anabranch_base::exact::exact_size;
use anabranch_link::config::{LinkConfig, LossKind};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Flow, Link, Multipath, Sctp};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

use super::obstacle::data_way;
use super::paths_over_links;

/// The number of missing reports after which the models' sender takes a packet for lost.
const MISSING_REPORTS: u8 = 4;

/// The notes on a flow; its paths are those that carry data.
pub(super) fn notes(scenario: &Scenario, flow: &Flow, sctp: &Sctp) -> Vec<String> {
    let used: Vec<usize> =
        flow.paths.iter().flat_map(|path| scenario.paths[*path].links.iter().copied()).collect();
    let links: Vec<&Link> = used.iter().map(|link| &scenario.links[*link]).collect();
    of_flow(scenario, flow)
        .into_iter()
        .chain(of_transport(scenario, flow, sctp))
        .chain(of_links(&links, flow.direction))
        .chain(of_sharing(scenario, flow, &used))
        .collect()
}

fn of_flow(scenario: &Scenario, flow: &Flow) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(transfer) = flow.transfer {
        notes.push(format!(
            "a transfer of {} is predicted as if it had no end: its start, with small windows, is not \
             modelled",
            exact_size(transfer)
        ));
    }
    if flow.direction == Direction::Both {
        notes.push(
            "data are sent in both directions, and the prediction is for the forward direction alone"
                .to_owned(),
        );
    }
    let whole = scenario.flows.iter().find(|whole| whole.name == flow.name);
    if whole.is_some_and(|whole| whole.paths.len() > flow.paths.len()) {
        notes.push("only the first path carries data; the others are for failover".to_owned());
    }
    notes
}

fn of_transport(scenario: &Scenario, flow: &Flow, sctp: &Sctp) -> Vec<String> {
    let mut notes = Vec::new();
    if sctp.config.missing_reports != MISSING_REPORTS {
        notes.push(format!(
            "the models assume a loss after {MISSING_REPORTS} missing reports, the flow after {}",
            sctp.config.missing_reports
        ));
    }
    let several = flow.paths.len() > 1;
    if several && sctp.multipath == Multipath::AppStripe {
        notes.push("each path has an association and a receive buffer of its own".to_owned());
    }
    let by_tsn = CmtRules { by_departure: false, by_time: false, ..sctp.config.cmt };
    if several && sctp.multipath == Multipath::Cmt && by_tsn != CmtRules::ALL {
        notes.push(
            "a rule of concurrent multipath transfer is off: the models do not include the cost of \
             reordering that follows"
                .to_owned(),
        );
    }
    let loses = |link: &usize| data_way(&scenario.links[*link], flow.direction).loss.mean() > 0.0;
    if sctp.ordered && flow.paths.iter().any(|path| scenario.paths[*path].links.iter().any(loses)) {
        notes.push(
            "in the models, data that wait for a lost packet take no space in the receive buffer; in the \
             flow they do"
                .to_owned(),
        );
    }
    if sctp.config.send_buffer < sctp.config.receive_buffer {
        notes.push(format!(
            "the send buffer of {} is smaller than the receive buffer of {}, and the models include only the receive buffer",
            exact_size(sctp.config.send_buffer),
            exact_size(sctp.config.receive_buffer)
        ));
    }
    notes
}

fn of_links(links: &[&Link], direction: Direction) -> Vec<String> {
    let is_bursty = |direction: &LinkConfig| matches!(direction.loss.kind, LossKind::GilbertElliott { .. });
    let is_correlated = |direction: &LinkConfig| matches!(direction.loss.kind, LossKind::Correlated { .. });
    let data = |has: &dyn Fn(&LinkConfig) -> bool| which(links, |link| has(data_way(link, direction)));
    let answers = which(links, |link| answers_way(link, direction).loss.kind != LossKind::None);
    let found = [
        (data(&is_bursty), "losses come in bursts; the models use their mean"),
        (
            data(&is_correlated),
            "the first loss of a round takes the rest of the round; use the loss model \"correlated\"",
        ),
        (
            data(&|direction| direction.loss.after > Time::ZERO),
            "losses begin late; the models lose packets from the start",
        ),
        (data(&|direction| !direction.jitter.is_none()), "jitter is not in the models"),
        (
            data(&|direction| direction.reorder),
            "reordered packets may be taken for lost; the models include no reordering",
        ),
        (data(&|direction| direction.duplicate > 0.0), "duplicates are not in the models"),
        (
            data(&|direction| direction.corrupt > 0.0),
            "corrupted packets are lost too; the models do not include them",
        ),
        (answers, "acknowledgements are lost too; the models lose none"),
    ];
    found.into_iter().filter_map(|(links, what)| links.map(|links| format!("{links}: {what}"))).collect()
}

/// Links of several paths: the paths of the models share no links.
fn of_sharing(scenario: &Scenario, flow: &Flow, used: &[usize]) -> Option<String> {
    let over = paths_over_links(scenario, &flow.paths);
    let shared = used.iter().copied().find(|link| over[*link] > 1)?;
    let (name, paths) = (&scenario.links[shared].name, over[shared]);
    Some(format!("{paths} paths share link {name:?}: each is predicted with an equal part of its rate"))
}

/// The direction of a link that acknowledgements take.
fn answers_way(link: &Link, direction: Direction) -> &LinkConfig {
    match direction {
        Direction::Forward | Direction::Both => &link.reverse,
        Direction::Reverse => &link.forward,
    }
}

/// `link "a"`, or `link "a" and 2 others`, of the links that satisfy `is_so`; `None` if there are none.
fn which(links: &[&Link], is_so: impl Fn(&Link) -> bool) -> Option<String> {
    let mut names = links.iter().filter(|link| is_so(link)).map(|link| &link.name);
    let first = names.next()?;
    match names.count() {
        0 => Some(format!("link {first:?}")),
        others => Some(format!("link {first:?} and {others} others")),
    }
}
