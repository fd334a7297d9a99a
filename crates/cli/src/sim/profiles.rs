//! By which profile and control the flows of a scenario were run, in a line: scenarios and tools differ in their profile.

use anabranch_scenario::Scenario;
use anabranch_scenario::resolved::{ResolvedTable, ResolvedValue};

use crate::settings;

/// Flows that are run alike, and how.
struct Alike {
    how: String,
    names: Vec<String>,
}

/// The line; empty where no flow has a profile or a control.
pub(super) fn profiles(scenario: &Scenario) -> String {
    let resolved = scenario.resolved();
    let Some(ResolvedValue::List(flows)) = resolved.find("flow") else { return String::new() };
    let mut groups: Vec<Alike> = Vec::new();
    for flow in flows {
        let ResolvedValue::Table(flow) = flow else { continue };
        let Some(how) = of_sctp(flow).or_else(|| of_tcp(flow)) else { continue };
        let name = text(flow, "name");
        match groups.iter_mut().find(|group| group.how == how) {
            Some(group) => group.names.push(name),
            None => groups.push(Alike { how, names: vec![name] }),
        }
    }
    let each: Vec<String> = match groups.as_slice() {
        [] => return String::new(),
        [only] => vec![only.how.clone()],
        several => several.iter().map(|group| format!("{}: {}", listed(&group.names), group.how)).collect(),
    };
    format!("Settings: {}{}.\n", each.join("; "), other_tools(flows))
}

fn of_sctp(flow: &ResolvedTable) -> Option<String> {
    let Some(ResolvedValue::Table(sctp)) = flow.find("sctp") else { return None };
    let [profile, control, scheduler] =
        ["profile", "congestion_control", "scheduler"].map(|key| text(sctp, key));
    Some(format!("profile {profile}, congestion control {control}, scheduler {scheduler}"))
}

fn of_tcp(flow: &ResolvedTable) -> Option<String> {
    let Some(ResolvedValue::Table(tcp)) = flow.find("tcp") else { return None };
    Some(format!("TCP {}, congestion control {}", text(tcp, "variant"), text(tcp, "congestion_control")))
}

/// Names the profile of `send` and `bench`, where a flow has another.
fn other_tools(flows: &[ResolvedValue]) -> String {
    let tools = settings::for_tools().profile;
    let is_other = |flow: &ResolvedValue| match flow {
        ResolvedValue::Table(flow) => match flow.find("sctp") {
            Some(ResolvedValue::Table(sctp)) => text(sctp, "profile") != tools,
            _ => false,
        },
        _ => false,
    };
    if flows.iter().any(is_other) {
        format!(" (send and bench use profile {tools}: --set sctp.profile={tools})")
    } else {
        String::new()
    }
}

fn text(table: &ResolvedTable, key: &str) -> String {
    match table.find(key) {
        Some(ResolvedValue::Text(text)) => text.clone(),
        Some(other) => other.to_toml(),
        None => String::new(),
    }
}

/// The first names, and how many more there are.
fn listed(names: &[String]) -> String {
    match names {
        [first, second, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second} and {} more", rest.len())
        }
        few => few.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use anabranch_scenario::{NoFiles, Source};

    use super::*;

    fn said(flows: &str) -> String {
        let text = format!("[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n{flows}");
        let read =
            Scenario::parse(&Source::new("s.toml", &text), &NoFiles, &[], &crate::policies::registry());
        profiles(&read.unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn the_profile_of_a_simulation_is_said_beside_that_of_the_tools() {
        assert_eq!(
            said(""),
            "Settings: profile rfc9260, congestion control reno, scheduler round-robin (send and bench use \
             profile tuned-2: --set sctp.profile=tuned-2).\n"
        );
        let same = said("[flow.sctp]\nprofile = \"tuned-2\"\ncongestion_control = \"bbr\"\n");
        assert_eq!(same, "Settings: profile tuned-2, congestion control bbr, scheduler in-order-arrival.\n");
    }

    #[test]
    fn flows_that_differ_are_named() {
        let flow = |name: &str, more: &str| format!("[[flow]]\nname = \"{name}\"\n{more}");
        let tcp = "protocol = \"tcp\"\n";
        let flows = [flow("x", ""), flow("y", tcp), flow("z", "")].concat();
        let line = said(&flows);
        assert!(line.starts_with("Settings: x and z: profile rfc9260,"), "{line}");
        assert!(line.contains("; y: TCP newreno, congestion control reno"), "{line}");
        let udp =
            "protocol = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"1 kbit/s\", message = \"100 B\" }\n";
        assert_eq!(said(&flow("u", udp)), "");
    }
}
