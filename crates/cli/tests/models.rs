//! `anabranch predict` and `plan`, as a person and as a script sees them.

mod program;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use program::{Ended, Program, anabranch, run};
use serde_json::Value;
use tempfile::tempdir;

fn scenario(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name).display().to_string()
}

/// Wallace and Shami's two paths, with a buffer that is too small for both.
const TWO: &str = r#"# Two paths that lose.
title = "Two lossy paths"

[run]
time = "20 s"

[[link]]
name = "wide"                # the better one
rate = "21 Mbit/s"
delay = "20 ms"
loss = 0.001
queue = "1000 packets"

[[link]]
name = "long"
rate = "20 Mbit/s"
delay = "20 ms"
loss = 0.0001
queue = "1000 packets"

[flow.sctp]
receive_buffer = "128 KiB"   # 87 packets
"#;

/// Runs `command` on this text, with these settings.
fn on(text: &str, command: &str, settings: &[&str]) -> Ended {
    let dir = tempdir().expect("a directory");
    let mut command = anabranch(command);
    command.arg(file(dir.path(), text));
    for setting in settings {
        command.args(["--set", setting]);
    }
    run(&mut command)
}

fn file(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("test.toml");
    std::fs::write(&path, text).expect("a file");
    path
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("{value} is not an object"))
        .keys()
        .map(String::as_str)
        .collect()
}

/// Returns the output without the planner's time.
fn without_clock(text: &str) -> String {
    let line = |line: &str| match (line.find(" evaluations, "), line.ends_with(" ms.")) {
        (Some(at), true) => format!("{} evaluations, … ms.\n", &line[..at]),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn a_person_reads_what_each_model_says_of_each_path() {
    insta::assert_snapshot!(
        "predict_two_paths",
        run(anabranch("predict").arg(scenario("two-paths.toml"))).expect(0).stdout
    );
    insta::assert_snapshot!("predict_two_lossy_paths", on(TWO, "predict", &[]).expect(0).stdout);
}

#[test]
fn a_person_reads_of_equal_flows_once() {
    let text = run(anabranch("predict").arg(scenario("dumbbell.toml"))).expect(0).stdout;
    let told = "Flows main-1, main-2, …, main-20 (20 equal) are not predicted: link \"bottleneck\" also carries 19 other flows,";
    assert!(text.replace('\n', " ").contains(told) && text.lines().count() == 4, "{text}");
    let copies = TWO.replace("name = \"wide\"", "name = \"wide\"\nprivate = true")
        + "[[path]]\nname = \"way\"\nlinks = [\"wide\"]\ncopies = 6\n";
    let text = on(&copies, "predict", &[]).expect(0).stdout;
    assert!(
        text.contains("Flows main-1, main-2, …, main-6 (6 equal), each with receive buffer 87 packets"),
        "{text}"
    );
    assert_eq!(text.matches("together").count(), 1, "{text}");
    let document = on(&copies, "predict --json", &[]).expect(0).json();
    assert_eq!(document["flows"].as_array().map(Vec::len), Some(6), "a script gets each flow");
}

#[test]
fn a_person_reads_limits_their_worth_and_what_mistakes_cost() {
    let ended = run(anabranch("plan").arg(scenario("two-paths.toml"))).expect(0);
    insta::assert_snapshot!("plan_two_paths", without_clock(&ended.stdout));
    insta::assert_snapshot!("plan_two_lossy_paths", without_clock(&on(TWO, "plan", &[]).expect(0).stdout));
}

#[test]
fn a_script_gets_every_key_of_the_contract_from_predict() {
    let document = on(TWO, "predict --json", &[]).expect(0).json();
    let whole = keys(&document);
    assert_eq!(whole[..4], ["schema", "program", "scenario_sha256", "title"]);
    assert_eq!(whole.last(), Some(&"resolved"));
    assert_eq!(keys(&document["models"]), ["markov", "renewal", "pftk", "mptcp"]);
    assert_eq!(document["limits_packets"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&document["receive_buffer_packets"], &document["limits_planned"]),
        (&87.into(), &true.into())
    );
    for model in document["models"].as_object().expect("models").values() {
        let paths = model["paths"].as_array().expect("paths");
        assert_eq!(
            paths.iter().map(|path| path["name"].as_str()).collect::<Vec<_>>(),
            [Some("wide"), Some("long")]
        );
        let sum: f64 = paths.iter().map(|path| number(&path["throughput_bps"])).sum();
        assert!((sum / number(&model["total_bps"]) - 1.0).abs() < 1e-12, "{model:#}");
        let ratio = number(&model["goodput_bps"]) / number(&model["total_bps"]);
        assert!((ratio - 1452.0 / 1500.0).abs() < 1e-12, "{ratio}");
    }
    assert_eq!(keys(&document["skipped"]), Vec::<&str>::new());
}

#[test]
fn models_are_chosen_by_name_and_losses_may_come_in_runs() {
    let markov = |options: &str| {
        let document = on(TWO, &format!("predict --json --model markov {options}"), &[]).expect(0).json();
        assert_eq!(keys(&document["models"]), ["markov"]);
        number(&document["models"]["markov"]["total_bps"])
    };
    assert!(markov("--loss-model correlated") < markov("--loss-model independent") * 0.97);
    assert_eq!(markov(""), markov("--loss-model independent"));
    let two = on(TWO, "predict --json --model pftk,renewal", &[]).expect(0).json();
    assert_eq!(keys(&two["models"]), ["renewal", "pftk"]);
    assert!(on(TWO, "predict --model oracle", &[]).expect(2).stderr.contains("markov, renewal, pftk, mptcp"));
}

#[test]
fn per_path_models_take_the_limits_of_the_scenario() {
    let document = on(TWO, "predict --json", &["flow.main.sctp.window_management=[20, 30]"]).expect(0).json();
    assert_eq!(document["limits_packets"], serde_json::json!([20, 30]));
    assert_eq!(document["limits_planned"], false);
    let planned = on(TWO, "predict --json", &[]).expect(0).json();
    let total = |document: &Value| number(&document["models"]["markov"]["total_bps"]);
    assert!(total(&document) < total(&planned));
}

#[test]
fn prediction_and_simulation_agree_where_the_model_has_everything() {
    // Planned limits, four missing reports, an acknowledgement for each packet, and nothing that waits in the buffer.
    let settings = [
        "flow.main.sctp.window_management=static",
        "flow.main.sctp.profile=rfc4960",
        "flow.main.sctp.rto={ initial = \"300 ms\", min = \"10 ms\" }",
        "flow.main.sctp.sack={ every = 1 }",
        "flow.main.sctp.missing_reports=4",
        "flow.main.sctp.ordered=false",
        "run.time=120 s",
        "run.warmup=5 s",
        "run.runs=4",
    ];
    let predicted = on(TWO, "predict --json --model markov", &settings).expect(0).json();
    let predicted = number(&predicted["models"]["markov"]["goodput_bps"]);
    let simulated = on(TWO, "sim --json", &settings).expect(0).json();
    let simulated = number(&simulated["summary"]["main"]["goodput_bps"]["mean"]);
    let difference = simulated / predicted - 1.0;
    assert!(difference.abs() < 0.1, "predicted {predicted}, simulated {simulated}: {difference:+.3}");
}

#[test]
fn every_shipped_scenario_is_predicted_or_skipped_with_a_reason() {
    let folder = scenario("");
    let mut predicted = 0;
    for entry in std::fs::read_dir(&folder).expect("scenarios/ is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let document = run(anabranch("predict --json").arg(&path)).expect(0).json();
        let (models, skipped) = (keys(&document["models"]), keys(&document["skipped"]));
        assert_eq!(models.len() + skipped.len(), 4, "{path:?}: {document:#}");
        assert!(
            skipped.iter().all(|name| document["skipped"][*name].as_str().is_some_and(|why| why.len() > 8))
        );
        predicted += usize::from(models.contains(&"markov"));
        if let Some(flows) = document["flows"].as_array() {
            assert!(flows.len() > 1, "{path:?}");
        }
    }
    assert!(predicted >= 6, "only {predicted} scenarios are predicted");
}

#[test]
fn a_script_gets_every_key_of_the_contract_from_plan() {
    let document = on(TWO, "plan --json", &[]).expect(0).json();
    for key in [
        "title",
        "receive_buffer_packets",
        "limits_packets",
        "throughput_bps",
        "method",
        "model",
        "evaluations",
    ] {
        assert!(!document[key].is_null(), "{key} in {document:#}");
    }
    assert_eq!((&document["method"], &document["model"]), (&"exact".into(), &"markov".into()));
    let limits: Vec<f64> =
        document["limits_packets"].as_array().expect("limits").iter().map(number).collect();
    assert_eq!(limits.iter().sum::<f64>(), 87.0, "the buffer is used up");
    let certificate = &document["certificate"];
    assert!(number(&certificate["upper_bound_bps"]) >= number(&document["throughput_bps"]));
    assert!((0.0..0.01).contains(&number(&certificate["gap"])), "{certificate}");
    assert!(number(&document["buffer"]["next_packet_bps"]) > 0.0);
    assert_eq!(document["buffer"]["enough_packets"], 71 + 68, "the packets that fill both");
    let sensitivity = document["sensitivity"].as_array().expect("mistakes");
    assert_eq!(sensitivity.len(), 8, "loss and rate of two paths, more and less");
    assert!(sensitivity.iter().all(|one| number(&one["regret"]) >= 0.0 && one["path"].is_string()));
}

#[test]
fn every_method_finds_limits_and_none_finds_better_ones_than_the_exact() {
    let throughput = |options: &str| {
        let document = on(TWO, &format!("plan --json {options}"), &[]).expect(0).json();
        (document["method"].as_str().map(str::to_owned), number(&document["throughput_bps"]))
    };
    let (_, exact) = throughput("");
    for (options, name) in [
        ("--method brute-force", "brute-force"),
        ("--method step --step 10", "step"),
        ("--method hull", "hull"),
    ] {
        let (found, value) = throughput(options);
        assert_eq!(found.as_deref(), Some(name));
        assert!(value <= exact * (1.0 + 1e-12) && value > exact * 0.9, "{name}: {value} of {exact}");
    }
    assert_eq!(throughput("--method brute-force").1, exact);
    assert!(throughput("--model renewal").1 != exact && throughput("--loss-model correlated").1 < exact);
}

#[test]
fn the_scenario_comes_back_with_its_limits_and_all_else_as_it_was() {
    let dir = tempdir().expect("a directory");
    let planned = dir.path().join("planned.toml");
    let path = file(dir.path(), TWO);
    run(anabranch("plan --write").arg(&planned).arg(&path)).expect(0);
    let text = std::fs::read_to_string(&planned).expect("it was written");
    let limits = text.strip_prefix(TWO).expect("what was there, and a line more");
    assert!(limits.starts_with("window_management = [") && limits.lines().count() == 1, "{limits}");
    let document = run(anabranch("sim --json --set run.time=3s").arg(&planned)).expect(0).json();
    assert!(document["resolved"]["flow"][0]["sctp"]["window_management"].is_array(), "{document:#}");
    // Once more, into the file itself: the line is the same, and nothing is added.
    run(anabranch("plan --quiet --write").arg(&planned).arg(&planned)).expect(0);
    assert_eq!(std::fs::read_to_string(&planned).expect("it was written"), text);
}

#[test]
fn limits_go_where_the_flow_stands_however_it_is_written() {
    let links = "[[link]]\nname = \"a\"\nrate = \"5 Mbit/s\"\ndelay = \"5 ms\"\n\n[run]\ntime = \"5 s\"\n";
    for (flow, expected) in [
        ("", "\n[[flow]]\n\n[flow.sctp]\nwindow_management = [6]\n"),
        ("[flow]\nstart = \"1 s\"\n", "[flow]\nstart = \"1 s\"\n\n[flow.sctp]\nwindow_management = [6]\n"),
        (
            "[[flow]]\nname = \"b\"\nsctp = { ordered = false } # fast\n",
            "[[flow]]\nname = \"b\"\nsctp = { ordered = false, window_management = [6] } # fast\n",
        ),
        (
            "[[flow]]\nsctp.window_management = [4] # by hand\n",
            "[[flow]]\nsctp.window_management = [6] # by hand\n",
        ),
    ] {
        let written = on(&format!("{links}{flow}"), "plan --quiet --write -", &[]).expect(0).stdout;
        assert_eq!(written, format!("{links}{expected}"));
    }
    let inline = format!("flow = [{{ start = \"1 s\" }}]\n{links}");
    let written = on(&inline, "plan --quiet --write -", &[]).expect(0).stdout;
    assert!(
        written.starts_with("flow = [{ start = \"1 s\", sctp = { window_management = [6] } }]\n"),
        "{written}"
    );
}

#[test]
fn a_planned_scenario_goes_straight_into_the_simulator() {
    let planned = on(TWO, "plan --write -", &[]).expect(0);
    assert!(planned.stderr.contains("Two lossy paths") && planned.stderr.contains("together"), "{planned:?}");
    let mut command = anabranch("sim --json --set run.time=3s -");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("piped").write_all(planned.stdout.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
}

#[test]
fn a_plan_is_drawn_with_its_title_its_paths_and_units() {
    let dir = tempdir().expect("a directory");
    let drawing = dir.path().join("plan.svg");
    let path = file(dir.path(), &TWO.replace("Two lossy paths", "A <b> & more"));
    run(anabranch("plan -q --plot").arg(&drawing).arg(&path)).expect(0);
    let svg = std::fs::read_to_string(&drawing).expect("it was drawn");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    for part in [
        "A &lt;b&gt; &amp; more",
        "wide, limit ",
        "long, limit ",
        "throughput (Mbit/s)",
        "window limit (packets)",
        "enough: 139",
        "this buffer: 87",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let nowhere = dir.path().join("no/plan.svg");
    assert!(run(anabranch("plan --plot").arg(nowhere).arg(path)).expect(2).stderr.contains("cannot write"));
}

#[test]
fn what_cannot_be_is_refused_at_its_place() {
    for (setting, told) in [
        ("link.wide.rate=0 Mbit/s", "this rate is 0"),
        ("link.wide.rate=-1 Mbit/s", "-1"),
        ("link.wide.loss=1.5", "1.5"),
        ("link.wide.loss=-0.1", "-0.1"),
    ] {
        for command in ["predict", "plan"] {
            let ended = on(TWO, command, &[setting]).expect(2);
            assert!(
                ended.stderr.starts_with(&format!("--set {setting}: ")) && ended.stderr.contains(told),
                "{ended:?}"
            );
        }
        let error = on(TWO, "plan --json", &[setting]).expect(2).json();
        assert!(error["error"]["kind"].is_string() && error["error"]["message"].is_string(), "{error:#}");
    }
    let (key, value) = ("loss = 0.001", "loss = 1.001");
    let ended = on(&TWO.replace(key, value), "plan", &[]).expect(2);
    assert!(ended.stderr.contains("test.toml:11:8: "), "{ended:?}");
}

#[test]
fn a_buffer_of_fewer_packets_than_paths_is_refused_at_its_place() {
    let small = TWO.replace("128 KiB", "1500 B");
    let ended = on(&small, "plan", &[]).expect(2);
    let told = "test.toml:22:18: a receive buffer of 1 packets is less than one packet for each of 2 paths";
    assert!(ended.stderr.contains(told), "{ended:?}");
    let error = on(&small, "plan --json", &[]).expect(2).json();
    assert_eq!((&error["error"]["line"], &error["error"]["kind"]), (&22.into(), &"value".into()));
    let predicted = on(&small, "predict --json", &[]).expect(0).json();
    assert!(
        predicted["skipped"]["markov"].as_str().is_some_and(|why| why.contains("each of 2 paths")),
        "{predicted:#}"
    );
}

#[test]
fn a_thousand_paths_are_planned_for_or_refused_and_never_hang() {
    let link = |index: usize| {
        format!(
            "[[link]]\nname = \"l{index}\"\nrate = \"{} Mbit/s\"\ndelay = \"{} ms\"\nloss = 0.001\n",
            10 + index % 90,
            5 + index % 50
        )
    };
    let links: String = (0..1000).map(link).collect();
    let text =
        |buffer: &str| format!("{links}[run]\ntime = \"1 s\"\n[flow.sctp]\nreceive_buffer = \"{buffer}\"\n");
    let refused = on(&text("1 MiB"), "plan", &[]).expect(2);
    assert!(
        refused.stderr.contains("699 packets is less than one packet for each of 1000 paths"),
        "{refused:?}"
    );
    let planned = on(&text("64 MiB"), "plan --json", &[]).expect(0).json();
    assert_eq!(planned["limits_packets"].as_array().map(Vec::len), Some(1000));
    assert!(planned["notes"].as_array().is_some_and(|notes| {
        notes.iter().any(|note| note.as_str().is_some_and(|note| note.contains("1000 paths, more than")))
    }));
    let all = on(&text("4 MiB"), "plan --method brute-force", &[]).expect(2);
    assert!(all.stderr.contains("use the exact method"), "{all:?}");
    let predicted = on(&text("64 MiB"), "predict --json --model markov", &[]).expect(0).json();
    assert_eq!(predicted["models"]["markov"]["paths"].as_array().map(Vec::len), Some(1000));
}

/// Curves up to where it is full have 17 million points: twenty plans with them took half a minute.
#[test]
fn a_plan_for_a_long_and_fast_link_leaves_out_what_would_take_longer_than_the_plan() {
    let text = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"u\"\nrate = \"100 Gbit/s\"\ndelay = \"1 s\"\n\
                [flow.sctp]\nreceive_buffer = \"1 MiB\"\n";
    let planned = on(text, "plan --json", &[]).expect(0).json();
    assert_eq!(planned["limits_packets"][0], planned["receive_buffer_packets"]);
    let notes = planned["notes"].as_array().expect("notes");
    let left_out = "the gain of a larger receive buffer is not computed: the paths are too long and too fast";
    assert!(notes.iter().any(|note| note == left_out), "{notes:#?}");
}

#[test]
fn scenarios_that_cannot_be_planned_or_written_are_refused() {
    let changing = run(anabranch("plan").arg(scenario("stairs.toml"))).expect(2);
    let told = "cannot plan for flow \"main\": link \"train\" has a changing rate";
    assert!(changing.stderr.contains(told), "{changing:?}");
    let refused = |options: &str| on(TWO, options, &[]).expect(2).stderr;
    assert!(refused("plan --step 5").contains("--step requires --method step"));
    assert!(refused("plan --plot curves.png").contains("--plot writes SVG, which curves.png is not"));
    assert!(refused("plan --method step").contains("--step <K>"));
    assert!(refused("plan --method step --step 0").contains("0 is not in 1.."));
    assert!(refused("plan --write - --json").contains("both go to standard output"));
    assert!(on(TWO, "plan --write -", &["run.seed=2"]).expect(2).stderr.contains("cannot be used with"));
    let alone = on(TWO, "plan --write -", &[])
        .expect(0)
        .stdout
        .replace("[flow.sctp]", "[flow.sctp]\nmultipath = \"off\"");
    assert!(
        on(&alone, "plan --write -", &[])
            .expect(2)
            .stderr
            .contains("its paths do not share a receive buffer")
    );
}

#[test]
fn help_has_examples_and_a_scenario_may_come_from_standard_input() {
    for command in ["predict", "plan"] {
        let help = run(&mut anabranch(&format!("{command} --help"))).expect(0).stdout;
        assert!(help.contains("Examples:") && help.contains("--loss-model"), "{help}");
    }
    let mut command = anabranch("predict --json --model markov -");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("piped").write_all(TWO.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["title"], "Two lossy paths");
    let quiet = Program::start(anabranch("plan -q").arg(scenario("two-paths.toml"))).finish().expect(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}
