//! Prints a plan as a table.

use anabranch_base::{BitRate, ByteCount};
use anabranch_planner::{MarginalGain, Method, Misplan, Mistake};
use anabranch_scenario::Scenario;
use anabranch_sim::predict::{LimitModel, PlanReport};

use crate::failure::printable;
use crate::report::{head, lay_out_narrow};

/// The limits, their certificate, the gain of more buffer, and the loss by wrong parameters.
pub(super) fn plan(scenario: &Scenario, plan: &PlanReport) -> String {
    let title =
        if scenario.title.is_empty() { String::new() } else { format!("{}\n\n", printable(&scenario.title)) };
    let flow = &plan.flow;
    let mut text = format!(
        "{title}Flow {}, receive buffer {} packets of {}.\n\n{}\n{}{}",
        flow.name,
        flow.receive_buffer,
        flow.packet,
        limits(plan),
        certificate(plan),
        plan.marginal_gain.as_ref().map(|gain| buffer(plan, gain)).unwrap_or_default()
    );
    if !plan.misplans.is_empty() {
        text.push_str(&format!("\nIf the parameters of a path are wrong:\n\n{}", mistakes(plan)));
    }
    if !plan.notes.is_empty() {
        text.push_str("\nNotes:\n");
        text.extend(plan.notes.iter().map(|note| format!("- {note}\n")));
    }
    text
}

fn limits(plan: &PlanReport) -> String {
    let flow = &plan.flow;
    let mut rows = vec![head(["path", "limit", "filled at", "throughput", "goodput"])];
    for (index, (path, limit)) in flow.paths.iter().zip(&plan.best.limits).enumerate() {
        let carried = plan.carried(index);
        rows.push(vec![
            path.name.clone(),
            limit.to_string(),
            path.parameters.cap().to_string(),
            rate(flow.throughput_bps(carried)),
            rate(flow.goodput_bps(carried)),
        ]);
    }
    let together: u64 = plan.best.limits.iter().copied().map(u64::from).sum();
    rows.push(vec![
        "together".to_owned(),
        together.to_string(),
        String::new(),
        rate(flow.throughput_bps(plan.best.throughput)),
        rate(flow.goodput_bps(plan.best.throughput)),
    ]);
    lay_out_narrow(&rows, 1, &[])
}

/// Describes the method and the certificate.
fn certificate(plan: &PlanReport) -> String {
    let question = &plan.question;
    let method = match question.method {
        Method::Exact => "Exactly".to_owned(),
        Method::BruteForce => "By trying all".to_owned(),
        Method::Step { step, .. } => format!("In steps of {step} packets"),
        Method::Hull => "By hulls".to_owned(),
    };
    let model = match question.model {
        LimitModel::Markov => format!("the Markov model with {} losses", question.loss.name()),
        LimitModel::Renewal => "the renewal model".to_owned(),
    };
    let bound = plan.flow.throughput_bps(plan.certificate.upper_bound);
    format!(
        "{method}, by {model}: {} evaluations, {:.3} ms.\nNo limits carry more than {}: these limits are at \
         most {:.2} % below it.\n",
        plan.best.evaluations,
        plan.took.as_secs_f64() * 1e3,
        rate(bound),
        plan.gap() * 100.0
    )
}

fn buffer(plan: &PlanReport, gain: &MarginalGain) -> String {
    let flow = &plan.flow;
    let enough = (ByteCount::new(flow.packet.get() * u64::from(gain.enough))).rounded();
    let most = rate(flow.throughput_bps(gain.most));
    if gain.enough <= flow.receive_buffer {
        return format!("A receive buffer of {} packets ({enough}) would be enough.\n", gain.enough);
    }
    format!(
        "One more packet of receive buffer gains {}; {} packets ({enough}) give {most}, and more gains \
         nothing.\n",
        rate(flow.throughput_bps(gain.next_packet)),
        gain.enough
    )
}

fn mistakes(plan: &PlanReport) -> String {
    let mut rows = vec![head(["path", "taken for", "limits", "throughput", "lost"])];
    rows.extend(plan.misplans.iter().map(|misplan| mistake(plan, misplan)));
    lay_out_narrow(&rows, 3, &[])
}

fn mistake(plan: &PlanReport, misplan: &Misplan) -> Vec<String> {
    let taken_for = match misplan.mistake {
        Mistake::MoreLoss => "20 % more loss",
        Mistake::LessLoss => "20 % less loss",
        Mistake::HigherRate => "20 % more rate",
        Mistake::LowerRate => "20 % less rate",
    };
    let limits: Vec<String> = misplan.limits.iter().map(ToString::to_string).collect();
    vec![
        plan.flow.paths.get(misplan.path).map(|path| path.name.clone()).unwrap_or_default(),
        taken_for.to_owned(),
        limits.join(" + "),
        rate(plan.flow.throughput_bps(misplan.throughput)),
        format!("{:.2} %", misplan.regret * 100.0),
    ]
}

fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps as u64).to_string()
}
