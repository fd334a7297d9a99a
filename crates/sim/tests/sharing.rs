//! Paths over one bottleneck are found by their queues, and take one share of it; others lose next to nothing.

use crate::worlds::{balance, run, scenario};
use anabranch_base::Duration;
use anabranch_sim::{Run, Watch};

/// Two paths of a flow with these settings, over one bottleneck of 10 Mbit/s beside a TCP; the round trips are 44 and 60 ms,
/// those of the TCP 44 ms. Some datagrams keep the queue from being in step with itself.
fn one_bottleneck(settings: &str) -> String {
    let access = |name: &str, delay: u32| {
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"200 Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"1000 packets\"\n\
             [[path]]\nname = \"path-{name}\"\nlinks = [\"{name}\", \"bottleneck\"]\n"
        )
    };
    format!(
        "run = {{ time = \"120 s\", warmup = \"20 s\" }}\n{}{}{}\
         [[link]]\nname = \"bottleneck\"\nrate = \"10 Mbit/s\"\ndelay = \"2 ms\"\nqueue = \"50 packets\"\n\
         [[flow]]\nname = \"main\"\npaths = [\"path-one\", \"path-two\"]\n[flow.sctp]\nprofile = \"rfc9260\"\n\
         multipath = \"cmt\"\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"4 MiB\"\n{settings}\n\
         [[flow]]\nname = \"tcp\"\nprotocol = \"tcp\"\npaths = [\"path-other\"]\n[flow.tcp]\nvariant = \"sack\"\n\
         receive_buffer = \"4 MiB\"\n[[flow]]\nname = \"noise\"\nprotocol = \"udp\"\npaths = [\"path-other\"]\n\
         traffic = {{ kind = \"poisson\", rate = \"300 kbit/s\", message = \"600 B\" }}\n",
        access("one", 20),
        access("two", 28),
        access("other", 20),
    )
}

/// Two paths with a link each, of 10 Mbit/s and of `second` Mbit/s.
fn two_bottlenecks(settings: &str, second: u32) -> String {
    let link = |name: &str, rate: u32, delay: u32| {
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"60 packets\"\n\
             [[path]]\nname = \"path-{name}\"\nlinks = [\"{name}\"]\n\
             [[flow]]\nname = \"noise-{name}\"\nprotocol = \"udp\"\npaths = [\"path-{name}\"]\n\
             traffic = {{ kind = \"poisson\", rate = \"300 kbit/s\", message = \"600 B\" }}\n"
        )
    };
    format!(
        "run = {{ time = \"60 s\", warmup = \"5 s\" }}\n{}{}\
         [[flow]]\nname = \"main\"\npaths = [\"path-one\", \"path-two\"]\n[flow.sctp]\nprofile = \"rfc9260\"\n\
         multipath = \"cmt\"\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"4 MiB\"\n{settings}\n",
        link("one", 10, 20),
        link("two", second, 30),
    )
}

fn after_ten_seconds(text: &str, flow: usize, seed: u64) -> Vec<Option<usize>> {
    let mut run = Run::new(&scenario(text), seed, Watch::default()).expect("it can be run");
    run.advance(Duration::from_secs(10));
    run.shared_bottlenecks(flow)
}

/// The goodput of the flow `main`.
fn carried(text: &str, seed: u64) -> f64 {
    let result = run(&scenario(text), seed);
    balance(&result);
    result.flows.iter().find(|flow| flow.name == "main").map_or(0.0, |flow| flow.goodput_bps)
}

#[test]
fn two_paths_over_one_link_are_found_and_take_one_share_beside_a_tcp() {
    let auto = one_bottleneck("coupled = \"auto\"");
    for seed in 1..4 {
        assert_eq!(after_ten_seconds(&auto, 0, seed), [Some(1), Some(0)], "seed {seed}");
        let share = |text: &str| {
            let result = run(&scenario(text), seed);
            let [main, tcp] = [0, 1].map(|flow| result.flows[flow].goodput_bps);
            main / (main + tcp)
        };
        let shares = [share(&one_bottleneck("")), share(&auto)];
        println!("{shares:.3?}");
        assert!((0.4..=0.6).contains(&shares[1]) && shares[0] > shares[1], "{shares:?}");
    }
}

#[test]
fn two_paths_over_two_links_are_not_taken_for_sharing() {
    let auto = two_bottlenecks("coupled = \"auto\"", 25);
    for seed in 1..6 {
        assert_eq!(after_ten_seconds(&auto, 2, seed), [None, None], "seed {seed}");
    }
}

/// The queues of equal links may look alike for some seconds, because both rise as steadily.
#[test]
fn two_paths_over_two_links_lose_next_to_nothing() {
    for second in [10, 25] {
        let [off, auto] = ["", "coupled = \"auto\""].map(|settings| two_bottlenecks(settings, second));
        for seed in 1..6 {
            let rates = [carried(&off, seed), carried(&auto, seed)];
            println!("{second}: {rates:.0?}, {:?}", after_ten_seconds(&auto, 2, seed));
            assert!(rates[1] > 0.95 * rates[0], "{second}, seed {seed}: {rates:?}");
        }
    }
}
