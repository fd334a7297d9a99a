//! One play from its first packet to its last: the acts in their order, then peace, then what must hold.

use anabranch_base::Duration;
use anabranch_sctp::seq::Tsn;

use super::cast::Cast;
use super::liar::Liar;
use super::lies::Voice;
use super::plan::{Act, Powers, Scene};
use super::shot::Shot;
use super::tally::{Column, Tally};
use super::verdict::Fault;
use super::{Lie, Past};
use crate::pair::{End, Faults, Reading, chunk_names};
use crate::walk::Dice;

/// Takes the acts one after another, lets everything be delivered, and says what was seen.
pub(crate) fn play(
    scene: &Scene,
    acts: &[Act],
    read: fn() -> Reading,
    tally: &mut Tally,
) -> Result<(), Fault> {
    let mut cast = Cast::new(scene, read);
    cast.tally.count(Column::Powers, cast.scene.powers.to_string());
    let result = play_with(&mut cast, acts);
    tally.add(&cast.tally);
    result
}

fn play_with(cast: &mut Cast, acts: &[Act]) -> Result<(), Fault> {
    cast.open()?;
    for act in acts {
        cast.act(*act)?;
    }
    cast.part()?;
    if cast.scene.powers.sees {
        // All is over. An attacker that saw packets repeats them once more.
        for draw in 0..3 {
            cast.act(Act::Repeat(Past::AllOfEarlier, draw))?;
            cast.act(Act::Repeat(Past::Handshake, draw))?;
            cast.pass(Duration::from_secs(1))?;
        }
    }
    Ok(())
}

impl Cast {
    fn act(&mut self, act: Act) -> Result<(), Fault> {
        match act {
            Act::Send { end, stream, unordered, length, count } => {
                self.send(end, (stream, unordered), length, count)
            }
            Act::Read(end) => self.read(end),
            Act::Pass { milliseconds } => self.pass(Duration::from_millis(milliseconds)),
            Act::Fortune { loss, duplication, jitter_ms } => {
                let jitter = Duration::from_millis(jitter_ms);
                self.pair.faults = Faults { loss, duplication, corruption: 0, marking: 0, jitter };
                Ok(())
            }
            Act::Leave(end, pipe) => self.leave(end, pipe),
            Act::Return(end, pipe) => self.come_back(end, pipe),
            Act::Close(end) => self.close(end),
            Act::CallOff(end) => self.call_off(end),
            Act::Crash => self.crash(),
            Act::Renew => {
                self.part()?;
                self.open()
            }
            Act::Serve { liar, length, count } => {
                self.shake_hands(liar, length as u64)?;
                self.liars[liar].id.map_or(Ok(()), |id| self.serve(id, length, count))
            }
            Act::Guess(guess, draw) => {
                self.tally.count(Column::Move, format!("guess {guess:?}"));
                let shots = guess.shots(&mut self.pair, &mut Dice::of(draw));
                self.shoot(shots)
            }
            Act::Repeat(past, draw) => {
                self.tally.count(Column::Move, format!("repeat {past:?}"));
                let shots = past.shots(&self.pair, &self.witness, &mut Dice::of(draw));
                self.shoot(shots)
            }
            Act::Lie { liar, lie, times, draw } => self.lie(liar, lie, times, draw),
            Act::Forge { to, lie, draw } => self.forge(to, lie, draw),
        }
    }

    /// A liar opens an association with Z, if it has none.
    fn shake_hands(&mut self, liar: usize, draw: u64) -> Result<(), Fault> {
        if self.liars[liar].id.is_some() || self.liars[liar].openings >= MOST_OPENINGS {
            return Ok(());
        }
        let mut dice = Dice::of(draw ^ liar as u64);
        let init = self.liars[liar].init(&self.pair, dice.roll());
        self.arrive(init);
        if let Some(echo) = self.liars[liar].echo(&self.pair) {
            self.arrive(echo);
        }
        self.watch()
    }

    fn lie(&mut self, liar: usize, lie: Lie, times: u8, draw: u64) -> Result<(), Fault> {
        self.shake_hands(liar, draw)?;
        let mut dice = Dice::of(draw);
        if lie == Lie::Flip && dice.is_one_in(4) {
            self.make_busy(liar, &mut dice)?;
        }
        for _ in 0..times {
            let Some(id) = self.liars[liar].id else { break };
            let Some(voice) = self.voice(End::Z, id) else { break };
            self.tally.count(Column::Move, format!("lie {lie:?}"));
            let bytes = lie.packet(&voice, &mut dice);
            let mut shot = self.liars[liar].shot(&self.pair, bytes);
            if dice.is_one_in(16) {
                shot.remote.set_port(shot.remote.port() ^ dice.below(64) as u16);
            }
            self.shoot(vec![shot])?;
        }
        Ok(())
    }

    /// Z sends a liar as much as it may, faster and faster, because the liar acknowledges everything; then much is in
    /// flight.
    fn make_busy(&mut self, liar: usize, dice: &mut Dice) -> Result<(), Fault> {
        for round in 0..12 {
            let Some(id) = self.liars[liar].id else { break };
            self.serve(id, 10, 3_000)?;
            let Some(voice) = self.voice(End::Z, id).filter(|_| round < 11) else { break };
            let bytes = Lie::AckAll.packet(&voice, dice);
            let shot = self.liars[liar].shot(&self.pair, bytes);
            self.shoot(vec![shot])?;
            self.pass(Duration::from_millis(20))?;
        }
        Ok(())
    }

    fn forge(&mut self, to: End, lie: Lie, draw: u64) -> Result<(), Fault> {
        let Some(voice) = self.living(to).and_then(|id| self.voice(to, id)) else { return Ok(()) };
        self.tally.count(Column::Move, format!("forge {lie:?}"));
        let mut dice = Dice::of(draw);
        let pipe = dice.below(self.pair.pipes.len() as u64) as usize;
        let bytes = lie.packet(&voice, &mut dice);
        let shot = Shot::between(&self.pair, to, pipe, bytes);
        self.shoot(vec![shot])
    }

    /// The numbers of an end's association; none before it is open.
    fn voice(&self, end: End, id: anabranch_sctp::endpoint::AssociationId) -> Option<Voice> {
        let association = self.pair.end(end).endpoint.association(id)?;
        let (arrived, acked) = association.ack_points().unwrap_or((Tsn::new(0), Tsn::new(0)));
        let highest = self.witness.highest(end, id).unwrap_or(acked).later(acked);
        Some(Voice {
            header: Liar::header(association.tags().0),
            arrived,
            acked,
            highest,
            interleaves: self.scene.interleaving,
        })
    }

    /// The attacker's packets arrive one after another.
    fn shoot(&mut self, shots: Vec<Shot>) -> Result<(), Fault> {
        for shot in shots {
            self.tally_shot(&shot);
            let to = shot.to;
            let left = self.pair.log.len();
            self.arrive(shot);
            let is_answered = self.pair.log[left..].iter().any(|line| line.from == to);
            self.tally.count(Column::Packet, if is_answered { "answered" } else { "not answered" });
            self.watch()?;
        }
        Ok(())
    }

    fn arrive(&mut self, shot: Shot) {
        self.pair.inject_between(shot.to, shot.local, shot.remote, shot.bytes);
    }

    fn tally_shot(&mut self, shot: &Shot) {
        for name in chunk_names(&shot.bytes).split(" + ") {
            let is_chunk = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
            self.tally.count(Column::Chunk, if is_chunk { name } else { "malformed" });
        }
        let side = self.pair.end(shot.to);
        let ids = self.living(shot.to).into_iter().chain(self.liars.iter().filter_map(|liar| liar.id));
        let mut tags = ids.filter_map(|id| side.endpoint.association(id)).map(|one| one.tags().0.get());
        let tag = shot.bytes.get(4..8).map(|tag| u32::from_be_bytes([tag[0], tag[1], tag[2], tag[3]]));
        let is_right = tags.any(|own| Some(own) == tag);
        self.tally.count(Column::Packet, if is_right { "with a tag in use" } else { "with another tag" });
        let state = self.living(shot.to).and_then(|id| self.pair.end(shot.to).endpoint.association(id));
        let state = state.map_or("none".to_owned(), |association| format!("{:?}", association.state()));
        self.tally.count(Column::State, state);
    }
}

impl std::fmt::Display for Powers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Powers { sees, forges, lies } = *self;
        let words = [("guesses", true), ("sees", sees), ("forges", forges), ("lies", lies)];
        let has: Vec<&str> = words.iter().filter(|(_, has)| *has).map(|(word, _)| *word).collect();
        f.write_str(&has.join(", "))
    }
}

/// The largest number of a liar's handshakes, so that others get associations, too.
const MOST_OPENINGS: u32 = 6;
