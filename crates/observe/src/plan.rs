//! The JSON document of a plan.

use anabranch_planner::{MarginalGain, Method, Misplan, Mistake};
use anabranch_scenario::Scenario;
use anabranch_sim::predict::PlanReport;
use serde_json::{Value, json};

use crate::document::{Body, resolved};

/// The document of a plan.
pub fn plan(scenario: &Scenario, plan: &PlanReport) -> Body {
    Body::of(&document(scenario, plan))
}

/// Like [`plan`], with the time that it took on this machine, `wall_s`.
pub fn timed_plan(scenario: &Scenario, plan: &PlanReport) -> Body {
    let mut document = document(scenario, plan);
    document["wall_s"] = json!(plan.took.as_secs_f64());
    Body::of(&document)
}

fn document(scenario: &Scenario, plan: &PlanReport) -> Value {
    let (flow, question) = (&plan.flow, &plan.question);
    let step = match question.method {
        Method::Step { step, .. } => Some(step),
        _ => None,
    };
    json!({
        "title": scenario.title,
        "flow": flow.name,
        "receive_buffer_packets": flow.receive_buffer,
        "limits_packets": plan.best.limits,
        "throughput_bps": flow.throughput_bps(plan.best.throughput),
        "goodput_bps": flow.goodput_bps(plan.best.throughput),
        "method": question.method.name(),
        "step": step,
        "model": question.model.name(),
        "loss_model": question.loss.name(),
        "evaluations": plan.best.evaluations,
        "paths": (0..flow.paths.len()).map(|index| path(plan, index)).collect::<Vec<_>>(),
        "certificate": {
            "upper_bound_bps": flow.throughput_bps(plan.certificate.upper_bound),
            "gap": plan.gap(),
        },
        "buffer": plan.marginal_gain.as_ref().map(|gain| buffer(plan, gain)),
        "sensitivity": plan.misplans.iter().map(|misplan| sensitivity(plan, misplan)).collect::<Vec<_>>(),
        "notes": plan.notes,
        "resolved": resolved(scenario),
    })
}

fn path(plan: &PlanReport, index: usize) -> Value {
    let path = &plan.flow.paths[index];
    let carried = plan.carried(index);
    json!({
        "name": path.name,
        "limit_packets": plan.best.limits.get(index),
        "filled_packets": path.parameters.cap(),
        "throughput_bps": plan.flow.throughput_bps(carried),
        "goodput_bps": plan.flow.goodput_bps(carried),
    })
}

fn buffer(plan: &PlanReport, gain: &MarginalGain) -> Value {
    json!({
        "next_packet_bps": plan.flow.throughput_bps(gain.next_packet),
        "enough_packets": gain.enough,
        "most_bps": plan.flow.throughput_bps(gain.most),
    })
}

fn sensitivity(plan: &PlanReport, misplan: &Misplan) -> Value {
    let (value, factor) = match misplan.mistake {
        Mistake::MoreLoss => ("loss", 1.2),
        Mistake::LessLoss => ("loss", 0.8),
        Mistake::HigherRate => ("rate", 1.2),
        Mistake::LowerRate => ("rate", 0.8),
    };
    json!({
        "path": plan.flow.paths.get(misplan.path).map(|path| &path.name),
        "value": value,
        "taken_for": factor,
        "limits_packets": misplan.limits,
        "throughput_bps": plan.flow.throughput_bps(misplan.throughput),
        "regret": misplan.regret,
    })
}
