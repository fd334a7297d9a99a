//! The output of commands fits a terminal of 80 columns, and a terminal is clean after Ctrl-C.

use std::path::{Path, PathBuf};

use crate::program::{Program, anabranch, file, receiver, run};
use crate::terminal::Terminal;
use tempfile::tempdir;

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = std::fs::read_dir(folder).expect("scenarios").map(|entry| entry.expect("an entry").path());
    let files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    assert!(files.len() > 15, "{files:?}");
    files
}

/// The first line that is too long.
fn too_long(text: &str) -> Option<&str> {
    text.lines().find(|line| line.chars().count() > 80)
}

#[test]
fn every_table_of_a_shipped_scenario_fits_80_columns() {
    let short = ["--set", "run.time=2 s", "--set", "run.warmup=0 s"];
    let commands: [(&str, &[&str]); 4] =
        [("sim", &short), ("sim --runs 3", &short), ("predict", &[]), ("plan", &[])];
    for path in shipped() {
        for (command, more) in commands {
            let ended = run(anabranch(command).arg(&path).args(more));
            // A scenario without a plan is refused in words.
            assert!(ended.status == Some(0) || command == "plan", "{ended:?}");
            assert_eq!(too_long(&ended.stdout), None, "{command} {}: {}", path.display(), ended.stdout);
        }
    }
}

#[test]
fn runs_that_are_all_equal_are_said_to_be() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/wifi-lte.toml");
    let equal = run(anabranch("sim --runs 3").arg(&path)).expect(0);
    assert!(
        equal.stdout.contains("nothing in this scenario is random") && !equal.stdout.contains('±'),
        "{equal:?}"
    );
    let random = run(anabranch("sim --runs 3 --set link.lte.loss=0.01").arg(&path)).expect(0);
    assert!(random.stdout.contains('±') && random.stdout.contains("confidence"), "{random:?}");
}

/// A path that fills its link is limited by the link, and not by its window.
#[test]
fn a_full_link_is_named_and_the_least_round_trip_stands_beside_the_mean() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/phone.toml");
    let full = run(anabranch("sim").arg(&path)).expect(0);
    assert!(full.stdout.contains("the link (full)") && full.stdout.contains("RTT min/mean"), "{full:?}");
    let lossy = run(
        anabranch("sim --set link.lte.loss=0.05 --set flow.main.sctp.congestion_control=reno").arg(&path)
    )
    .expect(0);
    assert!(lossy.stdout.contains("window"), "{lossy:?}");
}

/// Waits until a command on a terminal shows its bar, interrupts it, and looks at what is left.
fn interrupted(mut terminal: Terminal, has_bar: impl FnMut(&str) -> bool) -> String {
    terminal.wait_until(has_bar);
    assert!(!terminal.has_wrapped(), "a live view is wider than the terminal:\n{}", terminal.text());
    terminal.interrupt();
    assert_eq!(terminal.finish(), Some(130), "{}", terminal.text());
    terminal.text()
}

#[test]
fn no_bar_is_left_after_ctrl_c() {
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/wifi-lte.toml");
    let mut sim = anabranch("sim --runs 100000 --set link.lte.loss=0.001");
    let sim = interrupted(Terminal::start(sim.arg(&scenario)), |text| {
        // With two threads, the second run may end before the first.
        text.contains(" runs done")
            && ["0", "1", "2"].iter().all(|few| !text.contains(&format!(" {few} of ")))
    });
    assert!(!sim.contains("s simulated ") && !sim.contains("[="), "{sim}");
    assert!(sim.contains("Stopped after ") && sim.contains("of 100000 runs."), "{sim}");
    assert!(!sim.contains("^C"), "{sim}");
    let mut compare = anabranch("compare");
    let compare = interrupted(Terminal::start(compare.arg(&scenario)), |text| text.contains("really"));
    assert!(!compare.contains("really") && !compare.contains('['), "{compare}");
    let demo = interrupted(Terminal::start(&mut anabranch("demo")), |text| text.contains("really"));
    assert!(!demo.contains("really") && !demo.contains('['), "{demo}");
}

#[test]
fn no_live_view_is_left_after_ctrl_c_at_either_end_of_a_transfer() {
    let dir = tempdir().expect("a directory");
    let inbox = dir.path().join("in");
    std::fs::create_dir(&inbox).expect("a directory");
    let (recv, to) = receiver("127.0.0.1", &inbox, "");
    let source = file(dir.path(), "big", 50_000_000);
    let mut send = anabranch(&format!("send --limit-rate 8Mbit/s --to {to}"));
    let send = interrupted(Terminal::start(send.arg(source)), |text| text.contains("left"));
    assert!(!send.contains(" left") && !send.contains("[="), "{send}");
    drop(recv);
}

#[test]
fn what_the_network_says_and_messages_are_broken_between_words() {
    let dir = tempdir().expect("a directory");
    let source = file(dir.path(), "big", 1_000);
    let mut send = anabranch("send --insecure --to 127.100.100.100:19999");
    // The live view is asked by `interrupted` whether it has wrapped.
    let mut whole = String::new();
    let ended = interrupted(Terminal::start(send.arg(source)), |text| {
        let is_there = text.contains("(Connection") && text.contains("refused)");
        if is_there {
            whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        is_there
    });
    assert!(whole.contains("port closed, nothing listens there (Connection refused)"), "{whole}");
    assert!(!ended.contains("port closed"), "{ended}");
    let missing = dir.path().join("a-folder-with-a-long-name").join("and-another-one-below-it");
    let mut terminal = Terminal::start(anabranch("recv --dir").arg(&missing));
    assert_eq!(terminal.finish(), Some(2), "{}", terminal.text());
    assert!(!terminal.has_wrapped(), "{}", terminal.text());
    let message = terminal.text();
    assert!(message.contains("create it with mkdir") && message.contains("\n  "), "{message}");
}

/// A line each five seconds, of all three at the same time. The links of the comparison carry a megabit a second.
#[test]
fn long_work_says_on_a_pipe_how_far_it_is() {
    let dir = tempdir().expect("a directory");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/wifi-lte.toml");
    let slow = dir.path().join("slow.toml");
    let link = |name| format!("[[link]]\nname = \"{name}\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n");
    let flow = "[[flow]]\ntransfer = \"5 MB\"\n";
    std::fs::write(&slow, [link("a"), link("b"), flow.to_owned()].concat()).expect("a file");
    let sim =
        Program::start(anabranch("sim --runs 1000000 --threads 1 --set link.lte.loss=0.001").arg(&shipped));
    let compare = Program::start(anabranch("compare").arg(&slow));
    let demo = Program::start(&mut anabranch("demo"));
    for (mut program, mark, more) in [
        (sim, " s: ", " of 1000000 runs done, "),
        (compare, " s: step ", ", really"),
        (demo, " s: step ", ""),
    ] {
        let line = program.wait_for(mark);
        assert!(line.contains(more), "{line}");
        program.interrupt();
        let ended = program.finish();
        assert_eq!(ended.status, Some(130), "{ended:?}");
    }
}

#[test]
fn lines_of_progress_say_no_time_of_the_machine() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/wifi-lte.toml");
    let mut sim =
        Program::start(anabranch("sim --json-lines --runs 1000000 --set link.lte.loss=0.001").arg(&shipped));
    let line = sim.wait_for("simulated_s");
    assert!(line.contains("finished_runs") && !line.contains("wall_s"), "{line}");
    sim.interrupt();
    let ended = sim.finish();
    assert!(ended.stdout.contains("\"runs\"") && !ended.stdout.contains("wall_s"), "{ended:?}");
}
