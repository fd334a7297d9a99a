//! Passes each chunk of a packet to the part that handles it.

use anabranch_base::Time;

use super::{Session, ShutdownState};
use crate::association::datagram::Verified;
use crate::association::dispatch::ChunkOutcome;
use crate::association::ground::Ground;
use crate::association::peer_addresses::IllegalAck;
use crate::association::receiver::{BadData, PacketData};
use crate::event::CloseReason;
use crate::policy::PathId;
use crate::record::Happening;
use crate::send::BadSack;
use crate::seq::Tsn;
use crate::wire::{Cause, Chunk, EncodeChunk, Test, UnrecognizedAction, UserData};

impl Session {
    /// Begins a packet that arrived, before its chunks are read.
    #[inline]
    pub(crate) fn begin_packet(&mut self, now: Time, arrived: &Verified<'_>) -> PacketData {
        self.begin_event();
        if arrived.ecn.is_marked() {
            self.ground.log.record(now, arrived.path, Happening::Marked);
        }
        self.reading()
    }

    /// The initial state for a packet.
    #[inline]
    pub(crate) fn reading(&self) -> PacketData {
        self.receiver.begin_packet(&self.ground)
    }

    /// Handles a chunk that every open or closing association accepts. `stage` is the stage of the shutdown.
    #[inline]
    pub(crate) fn handle_chunk(
        &mut self,
        now: Time,
        arrived: &Verified<'_>,
        chunk: &Chunk<'_>,
        stage: Option<ShutdownState>,
        data: &mut Option<PacketData>,
    ) -> ChunkOutcome {
        match user_data(chunk, self.ground.agreement.features.interleaving) {
            Some(user_data) => self.on_user_data(arrived, &user_data, stage, data),
            None => self.handle_other_chunk(now, arrived, chunk, stage, data),
        }
    }

    /// Handles a chunk that is not user data of the agreed kind.
    fn handle_other_chunk(
        &mut self,
        now: Time,
        arrived: &Verified<'_>,
        chunk: &Chunk<'_>,
        stage: Option<ShutdownState>,
        data: &mut Option<PacketData>,
    ) -> ChunkOutcome {
        let ground = &mut self.ground;
        let path = arrived.path;
        match chunk {
            // RFC 8260 §2.2.1: after the negotiation, every user message is I-DATA.
            Chunk::Data(_) => return ChunkOutcome::Violation("it sent DATA in place of I-DATA".to_owned()),
            Chunk::ForwardTsn(forward) if ground.agreement.features.skips_ssns() => {
                if let Some(packet) = taking(stage, data)
                    && let Err(error) = self.receiver.on_forward_tsn(ground, forward, packet)
                {
                    return ChunkOutcome::Violation(error.to_string());
                }
            }
            Chunk::IForwardTsn(forward) if ground.agreement.features.i_forward_tsn => {
                if let Some(packet) = taking(stage, data)
                    && let Err(error) = self.receiver.on_i_forward_tsn(ground, forward, packet)
                {
                    return ChunkOutcome::Violation(error.to_string());
                }
            }
            Chunk::Sack(sack) => {
                if let Err(bad) = self.sender.on_sack(ground, now, path, sack)
                    && !self.sender.is_from_before(sack.cumulative_tsn_ack)
                {
                    return ChunkOutcome::Violation(bad.to_string());
                }
            }
            Chunk::NrSack(nr_sack) if ground.agreement.features.nr_sack => {
                if let Err(bad) = self.sender.on_nr_sack(ground, now, path, nr_sack) {
                    return ChunkOutcome::Violation(bad.to_string());
                }
            }
            // The two high bits of an unknown type of 16 are 00 (RFC 9260 §3.2).
            Chunk::NrSack(_) => return ChunkOutcome::Discard,
            Chunk::EcnEcho(echo) => self.sender.on_ecn_echo(ground, path, echo.lowest_tsn()),
            Chunk::CongestionWindowReduced(cwr) => self.receiver.on_cwr(ground, path, *cwr),
            Chunk::Heartbeat(heartbeat) => {
                ground.on_heartbeat(path, heartbeat);
                self.peer.probe_back(ground, path, now);
            }
            Chunk::HeartbeatAck(ack) => self.on_heartbeat_ack(now, path, ack),
            Chunk::Asconf(asconf) if stage != Some(ShutdownState::AckSent) => {
                self.on_asconf(now, path, asconf, arrived.taken);
            }
            Chunk::AsconfAck(ack) => {
                if let Err(IllegalAck) = self.on_asconf_ack(now, ack) {
                    let what = "it answered an ASCONF that was never sent".to_owned();
                    let reason = CloseReason::ProtocolViolation { what };
                    return ChunkOutcome::Abort(Cause::IllegalAsconfAck, reason);
                }
            }
            Chunk::ReConfig(chunk)
                if ground.agreement.features.reconfiguration && stage != Some(ShutdownState::AckSent) =>
            {
                if let Err(bad) = self.on_re_config(now, path, chunk, stage.is_some()) {
                    return ChunkOutcome::Violation(bad.to_string());
                }
            }
            Chunk::Test(test) => self.on_test(now, arrived, *test),
            Chunk::Error(error) => self.peer.on_error_report(ground, now, &error.causes),
            Chunk::ForwardTsn(_) | Chunk::IData(_) | Chunk::IForwardTsn(_) | Chunk::Unknown(_) => {
                return self.on_unknown(path, chunk);
            }
            _ => {}
        }
        ChunkOutcome::Continue
    }

    /// Handles DATA or I-DATA.
    #[inline]
    fn on_user_data(
        &mut self,
        arrived: &Verified<'_>,
        chunk: &UserData<'_>,
        stage: Option<ShutdownState>,
        data: &mut Option<PacketData>,
    ) -> ChunkOutcome {
        let Some(packet) = taking(stage, data) else { return ChunkOutcome::Continue };
        match self.receiver.on_data(&mut self.ground, arrived, chunk, packet) {
            Ok(()) => ChunkOutcome::Continue,
            Err(error) => ChunkOutcome::Violation(error.to_string()),
        }
    }

    /// Handles a chunk of a type that this association does not use (RFC 9260 §3.2).
    fn on_unknown(&mut self, path: PathId, chunk: &Chunk<'_>) -> ChunkOutcome {
        let action = UnrecognizedAction::of_chunk(chunk.kind());
        if action.is_report() {
            let mut bytes = Vec::new();
            chunk.encode(&mut bytes);
            self.ground.report(path, vec![Cause::UnrecognizedChunkType(bytes)]);
        }
        if action.is_stop() { ChunkOutcome::Discard } else { ChunkOutcome::Continue }
    }

    /// Keeps a test packet if somebody reads them; otherwise the chunk is skipped like an unknown one of its type.
    fn on_test(&mut self, now: Time, arrived: &Verified<'_>, test: Test<'_>) {
        let Ground { settings, paths, .. } = &self.ground;
        let Some(tests) = self.tests.as_mut().filter(|_| settings.config.test_packets) else { return };
        let overhead = settings.config.overhead(paths.addresses(arrived.path).ip_version());
        tests.on_test(now, arrived, test, overhead);
    }

    /// Ends a packet after its chunks were read: answers its reports of marks, and decides when its data is
    /// acknowledged.
    #[inline]
    pub(crate) fn end_packet(
        &mut self,
        arrived: &Verified<'_>,
        data: &PacketData,
        now: Time,
    ) -> Result<(), BadData> {
        self.sender.answer_reports(&mut self.ground, now);
        self.receiver.end_packet(&mut self.ground, arrived, data, now)?;
        if self.reconfiguration.is_some() {
            self.finish_deferred_reset()?;
        }
        if data.is_after_shutdown() {
            // RFC 9260 §9.2: "MUST immediately respond to each received packet containing one or more DATA
            // chunks with a SHUTDOWN chunk and restart the T2-shutdown timer".
            self.receiver.acknowledge_by_shutdown(&mut self.ground);
            self.send_shutdown(now);
        }
        Ok(())
    }

    /// Handles the acknowledgement in a SHUTDOWN that arrived on path `by`.
    pub(crate) fn on_cumulative_ack(
        &mut self,
        now: Time,
        by: PathId,
        cumulative: Tsn,
    ) -> Result<(), BadSack> {
        self.sender.on_cumulative_ack(&mut self.ground, now, by, cumulative)
    }
}

/// The content of DATA, or of I-DATA if both ends agreed to send that in its place.
#[inline]
fn user_data<'a>(chunk: &Chunk<'a>, interleaves: bool) -> Option<UserData<'a>> {
    match chunk {
        Chunk::Data(data) if !interleaves => Some(UserData::from(*data)),
        Chunk::IData(data) if interleaves => Some(UserData::from(*data)),
        _ => None,
    }
}

/// The packet's effect, if this stage of the shutdown takes user data; after our SHUTDOWN it is answered by another.
#[inline]
fn taking(stage: Option<ShutdownState>, data: &mut Option<PacketData>) -> Option<&mut PacketData> {
    let packet = data.as_mut().filter(|_| stage.is_none_or(ShutdownState::takes_data))?;
    if stage == Some(ShutdownState::Sent) {
        packet.answer_by_shutdown();
    }
    Some(packet)
}
