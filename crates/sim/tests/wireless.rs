//! The wireless-aware response on whole networks: what it brings where losses are the link's, and that it takes no more than
//! its share where they are a queue's. docs/losses.md has the reasoning.

use crate::worlds::{run, scenario};
use anabranch_sim::RunResult;

const AWARE: &str = r#"loss_response = "wireless-aware""#;
const STANDARD: &str = r#"loss_response = "standard""#;
const CODEL: &str = r#"{ kind = "codel", ecn = true }"#;

/// A link of so many Mbit/s with a round trip of 20 ms and these losses, and a flow for each response.
fn transfers(megabits: u32, queue: &str, loss: f64, responses: &[&str]) -> RunResult {
    of_profile("tuned-2", megabits, queue, loss, responses)
}

fn of_profile(profile: &str, megabits: u32, queue: &str, loss: f64, responses: &[&str]) -> RunResult {
    let flow = |(number, response): (usize, &&str)| {
        format!(
            "[[flow]]\nname = \"f{number}\"\n[flow.sctp]\nprofile = \"{profile}\"\ncongestion_control = \"reno\"\necn = \"echo\"\n{response}\n"
        )
    };
    let flows: Vec<String> = responses.iter().enumerate().map(flow).collect();
    let link = format!("rate = \"{megabits} Mbit/s\"\ndelay = \"10 ms\"\nqueue = {queue}\nloss = {loss}");
    let head = "[run]\ntime = \"40 s\"\nwarmup = \"10 s\"\n[[link]]\nname = \"a\"\n";
    run(&scenario(&format!("{head}{link}\n{}", flows.concat())), 1)
}

/// Mbit/s of each flow.
fn goodputs(result: &RunResult) -> Vec<f64> {
    result.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect()
}

/// 1,444 of 1,500 bytes are user data: 19.25 Mbit/s are the ceiling of 20.
#[test]
fn where_a_queue_marks_one_loss_in_a_hundred_costs_little_and_the_queue_is_short() {
    let [aware, standard] = [AWARE, STANDARD].map(|response| transfers(20, CODEL, 0.01, &[response]));
    assert!(goodputs(&aware)[0] > 0.85 * 19.25, "{:?}", goodputs(&aware));
    assert!(goodputs(&standard)[0] < 0.5 * 19.25, "{:?}", goodputs(&standard));
    let full = transfers(20, "\"100 packets\"", 0.0, &[STANDARD]);
    let waiting = |result: &RunResult| result.links[0].forward.mean_queue_packets;
    assert!(waiting(&aware) < waiting(&full) / 3.0, "{} of {}", waiting(&aware), waiting(&full));
}

#[test]
fn where_losses_are_a_queues_it_takes_its_share() {
    let red =
        r#"{ kind = "red", min = 17, max = 50, max_probability = 0.1, limit = "100 packets", ecn = true }"#;
    for queue in ["\"5 packets\"", "\"100 packets\"", red, CODEL] {
        let found = goodputs(&transfers(20, queue, 0.0, &[AWARE, STANDARD]));
        let share = found[0] / (found[0] + found[1]);
        assert!((0.35..=0.6).contains(&share), "{queue}: {found:?}");
    }
}

/// Five packets at 100 Mbit/s are 0.6 ms, too short to be seen: the verdict from delay is wrong, and losses pass that are of
/// congestion. It expires, so that the other keeps what it had, where losses are told by their number. Detected by time, they are
/// repaired without the time-outs that held the first one back, and the other keeps less than half (docs/losses.md). So it does
/// where slow start doubles the window after a time-out, as in tuned-2.
#[test]
fn a_queue_too_short_to_be_seen_is_taken_for_none_and_the_other_flow_keeps_its_goodput() {
    let counted = |response: &str| format!("{response}\ncmt.order = \"departure\"");
    let run = |one| of_profile("tuned-1", 100, "\"5 packets\"", 0.0, &[&counted(one), &counted(STANDARD)]);
    let (wrong, right) = (run(AWARE), run(STANDARD));
    let lost = |result: &RunResult| result.flows[0].paths[0].lost_packets;
    assert!(lost(&wrong) > 5 * lost(&right), "losses pass: {} and {}", lost(&wrong), lost(&right));
    let (wrong, right) = (goodputs(&wrong), goodputs(&right));
    assert!(wrong[1] > 0.85 * right[1], "{wrong:?}, {right:?}");
    assert!(wrong[0] < 0.7 * (wrong[0] + wrong[1]), "{wrong:?}");
}
