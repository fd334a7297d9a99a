//! Flows opened and ended without end, by a client that does not wait for answers.

use anabranch_forward::Signal;
use anabranch_net::{SendOptions, Stream};

use crate::hostile::{Play, SIGNAL};
use crate::party::Setup;
use crate::programs::{destination, echo};

/// It runs in a process of its own: other tests use memory as well.
#[tokio::test]
async fn tens_of_thousands_of_flows_at_full_speed_leave_no_memory_behind() {
    if std::env::var_os(ALONE).is_some() {
        return open_and_end().await;
    }
    let mut child = std::process::Command::new(std::env::current_exe().expect("known"));
    child.env(ALONE, "1").args(["--exact", NAME]);
    let output = child.output().expect("run");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

async fn open_and_end() {
    let play = Play::new(Setup { most_flows: 100, ..Setup::default() }).await;
    let echo = echo().await;
    let streams = play.streams.clone();
    // What is answered after the client has forgotten a stream.
    tokio::spawn(async move { while streams.accept_stream().await.is_ok() {} });
    let open = async |count: usize| {
        for number in 0..count {
            // One that is not permitted, one that is no request, and now and then one that opens.
            let request = match number % 100 {
                0 => Signal::Connect(echo.into()),
                50 => Signal::Datagrams { is_full_cone: false },
                odd if odd % 2 == 1 => Signal::Connect(destination("192.0.2.1:1")),
                _ => Signal::Finished,
            };
            end(play.open(), &request).await;
        }
    };
    open(10_000).await;
    let before = resident();
    open(40_000).await;
    let after = resident();
    assert!(after < before + MOST_GROWTH, "from {before} to {after} bytes");
    let association = play.streams.association();
    assert!(play.streams.committed() <= association.receive_buffer() && association.is_open());
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    play.goes_on().await;
}

async fn end(mut stream: Stream, request: &Signal) {
    stream.send(request.encode(), SendOptions::default().ppid(SIGNAL)).await.expect("open");
    stream.finish().await.expect("open");
}

/// The memory of this process; zero where it is not known.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

/// The variable of the process that runs the test.
const ALONE: &str = "ANABRANCH_TEST_ALONE";
const NAME: &str = "churn::tens_of_thousands_of_flows_at_full_speed_leave_no_memory_behind";
/// Less than 53 bytes for each flow.
const MOST_GROWTH: usize = 2 << 20;
