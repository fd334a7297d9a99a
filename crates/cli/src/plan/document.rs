//! The JSON document of a plan.

use anabranch_planner::{Misplan, Mistake, Worth};
use clap::ValueEnum;
use serde_json::{Value, json};

use anabranch_observe::Body;

use super::PlanReport;
use crate::arguments::PlanArguments;
use crate::scenario::{Loaded, resolved};

/// The plan, and what is to be known of it.
pub fn plan(loaded: &Loaded, plan: &PlanReport, arguments: &PlanArguments) -> Body {
    let flow = &plan.flow;
    let mut body = json!({
        "title": loaded.scenario.title,
        "flow": flow.name,
        "receive_buffer_packets": flow.receive_buffer,
        "limits_packets": plan.best.limits,
        "throughput_bps": flow.throughput_bps(plan.best.throughput),
        "goodput_bps": flow.goodput_bps(plan.best.throughput),
        "method": name(&arguments.method),
        "step": arguments.step,
        "model": name(&arguments.model),
        "loss_model": name(&arguments.loss_model),
        "evaluations": plan.best.evaluations,
        "paths": (0..flow.paths.len()).map(|index| path(plan, index)).collect::<Vec<_>>(),
        "certificate": {
            "upper_bound_bps": flow.throughput_bps(plan.certificate.upper_bound),
            "gap": plan.gap(),
        },
        "buffer": plan.worth.as_ref().map(|worth| buffer(plan, worth)),
        "sensitivity": plan.misplans.iter().map(|misplan| sensitivity(plan, misplan)).collect::<Vec<_>>(),
        "notes": plan.notes,
        "resolved": resolved(loaded),
    });
    if arguments.timing.timing {
        body["wall_s"] = json!(plan.took.as_secs_f64());
    }
    Body::of(&body).about(loaded.sha256.clone())
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

fn buffer(plan: &PlanReport, worth: &Worth) -> Value {
    json!({
        "next_packet_bps": plan.flow.throughput_bps(worth.next_packet),
        "enough_packets": worth.enough,
        "most_bps": plan.flow.throughput_bps(worth.most),
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

/// The word of the command line.
fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |word| word.get_name().to_owned())
}
