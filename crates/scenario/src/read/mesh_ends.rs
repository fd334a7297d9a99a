//! The nodes between which a flow crosses a mesh, and its routing: read with the flow, used when the mesh adds its paths.

use anabranch_base::setting::{Named as _, Words};
use anabranch_wireless::config::Routing;

use super::fields::Fields;
use super::name::LocatedName;
use crate::choice::Choice;
use crate::fault::{Fault, Read};
use crate::tree::{Node, Span};

/// The ends of a flow across the mesh.
#[derive(Clone, Debug)]
pub(crate) struct MeshEnds {
    pub from: LocatedName,
    pub to: LocatedName,
    pub routing: Routing,
    /// The place to report a fault of the routing.
    pub routing_span: Span,
}

/// Reads the ends of a flow; `None` if it does not cross the mesh.
pub(crate) fn ends(fields: &Fields<'_>) -> Read<Option<MeshEnds>> {
    let mut routing = Routing::Dsr;
    fields.set("routing", &mut routing, |node| {
        let word = Choice::of(&ROUTING).pick(node)?;
        Ok(Routing::of_word(word).unwrap_or(Routing::Dsr))
    })?;
    let located = |node: &Node| {
        let text = super::value::text(node)?;
        Ok(LocatedName { text: text.to_owned(), span: node.span })
    };
    match (fields.maybe("from", located)?, fields.maybe("to", located)?) {
        (Some(from), Some(to)) => {
            Ok(Some(MeshEnds { from, to, routing, routing_span: fields.span_of("routing") }))
        }
        (None, None) => match fields.find("routing") {
            None => Ok(None),
            Some(node) => {
                let fault = Fault::value(node.span, "only a flow across the mesh has a routing");
                Err(fault.help("give it the nodes of its ends, `from` and `to`"))
            }
        },
        (Some(_), None) => fields.require("to", "\"d\"").map(|_| None),
        (None, Some(_)) => fields.require("from", "\"a\"").map(|_| None),
    }
}

const ROUTING: Words = Words { what: Routing::WHAT, built: Routing::words, planned: Routing::PLANNED };
