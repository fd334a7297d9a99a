//! Tests of the encoding of frames, with frames that are cut short or that have impossible values.

use anabranch_base::{ByteCount, Time};
use anabranch_diagnose::recording::End;
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::super::arrivals::Arrival;
use super::super::done::LaneSent;
use super::super::program::Stage;
use super::*;

/// The most bytes of a frame.
const MAX_FRAME: usize = 64 * 1024;

fn run() -> Frame {
    let stage = Stage { packets: 50, burst: 1, gap_ns: 20_000_000 };
    let program = Program { lane: 0, after_us: 0, sizes: vec![100], stages: vec![stage] };
    Frame::Run { segment: 258, programs: vec![program] }
}

fn samples() -> Vec<Frame> {
    let arrivals = vec![Arrival { number: 1, at: Time::from_nanos(5_000) }];
    let sent = vec![LaneSent { lane: 0, packets: 3, unsent: 1 }];
    vec![
        Frame::Hello,
        Frame::Welcome(Limits { bytes: ByteCount::new(7), ..Limits::default() }),
        Frame::Refused("busy".to_owned()),
        run(),
        Frame::Stop { segment: 9 },
        Frame::Done(Done { segment: 9, sent, missed: 2 }),
        Frame::Arrivals(ArrivalsFrame { segment: 9, lane: 1, arrivals }),
        Frame::End(Report::from(&End { socket_drops: Some(1), ..End::default() })),
        Frame::Bye,
        Frame::Quiet { seconds: 25 },
    ]
}

#[test]
fn every_frame_survives_and_fits_the_bounds() {
    for frame in samples() {
        let bytes = encode(&frame);
        assert!(bytes.len() <= MAX_FRAME);
        assert_eq!(decode(&bytes).as_ref(), Ok(&frame));
    }
}

#[test]
fn a_run_is_these_bytes() {
    let bytes = encode(&run());
    assert_eq!(bytes[..3], [0xd3, 1, 2]);
    let json =
        br#"[{"lane":0,"after_us":0,"sizes":[100],"stages":[{"packets":50,"burst":1,"gap_ns":20000000}]}]"#;
    assert_eq!(&bytes[3..], json);
}

#[test]
fn only_a_hello_of_this_protocol_is_one() {
    assert!(is_hello(PPID, &encode(&Frame::Hello)) && is_hello(PPID, &[0xd0, 9, 9]));
    let quiet = encode(&Frame::Quiet { seconds: 25 });
    assert!(is_hello(PPID, &quiet) && is_quiet(PPID, &quiet) && !is_quiet(PPID, &encode(&Frame::Hello)));
    assert!(
        !is_hello(Ppid::new(0), &quiet)
            && !is_hello(Ppid::new(0), &encode(&Frame::Hello))
            && !is_hello(PPID, &[])
            && !is_hello(PPID, &[1])
    );
}

#[test]
fn values_without_a_meaning_are_refused() {
    let newer = FrameError::Version { protocol: "measuring", found: 2, supported: 1 };
    assert_eq!(decode(&[HELLO, 2, 9]), Err(newer.clone()));
    assert_eq!(decode(&[QUIET, 2]), Err(newer));
    for cut in [&[QUIET][..], &[QUIET, 1], &[QUIET, 1, 25, 0]] {
        assert!(matches!(decode(cut), Err(FrameError::Length { .. })));
    }
    assert!(matches!(decode(&[HELLO, 1, 0]), Err(FrameError::Length { .. })));
    assert!(matches!(decode(&[]), Err(FrameError::Empty)));
    assert!(matches!(decode(b"GET /"), Err(FrameError::UnknownKind(b'G'))));
    assert!(matches!(decode(&[REFUSED, 0x1b]), Err(FrameError::Text(_))));
    assert!(matches!(decode(&[BYE, 0]), Err(FrameError::Length { .. })));
    assert!(matches!(decode(&[STOP, 0, 0, 0]), Err(FrameError::Length { .. })));
    assert!(matches!(
        decode(b"\xd5{\"segment\":1,\"sent\":[],\"missed\":0,\"more\":1}"),
        Err(FrameError::Content(_))
    ));
    assert!(matches!(
        decode(&[&[DONE], vec![b' '; MAX_JSON + 1].as_slice()].concat()),
        Err(FrameError::Length { .. })
    ));
    let negative = encode(&Frame::End(Report::default()));
    let negative = String::from_utf8_lossy(&negative[1..])
        .replace("\"processor_share\":0.0", "\"processor_share\":-1.0");
    assert!(matches!(decode(&[&[END], negative.as_bytes()].concat()), Err(FrameError::Content(_))));
}

#[test]
fn a_reason_travels_without_control_characters() {
    let frame = encode(&Frame::Refused("a\u{1b}[2Jb".to_owned()));
    assert_eq!(decode(&frame), Ok(Frame::Refused("a [2Jb".to_owned())));
}

/// Bytes that are frames, almost frames, or no frames.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let changed = |(frame, at, byte): (usize, usize, u8)| {
        let frames = samples();
        let mut bytes = encode(&frames[frame % frames.len()]).to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes
    };
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..100),
        (Just(ARRIVALS), prop::collection::vec(any::<u8>(), 0..60)).prop_map(|(kind, rest)| [
            &[kind],
            &rest[..]
        ]
        .concat()),
        (any::<usize>(), any::<usize>(), any::<u8>()).prop_map(changed),
    ]
}

proptest! {
    #[test]
    fn what_can_be_read_can_be_written_and_read_again(bytes in bytes()) {
        if let Ok(frame) = decode(&bytes) {
            let written = encode(&frame);
            let again = decode(&written);
            prop_assert_eq!(again.as_ref(), Ok(&frame));
            let is_json = matches!(frame, Frame::Welcome(_) | Frame::Run { .. } | Frame::Done(_) | Frame::End(_));
            prop_assert!(is_json || written.as_ref() == bytes.as_slice());
        }
    }
}
