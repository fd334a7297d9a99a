//! The default control beside others: flows that come late to a full queue, and a TCP in the same one.

use crate::worlds::{balance, run, scenario};

/// A link of `rate` Mbit/s with a queue of `packets`, 20 ms from its ends, and paths over it, each behind a link that limits nothing.
fn one_bottleneck(rate: u32, packets: u32, copies: u32) -> String {
    format!(
        "[[link]]\nname = \"access\"\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\nprivate = true\n\
         [[link]]\nname = \"bottleneck\"\nrate = \"{rate} Mbit/s\"\ndelay = \"15 ms\"\nqueue = \"{packets} packets\"\n\
         [[path]]\nname = \"way\"\nlinks = [\"access\", \"bottleneck\"]\ncopies = {copies}\n"
    )
}

/// Most of twenty flows never see the queue empty: for them it is a part of the delay. Reno loses 1 % there.
#[test]
fn flows_that_come_late_to_a_full_queue_lose_little() {
    let flow = "[[flow]]\nname = \"main\"\nstagger = \"500 ms\"\nsctp = { profile = \"tuned-2\" }\n";
    let text = format!("run = {{ time = \"40 s\" }}\n{}{flow}", one_bottleneck(50, 250, 20));
    let result = run(&scenario(&text), 1);
    balance(&result);
    let there = result.links.iter().find(|link| link.name == "bottleneck").expect("it is named").forward;
    let lost = there.queue_drops as f64 / (there.queue_drops + there.packets) as f64;
    println!("{lost:.4}");
    assert!(lost < 0.04, "{lost:.4} of the packets found the queue full");
}

/// A queue of one bandwidth-delay product, and the mean of three seeds. Reno takes a third beside CUBIC there.
#[test]
fn beside_one_tcp_it_takes_about_half() {
    for (control, least) in [("reno", 0.4), ("cubic", 0.33)] {
        let text = format!(
            "run = {{ time = \"60 s\", warmup = \"10 s\" }}\n{}\
             [[flow]]\nname = \"main\"\npaths = [\"way-1\"]\nsctp = {{ profile = \"tuned-2\" }}\n\
             [[flow]]\nname = \"tcp\"\nprotocol = \"tcp\"\npaths = [\"way-2\"]\n\
             tcp = {{ congestion_control = \"{control}\", window = \"4 MiB\" }}\n",
            one_bottleneck(20, 66, 2)
        );
        let shares = (1..4).map(|seed| {
            let result = run(&scenario(&text), seed);
            let [main, tcp] = [0, 1].map(|flow| result.flows[flow].goodput_bps);
            main / (main + tcp)
        });
        let shares: Vec<f64> = shares.collect();
        println!("{control}: {shares:.2?}");
        let mean = shares.iter().sum::<f64>() / 3.0;
        assert!((least..=0.6).contains(&mean), "beside {control}: {shares:.2?}");
    }
}
