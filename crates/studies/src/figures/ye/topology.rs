//! The scenarios of YE chapter 4: up to fifteen associations over ten routers whose queues mark (YE-F21).
//! They were fixed before anything was run.

use std::fmt::Write;

use super::super::figure::ValueSource;

/// A run of YE chapter 4.
#[derive(Clone, Copy, Debug)]
pub struct EcnRun {
    /// The wiring of the sources and the slower groups to R4.
    pub wiring: Wiring,
    /// The number of the fifteen associations run, in their order.
    pub associations: usize,
    /// The one-way delay from R4 to R6, in milliseconds.
    pub delay_ms: u32,
    /// The least threshold of R4, in packets; the other one is twice that.
    pub least: u32,
    /// The rule of every router's queue: `plain` or `enhanced`.
    pub rule: &'static str,
    /// The report of marks: `echo` (without CWR) or `cwr`.
    pub ecn: &'static str,
    /// `ecn_window` as a scenario has it; `None` for half of the window.
    pub window: Option<&'static str>,
    /// The share of the packets with CWR that R4 drops, in percent.
    pub cwr_loss: u32,
    /// Further lines for each association.
    pub extra: &'static str,
}

/// The wiring of the routers: which links the second and the third group cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wiring {
    /// R5 and R7 stand on the way of the slower groups, one after the other.
    Ladder,
    /// R2 is joined to R4 and R6 to R9 directly.
    Direct,
}

/// A group of five associations: the links from the access router on, as (name, delay in ms, least threshold there, least
/// threshold at the other end).
type Hops = &'static [(&'static str, &'static str, u32, u32)];

impl From<EcnRun> for ValueSource {
    fn from(run: EcnRun) -> ValueSource {
        ValueSource::Run(run.scenario())
    }
}

impl EcnRun {
    /// Association 1 by the proposal, with a window of half the old one after a mark.
    pub const DEFAULT: EcnRun = EcnRun {
        wiring: Wiring::Ladder,
        associations: 1,
        delay_ms: 20,
        least: 14,
        rule: "enhanced",
        ecn: "echo",
        window: None,
        cwr_loss: 0,
        extra: "",
    };

    /// The scenario: three minutes, of which the first is not measured.
    pub fn scenario(self) -> String {
        let mut text = String::from("run = { time = \"180 s\", warmup = \"60 s\" }\n");
        let mut hops: Vec<_> = Vec::new();
        for group in 0..self.groups() {
            for hop in self.wiring.before(group).iter().chain(self.wiring.behind(group)) {
                if !hops.contains(&hop) {
                    hops.push(hop);
                }
            }
        }
        for (name, delay, there, back) in hops {
            text += &self.link(name, "10 Mbit/s", delay, (*there, *back), "");
        }
        let loss = f64::from(self.cwr_loss) / 100.0;
        let loss = format!("loss = {{ kind = \"chunk\", type = \"CWR\", rate = {loss:?} }}\n");
        let delay = self.delay_ms.to_string();
        text +=
            &self.link(BOTTLENECK, "2 Mbit/s", &delay, (R4, 10), if self.cwr_loss > 0 { &loss } else { "" });
        (0..self.groups()).for_each(|group| text += &self.group(group));
        text
    }

    /// The number of the three groups run.
    fn groups(&self) -> usize {
        self.associations.div_ceil(EACH)
    }

    /// The access links, the path and the flow of a group. Association i starts at (i − 1) · 0.1 s.
    fn group(&self, group: usize) -> String {
        let number = group + 1;
        let (source, sink) = (format!("s{number}"), format!("d{number}"));
        let [red, host] = [self.queue(5), "\"1000 packets\"".to_owned()];
        let mut text = access(&source, &host, &red) + &access(&sink, &red, &host);
        let names = |hops: Hops| hops.iter().map(|hop| hop.0).collect::<Vec<_>>();
        let (before, behind) = (names(self.wiring.before(group)), names(self.wiring.behind(group)));
        let links = [vec![&source[..]], before, vec![BOTTLENECK], behind, vec![&sink[..]]].concat();
        let copies = (self.associations - group * EACH).min(EACH);
        let start = group * EACH * 100;
        let window = self.window.map_or_else(String::new, |window| format!("ecn_window = \"{window}\"\n"));
        let _ = write!(
            text,
            "[[path]]\nname = \"group-{number}\"\nlinks = {links:?}\ncopies = {copies}\n\
             [[flow]]\nname = \"main-{number}\"\npaths = [\"group-{number}\"]\nstart = \"{start} ms\"\n\
             stagger = \"100 ms\"\n[flow.sctp]\nprofile = \"rfc2960\"\ncharge = \"packet\"\nunit = \"mtu\"\n\
             missing_reports = 4\nreceive_buffer = \"128 KiB\"\ninitial_ssthresh = \"receive-buffer\"\n\
             sack = {{ every = 1 }}\nfailover = \"off\"\necn = \"{}\"\n{window}{}",
            self.ecn, self.extra
        );
        text
    }

    /// A link between routers. [`R4`] stands for the least threshold of that router.
    fn link(&self, name: &str, rate: &str, delay: &str, (there, back): (u32, u32), loss: &str) -> String {
        let queue = |least| self.queue(if least == R4 { self.least } else { least });
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate}\"\ndelay = \"{delay} ms\"\nqueue = {}\n{loss}\
             reverse = {{ queue = {} }}\n",
            queue(there),
            queue(back)
        )
    }

    fn queue(&self, least: u32) -> String {
        let EcnRun { rule, .. } = self;
        format!(
            "{{ kind = \"red\", min = {least}, max = {}, weight = 0.002, max_probability = 0.5, \
             limit = \"100 packets\", ecn = true, rule = \"{rule}\" }}",
            2 * least
        )
    }
}

impl Wiring {
    /// The links from a group's access router to R4.
    fn before(self, group: usize) -> Hops {
        match (self, group) {
            (_, 0) => &[("r1-r4", "6.114", 5, R4)],
            (Wiring::Ladder, 1) => &[("r2-r5", "6.114", 5, 10), ("r5-r4", "19.6", 10, R4)],
            (Wiring::Ladder, _) => &[("r3-r5", "6.114", 5, 10), ("r5-r4", "19.6", 10, R4)],
            (Wiring::Direct, 1) => &[("r2-r4", "16.21", 5, R4)],
            (Wiring::Direct, _) => &[("r3-r5", "12.92", 5, 10), ("r5-r4", "12.92", 10, R4)],
        }
    }

    /// The links from R6 to a group's access router.
    fn behind(self, group: usize) -> Hops {
        match (self, group) {
            (_, 0) => &[("r6-r8", "6.114", 10, 5)],
            (Wiring::Ladder, 1) => &[("r6-r9", "6.114", 10, 5)],
            (Wiring::Ladder, _) => &[("r6-r7", "19.7", 10, 10), ("r7-r10", "6.114", 10, 5)],
            (Wiring::Direct, 1) => &[("r6-r9", "16.21", 10, 5)],
            (Wiring::Direct, _) => &[("r6-r7", "12.92", 10, 10), ("r7-r10", "12.92", 10, 5)],
        }
    }
}

fn access(name: &str, there: &str, back: &str) -> String {
    format!(
        "[[link]]\nname = \"{name}\"\nprivate = true\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nqueue = {there}\n\
         reverse = {{ queue = {back} }}\n"
    )
}

/// The link whose queue is studied.
pub(crate) const BOTTLENECK: &str = "r4-r6";
/// Associations in a group.
const EACH: usize = 5;
/// In place of a threshold: that of R4, which each experiment chooses.
const R4: u32 = 0;

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, ByteCount, Duration};
    use anabranch_scenario::model::{Messages, Traffic};
    use anabranch_scenario::{NoFiles, Scenario, Source, registry};
    use anabranch_sim::{Run, Watch};

    use super::*;

    fn scenario(text: &str) -> Scenario {
        let source = Source::new("ye.toml", text);
        Scenario::parse(&source, &NoFiles, &[], &registry()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// In milliseconds, of a full packet and its SACK through empty queues; of the first association of each group.
    fn round_trips(wiring: Wiring) -> Vec<f64> {
        let run = EcnRun { associations: 11, wiring, extra: "handshake = \"off\"\n", ..EcnRun::DEFAULT };
        let text = run.scenario();
        let mut scenario = scenario(&text);
        // A packet a second from each association.
        let each = Messages { rate: BitRate::from_bits_per_second(1_452 * 8), size: ByteCount::new(1_452) };
        scenario.flows.iter_mut().for_each(|flow| flow.traffic = Traffic::Cbr(each));
        scenario.run.time = Some(Duration::from_secs(70));
        let result = Run::new(&scenario, 1, Watch::default()).expect("it can be run").to_end();
        let firsts = [0, 5, 10].map(|index| &result.flows[index]);
        firsts.iter().map(|flow| flow.paths[0].mean_rtt_s.expect("it was measured") * 1e3).collect()
    }

    #[test]
    fn round_trips_are_those_of_the_thesis() {
        for wiring in [Wiring::Ladder, Wiring::Direct] {
            for (found, stated) in round_trips(wiring).into_iter().zip([79.6, 120.0, 161.0]) {
                // Half a millisecond is the tolerance of these delays.
                assert!((found - stated).abs() < 0.5, "{wiring:?}: {found} ms where {stated} are stated");
            }
        }
    }
}
