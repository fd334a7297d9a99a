//! The receiving half of an association, in parts: the TSNs that have arrived ([`Arrivals`]), the reassembly of
//! fragments ([`Assembly`]), the delivery order of messages ([`Delivery`]), the size of the buffer
//! ([`ReceiveBuffer`]), and the growth of the buffer ([`Tuning`]). For each chunk the association calls them in this
//! order; no part calls another.

mod arrivals;
mod assembly;
mod budget;
mod buffer;
mod bundle;
mod compact;
mod deferred;
mod delivery;
mod interleaved;
mod load;
mod message;
mod ready;
mod reassembly;
mod tuning;
mod unreadable;

pub(crate) use arrivals::{Arrivals, TsnArrival};
pub(crate) use assembly::Assembly;
pub(crate) use budget::{Allowance, Budget};
pub(crate) use buffer::{Level, ReceiveBuffer};
pub(crate) use bundle::Bundle;
pub(crate) use compact::compact;
pub(crate) use deferred::Deferred;
pub(crate) use delivery::{Delivery, DeliveryError, Numbering};
pub(crate) use interleaved::Search;
pub(crate) use load::MemoryLoad;
pub use message::{Message, Part};
pub(crate) use ready::ReadyMessages;
pub(crate) use reassembly::{Fragment, Inserted, ReassemblyError};
pub(crate) use tuning::{DataArrival, Tuning};
pub(crate) use unreadable::Unreadable;

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;
    use bytes::Bytes;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::reassembly::Reassembly;
    use super::*;
    use crate::seq::{Fsn, Mid, Tsn};
    use crate::wire::{Ppid, StreamId};

    const STREAMS: u16 = 3;

    /// A message to send: its stream, whether it is ordered, and the lengths of its fragments.
    #[derive(Clone, Debug)]
    struct Sent {
        stream: u16,
        unordered: bool,
        lengths: Vec<usize>,
    }

    fn any_message() -> impl Strategy<Value = Sent> {
        let lengths = prop::collection::vec(1usize..20, 1..12);
        (0..STREAMS, prop::bool::weighted(0.2), lengths).prop_map(|(stream, unordered, lengths)| Sent {
            stream,
            unordered,
            lengths,
        })
    }

    /// The DATA chunks of `messages`; the PPID identifies the message, each byte the fragment.
    fn fragments_of(messages: &[Sent], initial: Tsn) -> Vec<Fragment> {
        let mut next_mid = [Mid::new(0); STREAMS as usize];
        let mut fragments = Vec::new();
        let mut tsn = initial;
        for (number, message) in messages.iter().enumerate() {
            let mid = next_mid[usize::from(message.stream)];
            if !message.unordered {
                next_mid[usize::from(message.stream)] = mid.next();
            }
            for (position, &length) in message.lengths.iter().enumerate() {
                fragments.push(Fragment {
                    tsn,
                    stream: StreamId::new(message.stream),
                    mid,
                    fsn: Fsn::new(position as u32),
                    ppid: Ppid::new(number as u32),
                    unordered: message.unordered,
                    beginning: position == 0,
                    ending: position + 1 == message.lengths.len(),
                    payload: Bytes::from(vec![position as u8; length]),
                    charge: ByteCount::of_len(length),
                });
                tsn = tsn.next();
            }
        }
        fragments
    }

    fn payload_of(message: &Sent) -> Vec<u8> {
        let fragments = message.lengths.iter().enumerate();
        fragments.flat_map(|(position, &length)| vec![position as u8; length]).collect()
    }

    proptest! {
        #[test]
        fn messages_come_out_once_and_whole_and_in_the_order_of_their_stream(
            initial in prop_oneof![any::<u32>(), (u32::MAX - 50)..=u32::MAX],
            messages in prop::collection::vec(any_message(), 1..20),
            shuffle in prop::collection::vec(any::<Index>(), 250),
            again in prop::collection::vec(any::<Index>(), 0..20),
        ) {
            let initial = Tsn::new(initial);
            let fragments = fragments_of(&messages, initial);
            let mut order: Vec<usize> = (0..fragments.len()).collect();
            (0..order.len()).for_each(|at| order.swap(at, shuffle[at % shuffle.len()].index(fragments.len())));
            for repeated in again {
                order.insert(repeated.index(order.len()), repeated.index(fragments.len()));
            }

            let mut arrivals = Arrivals::new(initial);
            let mut reassembly = Reassembly::new();
            let mut delivery = Delivery::new(STREAMS, Numbering::Ssn);
            let mut buffer = ReceiveBuffer::new(ByteCount::from_kib(64));
            let mut received = Vec::new();
            for index in order {
                let fragment = fragments[index].clone();
                if arrivals.on_tsn(fragment.tsn) == TsnArrival::Duplicate {
                    continue;
                }
                buffer.on_held(fragment.load());
                let span = arrivals.highest().distance_from(arrivals.cumulative());
                let mid = fragment.mid;
                if let Inserted::Whole(message) = reassembly.insert(fragment).expect("sound") {
                    delivery.push(message, mid, span).expect("a stream and an SSN of its own");
                }
                prop_assert_eq!(reassembly.on_cumulative(arrivals.cumulative()), Ok(()));
                let parts = reassembly.held() + delivery.waiting() + delivery.ready();
                prop_assert_eq!(parts.charge, buffer.held());
                while let Some(message) = delivery.take() {
                    buffer.on_released(message.load().charge);
                    received.push(message);
                }
            }

            prop_assert!(!arrivals.has_gap());
            prop_assert_eq!(buffer.held(), ByteCount::ZERO);
            prop_assert_eq!(reassembly.held() + delivery.waiting() + delivery.ready(), MemoryLoad::NONE);
            prop_assert_eq!(received.len(), messages.len());
            for message in &received {
                let sent = &messages[message.ppid.get() as usize];
                prop_assert_eq!(message.stream.get(), sent.stream);
                prop_assert_eq!(message.unordered, sent.unordered);
                prop_assert_eq!(message.to_vec(), payload_of(sent));
            }
            let mut numbers: Vec<u32> = received.iter().map(|message| message.ppid.get()).collect();
            for stream in 0..STREAMS {
                let ordered = received.iter().filter(|message| message.stream.get() == stream && !message.unordered);
                prop_assert!(ordered.map(|message| message.ppid.get()).is_sorted());
            }
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), messages.len());
        }

        /// A peer that sends arbitrary data gets errors, and all data that is kept is counted.
        #[test]
        fn hostile_fragments_are_refused_or_accounted_for(
            fragments in prop::collection::vec(
                (
                    0u32..30, 0u16..4, 0u16..4, any::<(bool, bool)>(), prop::bool::weighted(0.1),
                    prop::bool::weighted(0.1),
                ),
                0..80,
            ),
        ) {
            let mut arrivals = Arrivals::new(Tsn::new(0));
            let mut reassembly = Reassembly::new();
            let mut delivery = Delivery::new(STREAMS, Numbering::Ssn);
            let mut held = ByteCount::ZERO;
            for (tsn, stream, ssn, (beginning, ending), unordered, is_skip) in fragments {
                let tsn = Tsn::new(tsn);
                if is_skip {
                    if arrivals.skip_to(tsn) {
                        held -= reassembly.skip_to(tsn);
                        delivery.skip_to(StreamId::new(stream), Mid::new(ssn.into()));
                    }
                    continue;
                }
                if arrivals.classify(tsn) != TsnArrival::New {
                    continue;
                }
                let charge = ByteCount::new(1);
                let fragment = Fragment {
                    tsn,
                    stream: StreamId::new(stream),
                    mid: Mid::new(ssn.into()),
                    fsn: Fsn::default(),
                    ppid: Ppid::new(0),
                    unordered,
                    beginning,
                    ending,
                    payload: Bytes::from_static(b"x"),
                    charge,
                };
                let Ok(inserted) = reassembly.insert(fragment) else { continue };
                arrivals.on_tsn(tsn);
                held += charge;
                let span = arrivals.highest().distance_from(arrivals.cumulative());
                match inserted {
                    Inserted::Whole(message) => {
                        let charge = message.load().charge;
                        if delivery.push(message, Mid::new(ssn.into()), span).is_err() {
                            held -= charge;
                        }
                    }
                    Inserted::Dropped(charge) => held -= charge,
                    Inserted::Held => {}
                }
                let parts = reassembly.held() + delivery.waiting() + delivery.ready();
                prop_assert_eq!(parts.charge, held);
                prop_assert!(parts.memory >= held && parts.memory <= MemoryLoad::of_chunk(charge, 1).memory * held.get() * 2);
            }
        }
    }

    #[test]
    fn a_message_of_many_fragments_arrives_backwards() {
        let message = Sent { stream: 0, unordered: false, lengths: vec![9; 2000] };
        let fragments = fragments_of(std::slice::from_ref(&message), Tsn::new(u32::MAX - 1000));
        let mut reassembly = Reassembly::new();
        let inserted: Vec<Inserted> =
            fragments.into_iter().rev().map(|fragment| reassembly.insert(fragment).expect("sound")).collect();
        let Some(Inserted::Whole(whole)) = inserted.last() else { panic!("it is not complete") };
        assert_eq!(whole.to_vec(), payload_of(&message));
    }
}
