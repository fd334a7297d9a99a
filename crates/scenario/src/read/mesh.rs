//! Reads `[radio]` and `[[node]]`, and makes the paths of the flows that cross the mesh.

use anabranch_sctp::wire::PathRole;
use anabranch_wireless::config::{
    MOVEMENTS, Movement, RadioConfig, StationConfig, radio_settings, station_settings,
};

use super::copies::ExpandedNetwork;
use super::fields::Fields;
use super::flow::FlowDraft;
use super::link::queue;
use super::mesh_ends::MeshEnds;
use super::name::{CopiesOf, LocatedName, NameIndex, name};
use super::reader::{SettingReader, TableKinds};
use super::{shapes, tables};
use crate::fault::{Fault, Read};
use crate::model::{Air, Node as Station, Path, Radio};
use crate::settings::MOST_COPIES;
use crate::tree::{Node, Span, TreeValue};

/// The channels and the stations of a mesh, with their names.
#[derive(Debug)]
pub(crate) struct Mesh {
    pub radios: Vec<Radio>,
    pub nodes: Vec<Station>,
    /// The radios' names as written, for flows that use all of them.
    written: Vec<LocatedName>,
    radio_names: NameIndex,
    pub node_names: NameIndex,
}

/// Reads the radios and the nodes of a file; nodes without a radio get one with the default settings.
pub(crate) fn mesh(fields: &Fields<'_>) -> Read<Mesh> {
    let mut mesh = Mesh {
        radios: Vec::new(),
        nodes: Vec::new(),
        written: Vec::new(),
        radio_names: NameIndex::new("radio"),
        node_names: NameIndex::new("node"),
    };
    for node in tables(fields, "node")? {
        let (name, config) = station(node)?;
        if mesh.nodes.len() == MOST_COPIES {
            return Err(Fault::value(node.span, format!("there are more than {MOST_COPIES} nodes")));
        }
        mesh.node_names.add(&name, CopiesOf { first: mesh.nodes.len(), copies: None })?;
        mesh.nodes.push(Station { name: name.text, config });
    }
    let given = match fields.find("radio") {
        Some(node @ Node { value: TreeValue::Table(_), .. }) => std::slice::from_ref(node),
        _ => tables(fields, "radio")?,
    };
    if let ([], Some(radio)) = (&mesh.nodes[..], given.first()) {
        let fault = Fault::missing(radio.span, "no node has this radio");
        return Err(fault.help("add stations: [[node]] with a `name`, `x` and `y`"));
    }
    for (index, node) in given.iter().enumerate() {
        let (name, config) = radio(node, index == 0)?;
        mesh.add_radio(name, config)?;
    }
    if given.is_empty() && !mesh.nodes.is_empty() {
        let name = LocatedName { text: DEFAULT_NAME.to_owned(), span: Span::START };
        mesh.add_radio(name, RadioConfig::default())?;
    }
    Ok(mesh)
}

impl Mesh {
    /// Adds a path across the mesh for each radio of each flow with ends there, and names these paths in the flows.
    /// Flows between the same nodes share their paths.
    pub(crate) fn add_paths(&self, flows: &mut [FlowDraft], network: &mut ExpandedNetwork) -> Read<()> {
        for flow in flows {
            let Some(ends) = &flow.ends else {
                self.refuse_without_paths(flow, network)?;
                continue;
            };
            let [from, to] = [self.node_names.find(&ends.from)?.first, self.node_names.find(&ends.to)?.first];
            if from == to {
                let message = format!("the flow begins and ends at the node {:?}", ends.to.text);
                return Err(Fault::value(ends.to.span, message).help("name two nodes"));
            }
            let used = flow.paths.as_ref().unwrap_or(&self.written);
            let mut names = Vec::new();
            for name in used {
                let is_path = network.path_names.has(&name.text) && !self.radio_names.has(&name.text);
                let text = if is_path {
                    name.text.clone()
                } else {
                    let radio = self.radio_names.find(name)?.first;
                    self.path(Air { radio, from, to, routing: ends.routing }, ends, network)?
                };
                names.push(LocatedName { text, span: name.span });
            }
            flow.paths = Some(names);
        }
        Ok(())
    }

    /// The name of the path over `air`, which is added unless it exists.
    fn path(&self, air: Air, ends: &MeshEnds, network: &mut ExpandedNetwork) -> Read<String> {
        let joins = |other: &Air| {
            other.radio == air.radio
                && ([other.from, other.to] == [air.from, air.to]
                    || [other.to, other.from] == [air.from, air.to])
        };
        if let Some(other) = network.paths.iter().filter_map(|path| path.air).find(|other| joins(other))
            && other.routing != air.routing
        {
            let message = "another flow between the same nodes has another routing";
            return Err(Fault::value(ends.routing_span, message).help("give both flows the same `routing`"));
        }
        if let Some(path) = network.paths.iter().find(|path| path.air == Some(air)) {
            return Ok(path.name.clone());
        }
        let mut text = format!("{}-{}", ends.from.text, ends.to.text);
        if self.radios.len() > 1 {
            text = format!("{text}-{}", self.radios[air.radio].name);
        }
        let name = LocatedName { text: text.clone(), span: ends.from.span };
        network.path_names.add(&name, CopiesOf { first: network.paths.len(), copies: None })?;
        network.paths.push(Path {
            name: text.clone(),
            links: Vec::new(),
            air: Some(air),
            role: PathRole::Ordinary,
        });
        Ok(text)
    }

    fn refuse_without_paths(&self, flow: &FlowDraft, network: &ExpandedNetwork) -> Read<()> {
        if flow.paths.is_some() || network.paths.iter().any(|path| path.air.is_none()) {
            return Ok(());
        }
        let message = format!("the flow {:?} has no path: there are nodes, and no links", flow.name.text);
        let fault = Fault::missing(flow.span, message);
        Err(fault.help("give it the nodes of its ends, for example from = \"a\", to = \"d\""))
    }

    fn add_radio(&mut self, name: LocatedName, config: RadioConfig) -> Read<()> {
        self.radio_names.add(&name, CopiesOf { first: self.radios.len(), copies: None })?;
        self.radios.push(Radio { name: name.text.clone(), config });
        self.written.push(name);
        Ok(())
    }
}

/// Reads one `[radio]` or `[[radio]]`; only the first may go without a name.
fn radio(node: &Node, is_first: bool) -> Read<(LocatedName, RadioConfig)> {
    let fields = Fields::of(&shapes::RADIO, node)?;
    let name = match fields.find("name") {
        Some(node) => name(node)?,
        None if is_first => LocatedName { text: DEFAULT_NAME.to_owned(), span: fields.span() },
        None => {
            let fault = Fault::missing(fields.span(), "this radio has no name");
            return Err(fault.help("with several radios, each but the first needs a `name`"));
        }
    };
    let mut config = RadioConfig::default();
    fields.set("queue", &mut config.queue, queue)?;
    SettingReader::PLAIN.set_all(radio_settings(), fields.table(), &mut config)?;
    config
        .check()
        .map_err(|why| Fault::value(fields.span_of(why.key), why.message).expected(why.expected))?;
    Ok((name, config))
}

/// Reads one `[[node]]`.
fn station(node: &Node) -> Read<(LocatedName, StationConfig)> {
    let fields = Fields::of(&shapes::NODE, node)?;
    let name = name(fields.require("name", "\"a\"")?)?;
    let mut config = StationConfig::default();
    fields.set("movement", &mut config.movement, movement)?;
    SettingReader::PLAIN.set_all(station_settings(), fields.table(), &mut config)?;
    Ok((name, config))
}

/// Reads `"still"` or `{ kind = "random-waypoint", x = "1000 m", y = "500 m" }`.
fn movement(node: &Node) -> Read<Movement> {
    let movement = match &node.value {
        TreeValue::Table(_) => SettingReader::PLAIN.variant(&MOVEMENT_KINDS, &[], "movement", node)?,
        _ => {
            let kind = MOVEMENT_KINDS.pick(node)?;
            if let Some(missing) = kind.required.first() {
                let fault = Fault::missing(node.span, format!("this movement needs a key `{missing}`"));
                return Err(fault
                    .help(format!("for example movement = {{ kind = {:?}, {} }}", kind.name, kind.example)));
            }
            (kind.new)()
        }
    };
    let checked = movement.check();
    checked.map_err(|why| Fault::value(node.span, why.message).expected(why.expected))?;
    Ok(movement)
}

const MOVEMENT_KINDS: TableKinds<Movement> =
    TableKinds { what: "movement", table: "a table of a movement", variants: &MOVEMENTS, planned: &[] };

/// The default name of a radio.
const DEFAULT_NAME: &str = "radio";
