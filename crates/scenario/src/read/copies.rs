//! Makes the copies of links, paths, flows and events, and turns names into indices.

use std::collections::BTreeMap;

use super::event::EventDraft;
use super::flow::FlowDraft;
use super::link::{LinkDraft, weight};
use super::name::{CopiesOf, LocatedName, NameIndex, copy_name};
use super::path::PathDraft;
use crate::fault::{Fault, Read};
use crate::model::{Event, Flow, Link, Path};
use crate::settings::MOST_COPIES;
use crate::tree::Span;

/// The most values of copies in all: steps, opportunities of traces, links of paths, paths of flows, events.
const MOST_VALUES: usize = 10_000_000;

/// Links and paths with their copies and names.
pub(crate) struct ExpandedNetwork {
    pub links: Vec<Link>,
    pub paths: Vec<Path>,
    pub link_names: NameIndex,
    pub path_names: NameIndex,
}

/// Makes the copies of links and paths.
pub(crate) fn network(links: &[LinkDraft], paths: &[PathDraft]) -> Read<ExpandedNetwork> {
    let copies = copies_of_links(links, paths)?;
    let mut network = ExpandedNetwork {
        links: Vec::new(),
        paths: Vec::new(),
        link_names: NameIndex::new("link"),
        path_names: NameIndex::new("path"),
    };
    let mut budget = CopyBudget::new("links");
    for (draft, copies) in links.iter().zip(copies) {
        budget.spend(
            draft.name.span,
            copies.unwrap_or(1),
            weight(&draft.forward) + weight(&draft.reverse),
        )?;
        network.link_names.add(&draft.name, CopiesOf { first: network.links.len(), copies })?;
        let named = |name| Link { name, forward: draft.forward.clone(), reverse: draft.reverse.clone() };
        network.links.extend(names(&draft.name, copies).map(named));
    }
    let mut budget = CopyBudget::new("paths");
    for draft in paths {
        let copies = draft.options.copies.map(|count| count as usize);
        budget.spend(draft.name.span, copies.unwrap_or(1), draft.links.len())?;
        network.path_names.add(&draft.name, CopiesOf { first: network.paths.len(), copies })?;
        let links: Read<Vec<_>> = draft.links.iter().map(|name| network.link_names.find(name)).collect();
        let links = links?;
        refuse_twice(&draft.links, "link", "path")?;
        let copy = |(index, name)| {
            let links = links.iter().map(|link| link.copy(index)).collect();
            Path { name, links, air: None, role: draft.options.role }
        };
        network.paths.extend(names(&draft.name, copies).enumerate().map(copy));
    }
    Ok(network)
}

/// Makes the copies of events, in order of time.
pub(crate) fn events(drafts: &[EventDraft], link_names: &NameIndex) -> Read<Vec<Event>> {
    let mut events = Vec::new();
    let mut budget = CopyBudget { most: MOST_VALUES, ..CopyBudget::new("events") };
    for draft in drafts {
        let named = link_names.find(&draft.link)?;
        budget.spend(draft.link.span, named.count(), 1)?;
        let event = |link| Event { link, ..draft.settings.clone() };
        events.extend((named.first..named.first + named.count()).map(event));
    }
    events.sort_by_key(|event| event.at);
    Ok(events)
}

/// Makes the copies of flows.
pub(crate) fn flows(drafts: &[FlowDraft], paths: &[PathDraft], path_names: &NameIndex) -> Read<Vec<Flow>> {
    let find = |name| Ok((name, path_names.find(name)?));
    let all = paths.iter().map(|path| find(&path.name)).collect::<Read<Vec<_>>>()?;
    let mut flows = Vec::new();
    let mut flow_names = NameIndex::new("flow");
    let mut budget = CopyBudget::new("flows");
    let mut associations = CopyBudget::new("associations");
    for draft in drafts {
        let chosen = match &draft.paths {
            None => None,
            Some(names) => {
                refuse_twice(names, "path", "flow")?;
                Some(names.iter().map(find).collect::<Read<Vec<_>>>()?)
            }
        };
        let used = chosen.as_ref().unwrap_or(&all);
        let copies = one_count(draft, used)?;
        budget.spend(draft.name.span, copies.unwrap_or(1), used.len())?;
        let each = if draft.settings.protocol.is_appstripe() { used.len() } else { 1 };
        associations.spend(draft.name.span, copies.unwrap_or(1).saturating_mul(each), 1)?;
        flow_names.add(&draft.name, CopiesOf { first: flows.len(), copies })?;
        let copy = |(index, name)| Flow {
            name,
            paths: used.iter().map(|(_, path)| path.copy(index)).collect(),
            start: draft.settings.start + draft.stagger * index as u64,
            ..draft.settings.clone()
        };
        flows.extend(names(&draft.name, copies).enumerate().map(copy));
    }
    Ok(flows)
}

impl CopiesOf {
    /// The index of the copy that the copy with this index uses.
    fn copy(&self, index: usize) -> usize {
        if self.copies.is_some() { self.first + index } else { self.first }
    }

    fn count(&self) -> usize {
        self.copies.unwrap_or(1)
    }
}

/// The number of copies of each link: that of the copied path that names it, if the link is private.
fn copies_of_links(links: &[LinkDraft], paths: &[PathDraft]) -> Read<Vec<Option<usize>>> {
    let private: BTreeMap<&str, usize> = links
        .iter()
        .enumerate()
        .filter(|(_, link)| link.private)
        .map(|(index, link)| (link.name.text.as_str(), index))
        .collect();
    let mut copies = vec![None; links.len()];
    let mut user: BTreeMap<usize, &str> = BTreeMap::new();
    for path in paths {
        for name in &path.links {
            let Some(&index) = private.get(name.text.as_str()) else { continue };
            let other = user.insert(index, &path.name.text);
            if let Some(other) = other.filter(|other| *other != path.name.text) {
                let message =
                    format!("the private link {:?} is already part of the path {other:?}", name.text);
                return Err(Fault::value(name.span, message)
                    .help("omit `private` to share the link, or give each path a separate link"));
            }
            if let Some(count) = path.options.copies {
                copies[index] = Some(count as usize);
            }
        }
    }
    Ok(copies)
}

/// The number of copies of a flow: that of each of its copied paths.
fn one_count(draft: &FlowDraft, used: &[(&LocatedName, CopiesOf)]) -> Read<Option<usize>> {
    let mut counts = used.iter().filter_map(|(name, path)| Some((name, path.copies?)));
    let Some((first, count)) = counts.next() else { return Ok(None) };
    match counts.find(|(_, other)| *other != count) {
        None => Ok(Some(count)),
        Some((name, other)) => {
            let span = if draft.paths.is_some() { name.span } else { draft.paths_span };
            let (first, name) = (&first.text, &name.text);
            let message = format!("the path {first:?} has {count} copies, and {name:?} has {other}");
            Err(Fault::value(span, message).help(
                "the copies of a flow use one copy of each path: give all its paths the same number of \
                       copies",
            ))
        }
    }
}

fn refuse_twice(names: &[LocatedName], what: &str, owner: &str) -> Read<()> {
    let mut seen = std::collections::BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.text.as_str())) {
        Some(name) => {
            let message = format!("the {what} {:?} is named twice by this {owner}", name.text);
            Err(Fault::value(name.span, message))
        }
        None => Ok(()),
    }
}

/// The name alone, or the names of its copies.
fn names(name: &LocatedName, copies: Option<usize>) -> impl Iterator<Item = String> {
    let text = name.text.clone();
    (0..copies.unwrap_or(1)).map(move |index| match copies {
        None => text.clone(),
        Some(_) => copy_name(&text, index),
    })
}

/// The copies that may still be made, so that one line of a file cannot fill the memory.
struct CopyBudget {
    what: &'static str,
    most: usize,
    left: usize,
    values: usize,
}

impl CopyBudget {
    fn new(what: &'static str) -> CopyBudget {
        CopyBudget { what, most: MOST_COPIES, left: MOST_COPIES, values: MOST_VALUES }
    }

    fn spend(&mut self, span: Span, copies: usize, weight: usize) -> Read<()> {
        let over = |most, of| {
            let fault = Fault::value(span, format!("including copies there are more than {most} {of}"));
            Err(fault.help("this limit bounds the cost of a typing error in a file"))
        };
        let Some(left) = self.left.checked_sub(copies) else { return over(self.most, self.what.to_owned()) };
        let Some(values) = self.values.checked_sub(copies.saturating_mul(weight)) else {
            return over(MOST_VALUES, format!("values in {}", self.what));
        };
        (self.left, self.values) = (left, values);
        Ok(())
    }
}
