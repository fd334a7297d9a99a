//! What may be done to every reader with any bytes: it answers with a scenario that can be read, or with an error that has a
//! place. The fuzz target `trace` has the same body.

use anabranch_base::Duration;
use anabranch_scenario::{NoFiles, Registry, Scenario, Source};
use anabranch_traces::{Choices, RecordedLink, Recording, TraceKind, Written};

/// The first byte says the kind and the choices, the others are the file.
pub fn trace(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let kind = TraceKind::ALL.get(usize::from(first % 5)).copied();
    let choices = Choices {
        step: (first & 0x40 != 0).then_some(Duration::from_millis(500)),
        interval: None,
        delay_steps: first & 0x80 != 0,
    };
    let source = Source::new("any", String::from_utf8_lossy(bytes));
    let recording = match Recording::read(&source, kind, &choices) {
        Ok(recording) => recording,
        Err(error) => {
            assert!(error.line() >= Some(1) && error.column() >= Some(1), "{error}");
            assert!(error.line() <= Some(source.text.matches('\n').count() + 1), "{error}");
            return;
        }
    };
    let link = RecordedLink::join("any", vec![recording]).expect("one recording is of one link");
    let Ok(written) = Written::of(&[link], &choices) else { return };
    let file = Source::new("made.toml", written.text.clone());
    let read = Scenario::parse(&file, &NoFiles, &[], &Registry::standard());
    let scenario = read.unwrap_or_else(|error| panic!("{error}\n{}", written.text));
    assert_eq!((scenario.title, scenario.links.len()), (written.title, 1));
}
