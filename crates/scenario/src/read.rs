//! Converts the tree to values: one file for each table of the scenario, the order of reading, and the checks across
//! tables.

mod copies;
mod event;
mod fields;
mod flow;
mod link;
mod loss;
mod mesh;
mod mesh_ends;
mod name;
mod path;
mod rate;
mod reader;
mod sctp;
mod shapes;
mod tcp;
mod traffic;
mod value;

pub(crate) use flow::MAIN;
pub(crate) use loss::SAME_CHANNEL;
pub(crate) use reader::{SettingReader, contradiction, is_within, refuse_unknown};
pub(crate) use shapes::header_of;

use anabranch_link::config::{Change, LossKind};
use anabranch_sctp::policy::Registry;

use crate::fault::{Fault, Read};
use crate::files::Files;
use crate::model::{Direction, Multipath, Protocol, RunSettings, Scenario, WindowManagement};
use crate::settings::{PathOptions, RUN};
use crate::tree::{Node, Span, Table, TreeValue};
use anabranch_base::exact::exact_size;
use copies::ExpandedNetwork;
use event::EventDraft;
use fields::Fields;
use flow::FlowDraft;
use link::LinkDraft;
use name::{CopiesOf, LocatedName, NameIndex};
use path::PathDraft;

/// The programs that use the links of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Users {
    /// The scenario's own flows, which must end.
    Flows,
    /// Other programs, unaware of the scenario.
    Programs,
}

/// Reads a whole scenario.
pub(crate) fn scenario(root: &Table, files: &dyn Files, registry: &Registry, users: Users) -> Read<Scenario> {
    let fields = Fields::new(&shapes::FILE, root, Span::START)?;
    let title = fields.or("title", String::new(), |node| value::text(node).map(str::to_owned))?;
    let run = run(fields.find("run"))?;
    let links =
        tables(&fields, "link")?.iter().map(|node| link::link(node, files)).collect::<Read<Vec<_>>>()?;
    let mesh = mesh::mesh(&fields)?;
    if links.is_empty() && mesh.nodes.is_empty() {
        let fault = Fault::missing(Span::START, "there is no link");
        return Err(fault.help("begin with [[link]], a `name` and a `rate`"));
    }
    if users == Users::Programs && !mesh.nodes.is_empty() {
        let fault = Fault::value(fields.span_of("node"), "only the simulator runs a mesh of radios");
        return Err(fault.help("`anabranch sim` runs this file"));
    }
    let paths = tables(&fields, "path")?.iter().map(path::path).collect::<Read<Vec<_>>>()?;
    let paths = if fields.find("path").is_some() { paths } else { links.iter().map(path_of).collect() };
    let events = event::events(tables(&fields, "event")?, &mesh.node_names)?;
    let mut flows = flow_drafts(&fields, registry)?;

    let mut network = copies::network(&links, &paths)?;
    mesh.add_paths(&mut flows, &mut network)?;
    let made = copies::events(&events.links, &network.link_names)?;
    let all = copies::flows(&flows, &paths, &network.path_names)?;
    let check = Check { run: fields.find("run"), links: &links, events: &events.links, flows: &flows };
    check.udp_flows(&network, &paths)?;
    check.window_limits(&paths, registry)?;
    if users == Users::Flows {
        check.ends(&run)?;
    }
    let ExpandedNetwork { links, paths, .. } = network;
    let mesh::Mesh { radios, nodes, .. } = mesh;
    let registry = registry.clone();
    let node_events = events.nodes;
    Ok(Scenario { title, run, links, radios, nodes, paths, events: made, node_events, flows: all, registry })
}

fn run(node: Option<&Node>) -> Read<RunSettings> {
    let none = Table::default();
    let fields = match node {
        Some(node) => Fields::of(&shapes::RUN, node)?,
        None => Fields::new(&shapes::RUN, &none, Span::START)?,
    };
    let mut run = RunSettings::default();
    SettingReader::PLAIN.set_all(RUN.iter(), fields.table(), &mut run)?;
    if run.time.is_some_and(|time| run.warmup >= time) {
        let fault = Fault::value(fields.span_of("warmup"), "the warm-up is not shorter than the run");
        return Err(fault.expected("a `warmup` less than `time`"));
    }
    Ok(run)
}

/// The tables of `[[key]]`.
fn tables<'t>(fields: &Fields<'t>, key: &'static str) -> Read<&'t [Node]> {
    match fields.find(key) {
        None => Ok(&[]),
        Some(Node { value: TreeValue::List(tables), .. }) => Ok(tables),
        Some(node) => {
            let found = match node.value {
                TreeValue::Table(_) => "a single table".to_owned(),
                ref other => other.describe(),
            };
            let fault = Fault::value(node.span, format!("expected tables [[{key}]], found {found}"));
            Err(fault.help(format!("there may be several of them: write [[{key}]] in two brackets")))
        }
    }
}

/// The path over one link, of the same name, for a file without paths.
fn path_of(link: &LinkDraft) -> PathDraft {
    PathDraft { name: link.name.clone(), links: vec![link.name.clone()], options: PathOptions::default() }
}

/// Reads `[[flow]]`, or `[flow]` for a single one; without either, one SCTP flow over all paths.
fn flow_drafts(fields: &Fields<'_>, registry: &Registry) -> Read<Vec<FlowDraft>> {
    let implicit = Node { span: Span::START, value: TreeValue::Table(Table::default()) };
    match fields.find("flow") {
        None => Ok(vec![flow::flow(&implicit, true, registry)?]),
        Some(node @ Node { value: TreeValue::Table(_), .. }) => Ok(vec![flow::flow(node, true, registry)?]),
        Some(node) => {
            let flows = tables(fields, "flow")?;
            if flows.is_empty() {
                return Err(Fault::value(node.span, "there is no flow")
                    .help("omit `flow` for a single flow over all paths"));
            }
            flows.iter().enumerate().map(|(index, node)| flow::flow(node, index == 0, registry)).collect()
        }
    }
}

/// The checks across tables.
struct Check<'r> {
    run: Option<&'r Node>,
    links: &'r [LinkDraft],
    events: &'r [EventDraft],
    flows: &'r [FlowDraft],
}

impl Check<'_> {
    /// A run without a time limit ends with its last transfer: each flow needs one.
    fn ends(&self, run: &RunSettings) -> Read<()> {
        if run.time.is_some() {
            return Ok(());
        }
        let Some(flow) = self.flows.iter().find(|flow| flow.settings.transfer.is_none()) else {
            return Ok(());
        };
        let span = match self.run {
            Some(run) if flow.span == Span::START => run.span,
            _ => flow.span,
        };
        let fault = Fault::missing(
            span,
            format!("the flow {:?} never ends: it has no `transfer`, and the run no `time`", flow.name.text),
        );
        Err(fault.help("give the flow a `transfer`, or the run a `time` under [run]"))
    }

    /// Checks that there is one window limit for each path, and that they fit the buffer that the windows share
    /// (M-CWM-3: "Σ c ≤ RBUF").
    fn window_limits(&self, paths: &[PathDraft], registry: &Registry) -> Read<()> {
        for flow in self.flows {
            let Protocol::Sctp(sctp) = &flow.settings.protocol else { continue };
            let fault = |message| Fault::value(flow.limits_span, message);
            let is_managed = sctp.window_management(registry) != WindowManagement::None;
            if sctp.multipath == Multipath::AppStripe && is_managed {
                let message = "multipath \"appstripe\" has a separate buffer for each path: its windows \
                               share none";
                return Err(fault(message.to_owned()).help("leave `window_management` out"));
            }
            let limits = &sctp.config.window_limits;
            if limits.is_empty() {
                continue;
            }
            let count = flow.paths.as_ref().map_or(paths.len(), Vec::len);
            if limits.len() != count {
                let message = format!("there are {} limits for {count} paths", limits.len());
                return Err(
                    fault(message).expected("one limit in packets for each path of the flow, in order")
                );
            }
            let packets = sctp.config.receive_buffer.get() / sctp.config.mtu.get();
            let sum: u64 = limits.iter().copied().map(u64::from).sum();
            if sum > packets {
                let message = format!("limits of {sum} packets together do not fit the receive buffer");
                let buffer = exact_size(sctp.config.receive_buffer);
                return Err(fault(message).expected(format!("at most {packets} packets in {buffer}")));
            }
        }
        Ok(())
    }

    /// Checks that a UDP flow has one path, whose losses do not depend on rounds, which UDP does not have.
    fn udp_flows(&self, network: &ExpandedNetwork, paths: &[PathDraft]) -> Read<()> {
        for flow in self.flows.iter().filter(|flow| flow.settings.protocol == Protocol::Udp) {
            let names: Vec<&LocatedName> = match &flow.paths {
                Some(names) => names.iter().collect(),
                None => paths.iter().map(|path| &path.name).collect(),
            };
            let [name] = names[..] else {
                let message =
                    format!("a UDP flow has one path, and {:?} has {}", flow.name.text, names.len());
                return Err(Fault::value(flow.paths_span, message).help("name that one in `paths`"));
            };
            let used = network.path_names.find(name)?;
            self.refuse_rounds(flow, &network.paths[used.first].links, &network.link_names)?;
        }
        Ok(())
    }

    fn refuse_rounds(&self, flow: &FlowDraft, links: &[usize], names: &NameIndex) -> Read<()> {
        let is_used = |name: &LocatedName| -> Read<bool> {
            let CopiesOf { first, copies } = names.find(name)?;
            Ok(links.iter().any(|link| (first..first + copies.unwrap_or(1)).contains(link)))
        };
        let has_rounds = |kind: &LossKind| matches!(kind, LossKind::Correlated { .. });
        let fault = |span| {
            let message =
                format!("correlated losses need rounds, and the UDP flow {:?} has none", flow.name.text);
            Err(Fault::value(span, message)
                .help("choose another kind of loss, or another path for that flow"))
        };
        let sends = |direction: Direction| [direction, Direction::Both].contains(&flow.settings.direction);
        for link in self.links {
            if sends(Direction::Forward) && has_rounds(&link.forward.loss.kind) && is_used(&link.name)? {
                return fault(link.forward_loss);
            }
            if sends(Direction::Reverse) && has_rounds(&link.reverse.loss.kind) && is_used(&link.name)? {
                return fault(link.reverse_loss);
            }
        }
        for event in self.events {
            let Change::Loss(loss) = &event.settings.change else { continue };
            let direction = event.settings.direction;
            let meets = direction == Direction::Both || sends(direction);
            if meets && has_rounds(&loss.kind) && is_used(&event.link)? {
                return fault(event.span);
            }
        }
        Ok(())
    }
}
