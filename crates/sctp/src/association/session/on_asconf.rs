//! Handles the peer's ASCONF (RFC 5061 §5.2, §5.3), which adds and deletes addresses, and its answers to ours.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Time;

use super::Session;
use super::paths::partner;
use crate::association::init::{acceptable, announced_socket};
use crate::association::peer_addresses::{AsconfAction, IllegalAck};
use crate::path::PathAddresses;
use crate::policy::PathId;
use crate::wire::{Asconf, AsconfAck, Cause, EncodeChunk, Parameter};

/// The reason for refusing a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AsconfRefusal {
    /// It would leave the peer without an address (F7).
    LastAddress,
    /// It would delete the packet's source address (F8).
    SourceAddress,
    /// There are too many paths (F9).
    NoRoom,
    /// The address is unusable, belongs to another host, or is a multicast address.
    NotAllowed,
}

impl Session {
    /// Handles an authenticated ASCONF that arrived on `path`. `taken` are the addresses that other associations of
    /// this end use.
    pub(super) fn on_asconf(&mut self, now: Time, path: PathId, asconf: &Asconf, taken: &[IpAddr]) {
        let answer = match self.peer.action_for(asconf.serial) {
            None => return self.ground.report_unknown(path, asconf),
            Some(AsconfAction::Stale) => return,
            Some(AsconfAction::Repeat(answer)) => answer,
            Some(AsconfAction::Next) => {
                let answer = self.answer_asconf(path, asconf, taken);
                self.peer.on_answered(answer.clone());
                answer
            }
        };
        self.ground.outbox.withdraw(AsconfAck::KIND);
        // "The destination address [...] MUST be the source address of the SCTP packet that held the ASCONF" (E6).
        self.ground.outbox.push(path, true, answer);
        self.peer.verify_paths(&mut self.ground, now);
    }

    /// Handles an ASCONF-ACK.
    pub(crate) fn on_asconf_ack(&mut self, now: Time, ack: &AsconfAck) -> Result<(), IllegalAck> {
        let Some(refused) = self.peer.on_asconf_ack(&mut self.ground, ack)? else { return Ok(()) };
        refused.into_iter().for_each(|address| self.release_local(address));
        self.peer.verify_paths(&mut self.ground, now);
        self.peer.request_changes(&mut self.ground, now);
        Ok(())
    }

    /// Handles the requests in their order (V1). The answer reports those that are refused.
    fn answer_asconf(&mut self, path: PathId, asconf: &Asconf, taken: &[IpAddr]) -> AsconfAck {
        let source = self.ground.paths.addresses(path).remote;
        let mut responses = Vec::new();
        let mut is_short = false;
        for request in asconf.requests() {
            let (id, result) = match *request {
                // "once a receiver begins failing any ADD or DELETE request, it must fail all subsequent" (F11).
                Parameter::AddAddress { id, .. } | Parameter::DeleteAddress { id, .. } if is_short => {
                    (id, Err(AsconfRefusal::NoRoom))
                }
                Parameter::AddAddress { id, address } => (id, self.add_remote(address, source, taken)),
                Parameter::DeleteAddress { id, address } => (id, self.delete_remote(address, source)),
                Parameter::SetPrimaryAddress { id, address } => (id, self.prefer_remote(address, source)),
                Parameter::Unknown { ref value, .. } => {
                    let action = request.action();
                    if action.is_report() {
                        let id = value.first_chunk().map_or(0, |id| u32::from_be_bytes(*id));
                        let causes = vec![Cause::UnrecognizedParameters(request.to_bytes())];
                        responses.push(Parameter::ErrorCauseIndication { id, causes });
                    }
                    if action.is_stop() {
                        break;
                    }
                    continue;
                }
                // Parameters that belong to other chunks: "the parameter MUST be ignored" (§4.2).
                _ => continue,
            };
            if let Err(refusal) = result {
                is_short |= refusal == AsconfRefusal::NoRoom;
                responses.push(Parameter::ErrorCauseIndication { id, causes: vec![refusal.cause(request)] });
            }
        }
        let mut answer = AsconfAck { serial: asconf.serial, responses: Vec::new() };
        // Requests without a response after a refused one have failed too (A7), so the last responses may be left out
        // of a full packet.
        let room = self.ground.paths.sample(path).packet_limit.as_len().saturating_sub(OVERHEAD);
        let mut left = room.saturating_sub(answer.encoded_len());
        answer.responses.extend(responses.into_iter().map_while(|response| {
            left = left.checked_sub(response.to_bytes().len().next_multiple_of(4))?;
            Some(response)
        }));
        answer
    }

    fn add_remote(
        &mut self,
        wanted: IpAddr,
        source: SocketAddr,
        taken: &[IpAddr],
    ) -> Result<(), AsconfRefusal> {
        let ip = if wanted.is_unspecified() { source.ip() } else { wanted };
        if acceptable(&[ip], source.ip()).next().is_none() || taken.contains(&ip) {
            return Err(AsconfRefusal::NotAllowed);
        }
        if self.ground.paths.living().any(|id| self.ground.paths.addresses(id).remote.ip() == ip) {
            return Ok(());
        }
        let remote = announced_socket(source, ip);
        let local = partner(remote, &self.ground.paths.locals()).ok_or(AsconfRefusal::NotAllowed)?;
        self.ground.paths.gain_remote(ip);
        self.open_path(PathAddresses { local, remote }).map(|_| ()).ok_or(AsconfRefusal::NoRoom)
    }

    /// Handles a Delete request. The unspecified address means all addresses except the source: "all addresses of the
    /// peer except the source address of the packet MUST be deleted" (§4.2.2).
    fn delete_remote(&mut self, unwanted: IpAddr, source: SocketAddr) -> Result<(), AsconfRefusal> {
        if unwanted.is_unspecified() {
            self.lose_remotes(|ip| ip != source.ip());
            return Ok(());
        }
        let there: Vec<IpAddr> =
            self.ground.paths.living().map(|id| self.ground.paths.addresses(id).remote.ip()).collect();
        match (there.contains(&unwanted), there.iter().any(|ip| *ip != unwanted)) {
            (false, _) => Ok(()),
            (true, false) => Err(AsconfRefusal::LastAddress),
            (true, true) if unwanted == source.ip() => Err(AsconfRefusal::SourceAddress),
            (true, true) => {
                self.lose_remotes(|ip| ip == unwanted);
                Ok(())
            }
        }
    }

    /// Handles a Set Primary request: "It is considered advice to the receiver of the best-destination address" (§5.4).
    fn prefer_remote(&mut self, wanted: IpAddr, source: SocketAddr) -> Result<(), AsconfRefusal> {
        let ip = if wanted.is_unspecified() { source.ip() } else { wanted };
        let there = self.ground.paths.living().find(|&id| self.ground.paths.addresses(id).remote.ip() == ip);
        let path = there.ok_or(AsconfRefusal::NotAllowed)?;
        self.ground.paths.set_primary(path);
        Ok(())
    }
}

impl AsconfRefusal {
    fn cause(self, request: &Parameter) -> Cause {
        let request = request.to_bytes();
        match self {
            AsconfRefusal::LastAddress => Cause::DeleteLastAddress(request),
            AsconfRefusal::SourceAddress => Cause::DeleteSourceAddress(request),
            AsconfRefusal::NoRoom => Cause::ResourceShortage(request),
            AsconfRefusal::NotAllowed => Cause::NoAuthorization(request),
        }
    }
}

/// The length of the common header and of the longest AUTH chunk.
const OVERHEAD: usize = 12 + 40;
