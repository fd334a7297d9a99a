//! Tables of a simulated run, as CSV or in memory: `paths`, `links`, `packets` and, for meshes, `frames`, with a row
//! for each change.

mod cell;
mod columns;
mod frames;
#[cfg(feature = "arrays")]
mod memory;
mod packets;
mod table;

use std::io::{self, Write};

use anabranch_sim::observe::{FrameEvent, Observation, PathSeen, QueueSeen, Seen};

use super::{About, Names};
use columns::{Column, ColumnRow, LINKS, PACKETS, PATHS, PacketRow};
use frames::FRAMES;
#[cfg(feature = "arrays")]
pub use memory::MemorySink;
use packets::Carriers;
use table::TraceTable;

/// The destinations of the tables.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<W> {
    /// Windows and timers of the paths.
    pub paths: W,
    /// Queues of the links.
    pub links: W,
    /// Packets at the hosts, and the places where they were lost.
    pub packets: W,
    /// Frames of radio stations; `None` without a mesh.
    pub frames: Option<W>,
}

/// Tables being written.
pub struct TraceSink<W: Write> {
    names: Names,
    carriers: Carriers,
    paths: TraceTable<ColumnRow<PathSeen>, W>,
    links: TraceTable<ColumnRow<QueueSeen>, W>,
    packets: TraceTable<PacketRow, W>,
    frames: Option<TraceTable<ColumnRow<FrameEvent>, W>>,
}

impl<W: Write> TraceSink<W> {
    /// Begins the tables of a run.
    ///
    /// # Errors
    /// A file cannot be written; likewise below.
    pub fn new(outputs: Outputs<W>, about: &About<'_>) -> io::Result<TraceSink<W>> {
        Ok(TraceSink {
            names: Names::of(about.scenario),
            carriers: Carriers::of(about.scenario),
            paths: TraceTable::new(PATHS, outputs.paths)?,
            links: TraceTable::new(LINKS, outputs.links)?,
            packets: TraceTable::new(PACKETS, outputs.packets)?,
            frames: outputs.frames.map(|out| TraceTable::new(FRAMES, out)).transpose()?,
        })
    }

    /// Adds an observation.
    pub fn take(&mut self, observation: &Observation) -> io::Result<()> {
        let (at, names) = (observation.at, &self.names);
        match &observation.what {
            Seen::Path(seen) => self.paths.write(&ColumnRow { at, seen: *seen }, names),
            Seen::Queue(seen) => self.links.write(&ColumnRow { at, seen: *seen }, names),
            Seen::Packet(seen) => self.packets.write(&self.carriers.row(at, seen.clone()), names),
            Seen::Frame(seen) => match &mut self.frames {
                Some(frames) => frames.write(&ColumnRow { at, seen: seen.clone() }, names),
                None => Ok(()),
            },
            Seen::Delivery(_) | Seen::Wait(_) => Ok(()),
        }
    }

    /// Ends the tables and returns their files.
    pub fn finish(self) -> io::Result<Outputs<W>> {
        Ok(Outputs {
            paths: self.paths.finish()?,
            links: self.links.finish()?,
            packets: self.packets.finish()?,
            frames: self.frames.map(TraceTable::finish).transpose()?,
        })
    }
}

/// Writes the list of all columns as a table: `table`, `column`, `unit`, `meaning`.
///
/// # Errors
/// The file cannot be written.
pub fn write_columns(out: impl Write) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(["table", "column", "unit", "meaning"])?;
    write_rows(&mut out, "paths", PATHS)?;
    write_rows(&mut out, "links", LINKS)?;
    write_rows(&mut out, "packets", PACKETS)?;
    write_rows(&mut out, "frames", FRAMES)?;
    out.flush()
}

fn write_rows<ColumnRow>(
    out: &mut csv::Writer<impl Write>,
    table: &str,
    columns: &[Column<ColumnRow>],
) -> io::Result<()> {
    for column in columns {
        out.write_record([table, column.name, column.unit, &column.meaning()])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, ByteCount, Duration, Time};
    use anabranch_link::{Backlog, LossCause};
    use anabranch_sim::observe::{
        DeliverySeen, Host, MeshEvent, PathMeasurements, PathState, QueueView, RoutingEvent, Step,
    };

    use super::*;
    use crate::testing::{self, data, datagram};

    const AT: Time = Time::from_nanos(1_000_000_001);

    fn traced(observations: &[Observation]) -> Outputs<String> {
        let scenario = testing::scenario();
        let outputs =
            Outputs { paths: Vec::new(), links: Vec::new(), packets: Vec::new(), frames: Some(Vec::new()) };
        let mut sink = TraceSink::new(outputs, &testing::about(&scenario)).unwrap();
        observations.iter().for_each(|observation| sink.take(observation).unwrap());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let Outputs { paths, links, packets, frames } = sink.finish().unwrap();
        Outputs { paths: text(paths), links: text(links), packets: text(packets), frames: frames.map(text) }
    }

    #[test]
    fn a_path_is_a_row_with_exact_times() {
        let seen = PathSeen {
            flow: 0,
            path: 1,
            host: Host::First,
            state: PathState::Active,
            cwnd: ByteCount::new(4_380),
            ssthresh: ByteCount::new(65_536),
            flight: ByteCount::ZERO,
            srtt: None,
            rto: Duration::from_nanos(1_000_000_007),
            measured: PathMeasurements {
                delay: Some(Duration::from_millis(21)),
                least_way: Some(Duration::from_millis(20)),
                rate: Some(BitRate::from_mbps(9)),
                peak_rate: None,
            },
        };
        let traced = traced(&[Observation { at: AT, what: Seen::Path(seen) }]);
        let expected = "at_s,flow,path,host,state,cwnd_bytes,ssthresh_bytes,flight_bytes,srtt_s,rto_s,\
                        way_s,least_way_s,delivery_bps,peak_delivery_bps\n\
                        1.000000001,main,lte,first,active,4380,65536,0,,1.000000007,0.021000000,0.020000000,9000000,\n";
        assert_eq!(traced.paths, expected);
    }

    #[test]
    fn a_path_without_a_threshold_has_an_empty_cell() {
        let seen = PathSeen {
            flow: 0,
            path: 0,
            host: Host::Second,
            state: PathState::PotentiallyFailed,
            cwnd: ByteCount::new(4_380),
            ssthresh: ByteCount::MAX,
            flight: ByteCount::ZERO,
            srtt: None,
            rto: Duration::from_secs(1),
            measured: PathMeasurements::default(),
        };
        let traced = traced(&[Observation { at: AT, what: Seen::Path(seen) }]);
        let row = traced.paths.lines().nth(1).unwrap();
        assert_eq!(row, "1.000000001,main,wifi,second,potentially-failed,4380,,0,,1.000000000,,,,");
    }

    #[test]
    fn a_queue_is_a_row_of_its_links_direction() {
        let backlog = Backlog { packets: 3, bytes: ByteCount::new(4_500) };
        let view = QueueView { backlog, average: Some(2.5), marked: 7 };
        let seen = QueueSeen { link: 0, from: Host::Second, view };
        let traced = traced(&[Observation { at: AT, what: Seen::Queue(seen) }]);
        let expected = "at_s,link,direction,queue_packets,queue_bytes,average_packets,marked\n\
                        1.000000001,wifi,reverse,3,4500,2.5,7\n";
        assert_eq!(traced.links, expected);
    }

    #[test]
    fn a_packet_is_a_row_at_each_step() {
        let lost = Step::Lost { site: anabranch_sim::observe::LossSite::Link(1), cause: LossCause::Queue };
        let arrived = Step::Arrived { delay: Duration::from_micros(20_500) };
        let traced =
            traced(&[data(AT, &[7, 8], Step::Sent), data(AT, &[9], lost), datagram(AT, 100, arrived)]);
        let rows: Vec<&str> = traced.packets.lines().collect();
        assert_eq!(
            rows,
            [
                "at_s,flow,path,direction,step,cause,link,size_bytes,delay_s,chunks,data_chunks,tsn,retransmission,ecn",
                "1.000000001,main,wifi,forward,sent,,,72,,DATA,2,7,false,Not-ECT",
                "1.000000001,main,wifi,forward,lost,queue,lte,52,,DATA,1,9,false,Not-ECT",
                "1.000000001,noise,lte,forward,arrived,,,128,0.020500000,UDP,,,false,Not-ECT",
            ]
        );
    }

    #[test]
    fn a_broken_link_is_a_row_of_routing() {
        let [station, next] = [0, 1].map(anabranch_link::fabric::Station::new);
        let event = RoutingEvent::LinkFailure { at: AT, station, next };
        let seen = FrameEvent { radio: 0, event: MeshEvent::Routing(event) };
        let frames = traced(&[Observation { at: AT, what: Seen::Frame(seen) }]).frames.unwrap();
        let expected = "at_s,radio,what,station,to,start_s,size_bytes,retry,received,collided\n\
                        1.000000001,?,link-failure,?,?,,,,,\n";
        assert_eq!(frames, expected);
    }

    #[test]
    fn a_delivery_does_not_make_a_row() {
        let seen = DeliverySeen { flow: 0, from: Host::First, bytes: ByteCount::ZERO, delay: Duration::ZERO };
        let traced = traced(&[Observation { at: AT, what: Seen::Delivery(seen) }]);
        assert_eq!([traced.paths, traced.links, traced.packets].map(|text| text.lines().count()), [1, 1, 1]);
    }

    #[test]
    fn every_column_is_explained_once() {
        let mut registry = Vec::new();
        write_columns(&mut registry).unwrap();
        let mut reader = csv::Reader::from_reader(&registry[..]);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), PATHS.len() + LINKS.len() + PACKETS.len() + FRAMES.len());
        assert!(rows.iter().all(|row| !row[3].is_empty()), "{rows:?}");
        let with_unit = |row: &csv::StringRecord| row[1].ends_with("_s") == (&row[2] == "s");
        assert!(rows.iter().all(with_unit), "{rows:?}");
        assert!(rows.iter().all(|row| !row[3].contains("{words}")), "{rows:?}");
    }

    #[test]
    fn every_word_of_a_cell_is_explained() {
        let mut registry = Vec::new();
        write_columns(&mut registry).unwrap();
        let mut reader = csv::Reader::from_reader(&registry[..]);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let meaning = |table: &str, column: &str| {
            let row = rows.iter().find(|row| &row[0] == table && &row[1] == column).unwrap();
            row[3].to_owned()
        };
        for state in PathState::ALL {
            assert!(meaning("paths", "state").contains(state.name()), "{state:?}");
        }
        for cause in LossCause::ALL {
            assert!(meaning("packets", "cause").contains(crate::words::cause(cause)), "{cause:?}");
        }
        assert_eq!(
            meaning("links", "direction"),
            "forward (from the first host), reverse (from the second host)"
        );
        assert!(meaning("packets", "ecn").ends_with(": Not-ECT, ECT(0), ECT(1), CE"));
        assert!(meaning("frames", "what").contains(": rts, cts, ack, "));
        assert!(meaning("frames", "what").ends_with(", discovery, route-found, broken-link"));
    }
}
