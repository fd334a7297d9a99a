//! Learns the numbers of an association from the packets that pass.

use super::decode::chunks;
use super::numbers::Numbers;
use super::value::{bytes, is_any, nested, number};
use super::{HEADER, NODE_HEADER};
use crate::script::{Content, Node, SctpPacket};

/// The fixed part of an INIT or an INIT ACK (RFC 9260 §3.3.2).
const INIT: usize = 20;

impl Numbers {
    /// Learns from a packet of the machine under test and from the one that the script expects: our tag and our initial
    /// TSN, the state cookie, the heartbeat information.
    ///
    /// A template with `tag=...` and `tsn=...` keeps the numbers that are known: an INIT ACK to a duplicate INIT leaves the
    /// association as it is (RFC 9260 §5.2.2).
    pub(crate) fn learn_sent(&mut self, expected: &SctpPacket, live: &[u8]) {
        let Some(body) = live.get(HEADER..) else { return };
        if let Content::Chunks(templates) = &expected.content
            && let Some(template) = templates.first()
            && let Some(kind) = init_kind(template)
            && let Some(found) = tag_and_tsn(body, kind)
            && (self.live_tag() == 0 || ["tag", "tsn"].iter().any(|field| !is_any(template.field(field))))
        {
            let [tag, tsn] = ["tag", "tsn"].map(|field| script_number(template, field));
            self.renew_ours((tag, found.0), (tsn, found.1));
        }
        for chunk in &chunks(body, self) {
            self.learn_content(chunk);
        }
    }

    /// Learns from a packet of the peer: its tag.
    pub(crate) fn learn_injected(&mut self, packet: &SctpPacket) {
        let chunks = match &packet.content {
            Content::Chunks(chunks) => chunks,
            Content::Bytes(bytes) => {
                let found = [1, 2].iter().find_map(|kind| tag_and_tsn(bytes, *kind));
                return found.into_iter().for_each(|(tag, _)| self.add_peer_tag(tag));
            }
        };
        for chunk in chunks.iter().filter(|chunk| init_kind(chunk).is_some()) {
            self.add_peer_tag(script_number(chunk, "tag"));
        }
    }

    fn learn_content(&mut self, chunk: &Node) {
        let parameter = match chunk.name.as_str() {
            "INIT_ACK" => "STATE_COOKIE",
            "HEARTBEAT" => "HEARTBEAT_INFORMATION",
            _ => return,
        };
        let found = nested(chunk).find(|node| node.name == parameter);
        let Some(value) = found.and_then(|node| node.field("val")).and_then(bytes) else { return };
        let place = if chunk.name == "INIT_ACK" { &mut self.cookie } else { &mut self.heartbeat };
        *place = Some(value);
    }
}

/// The type of `chunk` if it is an INIT or an INIT ACK.
fn init_kind(chunk: &Node) -> Option<u8> {
    match chunk.name.as_str() {
        "INIT" => Some(1),
        "INIT_ACK" => Some(2),
        _ => None,
    }
}

/// The live tag and initial TSN if the first chunk has the type `kind`.
fn tag_and_tsn(body: &[u8], kind: u8) -> Option<(u32, u32)> {
    let chunk = body.get(..INIT).filter(|chunk| chunk[0] == kind)?;
    let at = |place: usize| {
        chunk.get(place..place + 4).and_then(|four| Some(u32::from_be_bytes(four.try_into().ok()?)))
    };
    Some((at(NODE_HEADER)?, at(INIT - 4)?))
}

/// A number of the script; zero for `...`, as in packetdrill.
fn script_number(chunk: &Node, field: &str) -> u32 {
    chunk
        .field(field)
        .and_then(|value| number(value, &[]))
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::form::Numbering;
    use crate::packet::numbers::Sender;
    use crate::packet::testing::{packet, sent};

    const TEMPLATE: &str = "INIT_ACK[flgs=0, tag=5, a_rwnd=..., os=..., is=..., tsn=10, ...]";
    const LIVE: &str =
        "INIT_ACK[flgs=0, tag=1000, a_rwnd=9, os=1, is=1, tsn=2000, STATE_COOKIE[len=6, val=[1, 2]]]";

    #[test]
    fn an_init_ack_tells_our_numbers_and_the_cookie() {
        let mut numbers = Numbers::default();
        numbers.learn_sent(&packet(TEMPLATE), &sent(7, LIVE));
        assert_eq!(numbers.live_tag(), 1000);
        assert_eq!(numbers.to_script(Numbering::SenderTsn, Sender::Us, 2003), 13);
        assert_eq!(numbers.cookie.as_deref(), Some([1, 2].as_slice()));
        let restarted = LIVE.replace("tag=1000", "tag=1001").replace("tsn=2000", "tsn=3000");
        numbers.learn_sent(&packet(TEMPLATE), &sent(7, &restarted));
        assert_eq!(numbers.live_tag(), 1001);
    }

    #[test]
    fn the_answer_to_a_duplicate_init_keeps_our_numbers() {
        let any = packet("INIT_ACK[flgs=0, tag=..., a_rwnd=..., os=..., is=..., tsn=..., ...]");
        let mut numbers = Numbers::default();
        numbers.learn_sent(&any, &sent(7, LIVE));
        assert_eq!(
            numbers.live_tag(),
            1000,
            "the first association has numbers even if the script names none"
        );
        numbers.learn_sent(&packet(TEMPLATE), &sent(7, LIVE));
        let duplicate = LIVE.replace("tag=1000", "tag=1001").replace("val=[1, 2]", "val=[3, 4]");
        numbers.learn_sent(&any, &sent(7, &duplicate));
        assert_eq!(numbers.live_tag(), 1000);
        assert_eq!(numbers.cookie.as_deref(), Some([3, 4].as_slice()));
        let next = packet("INIT_ACK[flgs=0, tag=..., a_rwnd=..., os=..., is=..., tsn=1, ...]");
        numbers.learn_sent(&next, &sent(7, &duplicate));
        assert_eq!(numbers.live_tag(), 1001, "a template with a TSN begins another association");
    }

    #[test]
    fn another_chunk_than_the_expected_init_ack_tells_nothing() {
        let mut numbers = Numbers::default();
        numbers.learn_sent(&packet(TEMPLATE), &sent(7, "ABORT[flgs=0]"));
        numbers.learn_sent(&packet(TEMPLATE), &[0; 20]);
        numbers.learn_sent(&packet(TEMPLATE), &[]);
        assert_eq!(numbers.live_tag(), 0);
    }

    #[test]
    fn the_heartbeat_information_that_left_last_is_remembered() {
        let mut numbers = Numbers::default();
        let heartbeat = "HEARTBEAT[flgs=0, HEARTBEAT_INFORMATION[len=7, val=[1, 2, 3]]]";
        numbers.learn_sent(&packet("HEARTBEAT[flgs=0, ...]"), &sent(7, heartbeat));
        assert_eq!(numbers.heartbeat.as_deref(), Some([1, 2, 3].as_slice()));
    }

    #[test]
    fn tags_of_the_peer_come_from_its_init() {
        let mut numbers = Numbers::default();
        numbers.learn_injected(&packet("INIT[flgs=0, tag=7, a_rwnd=1500, os=1, is=1, tsn=1]"));
        numbers.learn_injected(&packet("COOKIE_ACK[flgs=0]"));
        numbers.learn_injected(&packet("INIT_ACK[flgs=0, tag=8, a_rwnd=1500, os=1, is=1, tsn=1]"));
        assert_eq!(numbers.peer_tags(), [7, 8]);
        let init = [1, 0, 0, 20, 0, 0, 0, 9, 0, 0, 5, 0xdc, 0, 1, 0, 1, 0, 0, 0, 1];
        let content = Content::Bytes(init.to_vec());
        numbers.learn_injected(&SctpPacket { content, ..packet("COOKIE_ACK[flgs=0]") });
        assert_eq!(numbers.peer_tags(), [7, 8, 9]);
    }
}
