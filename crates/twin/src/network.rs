//! Measured links as a scenario file.

use std::fmt::Write as _;

use anabranch_base::exact::exact_span;
use anabranch_base::setting::Named as _;
use anabranch_diagnose::{LinkEstimate, LinkStatus};
use anabranch_scenario::model::Direction;
use anabranch_scenario::toml_text::{comment, string};
use anabranch_scenario::{Registry, Scenario, ScenarioError, Source};
use anabranch_sctp::wire::PathRole;

use crate::choices::TwinChoices;
use crate::error::TwinError;
use crate::link_name::{is_name, link_names, shown, unused};
use crate::link_text::{Line, LinkDirection};
use crate::quantity::Quantity;
use crate::settings_text::settings_text;
use crate::shared::groups;
use crate::trace_file::TraceFile;

/// A scenario file, and the files beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFile {
    /// The text.
    pub text: String,
    /// The traces of varying rates, which the text names.
    pub traces: Vec<TraceFile>,
    /// The lanes by their names, each with the name of its path in the text. A lane without a measured rate is left out.
    pub paths: Vec<(String, String)>,
}

impl NetworkFile {
    /// Reads the text with the policies of `registry`.
    ///
    /// # Errors
    /// The first fault found.
    pub fn scenario(&self, registry: &Registry) -> Result<Scenario, ScenarioError> {
        let find = |name: &str| self.traces.iter().find(|trace| trace.name == name);
        let files =
            |name: &str| find(name).map(|trace| trace.text.clone()).ok_or_else(|| "no such trace".to_owned());
        Scenario::parse(&Source::new("network.toml", self.text.as_str()), &files, &[], registry)
    }
}

/// Writes the measured links as a scenario file whose values have their evidence beside them.
///
/// # Errors
/// No link has a measured rate, or the settings in use do not fit a scenario.
pub fn network_toml(links: &[LinkEstimate], choices: &TwinChoices) -> Result<NetworkFile, TwinError> {
    let names = link_names(links);
    let named = links.iter().zip(names);
    let (present, absent): (Vec<_>, Vec<_>) = named.partition(|(link, _)| is_measured(link));
    if present.is_empty() {
        return Err(TwinError::NoLink { links: links.len() });
    }
    let stem = if is_name(&choices.stem) { choices.stem.as_str() } else { "network" };
    let mut writer = Writer { choices, stem, links: &present, traces: Vec::new(), routes: Vec::new() };
    let mut text = writer.head();
    for (link, name) in &absent {
        let why = match link.status {
            LinkStatus::Dead => "nothing came back",
            LinkStatus::TooLate => "a machine was later than what was to be measured",
            LinkStatus::Measured => "no rate was measured",
        };
        text += &comment("", "", &format!("{name}, {}, is left out: {why}.", shown(&link.name)));
    }
    text += &writer.links();
    text += &writer.paths();
    text += &writer.flow()?;
    let paths = present.iter().map(|(link, name)| (link.name.clone(), name.clone())).collect();
    let file = NetworkFile { text, traces: writer.traces, paths };
    file.scenario(&choices.registry)?;
    Ok(file)
}

fn is_measured(link: &LinkEstimate) -> bool {
    link.status == LinkStatus::Measured && LinkDirection { link, is_forward: true }.rate().is_some()
}

struct Writer<'w> {
    choices: &'w TwinChoices,
    stem: &'w str,
    links: &'w [(&'w LinkEstimate, String)],
    traces: Vec<TraceFile>,
    /// The shared links behind each link.
    routes: Vec<Vec<String>>,
}

impl Writer<'_> {
    fn head(&self) -> String {
        let mut text =
            comment("", "", "Measured by `anabranch doctor`. Each value has its 95 % interval beside it.");
        let names: Vec<&str> = self.links.iter().map(|(_, name)| name.as_str()).collect();
        let title = format!("As measured: {}", names.join(", "));
        let whole = self.choices.time + self.choices.warmup;
        let _ = write!(
            text,
            "title = {}\n\n[run]\ntime = {}\nwarmup = {}\n\n",
            string(&title),
            string(&exact_span(whole)),
            string(&exact_span(self.choices.warmup))
        );
        text
    }

    /// The links of the lanes, then those that several lanes share.
    fn links(&mut self) -> String {
        let estimates: Vec<&LinkEstimate> = self.links.iter().map(|(link, _)| *link).collect();
        let forward = groups(&estimates, true);
        let reverse = groups(&estimates, false);
        self.routes = vec![Vec::new(); self.links.len()];
        let mut text = String::new();
        for number in 0..self.links.len() {
            let is_in = |groups: &[Vec<usize>]| groups.iter().any(|group| group.contains(&number));
            text += &self.lane(number, is_in(&forward), is_in(&reverse));
        }
        let both = forward.iter().filter(|group| reverse.contains(group));
        let there = forward.iter().filter(|group| !reverse.contains(group));
        let back = reverse.iter().filter(|group| !forward.contains(group));
        let sharing = both
            .map(|group| (group, true, true))
            .chain(there.map(|group| (group, true, false)))
            .chain(back.map(|group| (group, false, true)));
        for (group, is_forward, is_reverse) in sharing {
            text += &self.shared(group, is_forward, is_reverse);
        }
        text
    }

    /// The link of one lane. A bottleneck that it shares is in a link of its own.
    fn lane(&mut self, number: usize, shares_forward: bool, shares_reverse: bool) -> String {
        let (link, name) = &self.links[number];
        let mut text = String::new();
        if link.name != *name {
            text += &comment("", "", &format!("{name} is the lane {}.", shown(&link.name)));
        }
        let _ = writeln!(text, "[[link]]\nname = {}", string(name));
        for (is_forward, is_shared) in [(true, shares_forward), (false, shares_reverse)] {
            let direction = LinkDirection { link, is_forward };
            let mut lines = if is_shared { wide(direction) } else { self.bottleneck(direction, name) };
            lines.extend(direction.delays());
            lines.push(direction.loss());
            lines.push(direction.mtu());
            if !is_forward {
                text += "[link.reverse]\n";
            }
            lines.iter().for_each(|line| text += &line.text());
        }
        text + "\n"
    }

    fn bottleneck(&mut self, direction: LinkDirection<'_>, name: &str) -> Vec<Line> {
        let side = if direction.is_forward { "forward" } else { "reverse" };
        direction.bottleneck(&format!("{}-{name}-{side}.mahimahi", self.stem), &mut self.traces)
    }

    /// A bottleneck that the lanes of `group` share, in one direction or both; in the other it is no obstacle.
    fn shared(&mut self, group: &[usize], is_forward: bool, is_reverse: bool) -> String {
        let given: Vec<&str> = self.links.iter().map(|(_, name)| name.as_str()).collect();
        let name = unused("shared", 1, &given, &self.routes.concat());
        let members: Vec<&str> = group.iter().map(|member| given[*member]).collect();
        let mut text =
            comment("", "", &format!("The delays of {} rise and fall together.", members.join(", ")));
        let _ = writeln!(text, "[[link]]\nname = {}", string(&name));
        for (side_forward, is_shared) in [(true, is_forward), (false, is_reverse)] {
            let of = |member: &usize| LinkDirection { link: self.links[*member].0, is_forward: side_forward };
            let rate = |direction: &LinkDirection<'_>| direction.rate().map_or(0.0, |(rate, _)| rate.value);
            // Alone, each lane filled the same bottleneck: what it measured least disturbed is the highest rate.
            let widest = group.iter().map(of).max_by(|one, other| rate(one).total_cmp(&rate(other)));
            let Some(widest) = widest else { continue };
            let lines = if is_shared { self.bottleneck(widest, &name) } else { wide(widest) };
            if !side_forward {
                text += "[link.reverse]\n";
            }
            lines.iter().for_each(|line| text += &line.text());
        }
        group.iter().for_each(|member| self.routes[*member].push(name.clone()));
        text + "\n"
    }

    /// The paths, where they are not one link each, or have a role.
    fn paths(&self) -> String {
        let role = |(link, _): &(&LinkEstimate, String)| self.choices.role(&link.name);
        let is_plain = self.routes.iter().all(Vec::is_empty);
        if is_plain && self.links.iter().all(|link| role(link) == PathRole::Ordinary) {
            return String::new();
        }
        let mut text = String::new();
        for (link, route) in self.links.iter().zip(&self.routes) {
            let name = string(&link.1);
            let links: Vec<String> = route.iter().map(|shared| string(shared)).collect();
            let links = [vec![name.clone()], links].concat().join(", ");
            let _ = write!(text, "[[path]]\nname = {name}\nlinks = [{links}]\n");
            if role(link) != PathRole::Ordinary {
                let _ = writeln!(text, "role = {}", string(role(link).word()));
            }
            text.push('\n');
        }
        text
    }

    fn flow(&self) -> Result<String, ScenarioError> {
        let names: Vec<String> = self.links.iter().map(|(_, name)| string(name)).collect();
        let direction = match self.choices.direction {
            Direction::Forward => "forward",
            Direction::Reverse => "reverse",
            Direction::Both => "both",
        };
        let settings = settings_text(self.choices)?;
        Ok(format!("[[flow]]\npaths = [{}]\ndirection = \"{direction}\"\n\n{settings}", names.join(", ")))
    }
}

/// A direction whose bottleneck is elsewhere.
fn wide(direction: LinkDirection<'_>) -> Vec<Line> {
    let rate = direction.rate().map_or(1e9, |(rate, _)| rate.value);
    let rate = Quantity::rate(rate * WIDER).quoted();
    vec![
        Line::new("rate", rate, "assumed: ten times the bottleneck, which is another link"),
        Line::new("queue", "\"1000 packets\"", "assumed"),
    ]
}

const WIDER: f64 = 10.0;
