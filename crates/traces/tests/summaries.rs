//! The scenario agrees with a recording's own summary, or a remark states the difference.

mod reports;

use anabranch_scenario::Source;
use anabranch_traces::{Choices, RecordedLink, Recording, TraceKind};
use reports::{Report, interval};

/// The facts of a recording, then its remarks.
fn told(text: &str) -> Vec<String> {
    let recording = Recording::read(&Source::new("f", text), None, &Choices::default());
    let recording = recording.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let link = RecordedLink::join("f", vec![recording]).expect("one recording");
    let facts = link.facts().into_iter().map(|fact| format!("{}: {}", fact.what, fact.how));
    facts.chain(link.remarks().iter().cloned()).collect()
}

fn refused(text: &str) -> String {
    let read = Recording::read(&Source::new("f", text), None, &Choices::default());
    read.expect_err(text).to_string()
}

#[track_caller]
fn says(text: &str, part: &str) {
    let told = told(text);
    assert!(told.iter().any(|line| line.contains(part)), "{part:?} is not in {told:#?}\n{text}");
}

#[track_caller]
fn says_not(text: &str, part: &str) {
    let told = told(text);
    assert!(told.iter().all(|line| !line.contains(part)), "{part:?} is in {told:#?}\n{text}");
}

/// A run of iputils' ping: the answers to probes from 1 on, in the words of one language.
fn ping(answers: &[(u64, &str)], words: [&str; 3], summary: &str) -> String {
    let [answer, time, unit] = words;
    let line = |(number, value): &(u64, &str)| {
        format!("64 {answer} 192.0.2.7: icmp_seq={number} ttl=58 {time}={value}{unit}\n")
    };
    let lines: String = answers.iter().map(line).collect();
    format!(
        "PING example.org (192.0.2.7) 56(84) bytes of data.\n{lines}\n--- example.org ping statistics ---\n{summary}\n\
         rtt min/avg/max/mdev = 18.900/19.100/19.400/0.210 ms\n"
    )
}

/// Three of ten probes answered, the last of them the fourth.
const THREE: [(u64, &str); 3] = [(1, "19.0"), (2, "19.4"), (4, "18.9")];

#[test]
fn losses_behind_the_last_answer_count_in_every_language() {
    for (words, summary) in [
        (["bytes from", "time", " ms"], "10 packets transmitted, 3 received, 70% packet loss, time 9127ms"),
        (["Bytes von", "Zeit", " ms"], "10 Pakete übertragen, 3 empfangen, 70% Paketverlust, Zeit 9127ms"),
        (
            ["bytes desde", "tiempo", " ms"],
            "10 paquetes transmitidos, 3 recibidos, 70% paquetes perdidos, tiempo 9127ms",
        ),
        (
            ["octets de", "temps", "\u{a0}ms"],
            "10\u{a0}paquets transmis, 3 reçus, 70\u{a0}% paquets perdus, temps 9127\u{a0}ms",
        ),
        (["字节，来自", "时间", " 毫秒"], "已发送 10 个包， 已接收 3 个包, 70% 包丢失, 耗时 9127 毫秒"),
        (["bayt", "zaman", " ms"], "10 paket iletildi, 3 alındı, %70 paket kaybı, zaman 9127ms"),
        (["байтів від", "час", " мс"], "Надіслано 10 пакетів, отримано 3, втрачено 70% пакетів, час 9127 мс"),
        (
            ["bytes from", "時間", " ミリ秒"],
            "送信パケット数 10, 受信パケット数 3, パケット損失 70%, 時間 9127ミリ秒",
        ),
    ] {
        let text = ping(&THREE, words, summary);
        says(&text, "loss: 7 of 10 probes have no answer");
        says(&text, "delay: half of the round trip of 3 probes; 9.45 ms to 9.7 ms");
        says_not(&text, "summary");
        // `ping -q` prints no line of a probe.
        let quiet: Vec<&str> = text.lines().filter(|line| !line.starts_with("64 ")).collect();
        says(&quiet.join("\r\n"), "loss: 7 of 10 probes have no answer");
        says(
            &quiet.join("\n"),
            "delay: half of the round trip of 3 probes, by the summary; 9.45 ms at least",
        );
    }
}

#[test]
fn moments_before_the_lines_are_no_part_of_them() {
    let text =
        ping(&THREE, ["bytes from", "time", " ms"], "10 packets transmitted, 3 received, 70% packet loss");
    for stamp in [
        "[1700000000.123]",
        "[1700000000.123456] ",
        "Nov 14 22:13:20 ",
        "Tue Nov 14 22:13:20 CET 2023: ",
        "12.345678 ",
        "2023-11-14T22:13:20.5+01:00 ",
        "14.11.2023 22:13:20.5 ",
        "22:13:20.123456 ",
    ] {
        let stamped: Vec<String> = text.lines().map(|line| format!("{stamp}{line}")).collect();
        says(&stamped.join("\n"), "loss: 7 of 10 probes have no answer");
        says(&stamped.join("\n"), "delay: half of the round trip of 3 probes");
    }
}

#[test]
fn answers_without_a_time_are_answers() {
    let text = "PING 192.0.2.1 (192.0.2.1) 1400(1428) bytes of data.\n\
                76 bytes from 192.0.2.1: icmp_seq=1 ttl=57 (truncated)\n\
                1408 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12.1 ms\n\
                76 bytes from 192.0.2.1: icmp_seq=3 ttl=57 (truncated)\n";
    let summary = "3 packets transmitted, 3 received, 0% packet loss, time 2003ms\nrtt min/avg/max/mdev = 12.1/12.1/12.1/0.0 ms\n";
    for text in [format!("{text}{summary}"), text.to_owned()] {
        says(&text, "loss: all 3 probes were answered");
        says(&text, "delay: half of the round trip of 1 probes; 6.05 ms");
    }
    // With `-s 8` no answer has a time.
    let short = "8 bytes from 192.0.2.1: icmp_seq=1 ttl=57\n2 packets transmitted, 1 received, 50% packet loss, time 9ms\n";
    says(short, "loss: 1 of 2 probes have no answer");
    says(short, "delay: 20 ms one way: not in any recording");
}

#[test]
fn runs_in_one_file_are_counted_together_and_those_of_two_hosts_refused() {
    let run = |time: &str, answered: u64| {
        let answers: Vec<(u64, &str)> = (1..=answered).map(|number| (number, time)).collect();
        let lost = 100 - answered * 20;
        let summary = format!("5 packets transmitted, {answered} received, {lost}% packet loss, time 4001ms");
        ping(&answers, ["bytes from", "time", " ms"], &summary)
            .replace("18.900/19.100", &format!("{time}/{time}"))
    };
    let (first, second) = (run("20.0", 5), run("40.0", 3));
    let twice = format!("{first}{second}");
    says(&twice, "loss: 2 of 10 probes have no answer");
    says(&twice, "delay: half of the round trip of 8 probes; 10 ms to 20 ms");
    says(&twice, "The file has 2 runs of ping");
    says_not(&twice, "The summary");
    // Filtered with grep, the file has neither first lines nor summaries.
    let filtered: Vec<&str> = twice.lines().filter(|line| line.starts_with("64 ")).collect();
    says(&filtered.join("\n"), "loss: all 8 probes were answered");
    says(&filtered.join("\n"), "There is no summary");
    let other = second.replace("PING example.org", "PING example.net");
    assert!(refused(&format!("{first}{other}")).contains("to \"example.org\" and to \"example.net\""));
}

#[test]
fn a_summary_that_contradicts_itself_or_the_lines_is_refused_or_said() {
    let words = ["bytes from", "time", " ms"];
    let of = |summary: &str| ping(&THREE, words, summary);
    assert!(
        refused(&of("10 packets transmitted, 3 received, 20% packet loss")).contains("contradicts itself")
    );
    assert!(
        refused(&of("3 packets transmitted, 3 received, 0% packet loss"))
            .contains("the lines before it are of 4")
    );
    let cut = of("10 packets transmitted, 9 received, 10% packet loss");
    says(&cut, "loss: 1 of 10 probes have no answer");
    says(&cut, "The summary says 9 of 10 answered, the lines 3");
    let other =
        of("4 packets transmitted, 3 received, 25% packet loss").replace("18.900/19.100", "18.900/25.100");
    says(&other, "The summary says round trips of 18.9 ms at least and 25.1 ms on average");
}

#[test]
fn windows_ping_is_read_in_every_language() {
    let english = "\r\nPinging example.org [192.0.2.7] with 32 bytes of data:\r\n\
                   Reply from 192.0.2.7: bytes=32 time=14ms TTL=57\r\n\
                   Request timed out.\r\n\
                   Reply from 192.0.2.7: bytes=32 time<1ms TTL=57\r\n\
                   Request timed out.\r\n\r\n\
                   Ping statistics for 192.0.2.7:\r\n\
                   \x20   Packets: Sent = 4, Received = 2, Lost = 2 (50% loss),\r\n\
                   Approximate round trip times in milli-seconds:\r\n\
                   \x20   Minimum = 0ms, Maximum = 14ms, Average = 7ms\r\n";
    let german = "\r\nPing wird ausgeführt für example.org [192.0.2.7] mit 32 Bytes Daten:\r\n\
                  Antwort von 192.0.2.7: Bytes=32 Zeit=14ms TTL=57\r\n\
                  Zeitüberschreitung der Anforderung.\r\n\
                  Antwort von 192.0.2.7: Bytes=32 Zeit<1ms TTL=57\r\n\
                  Zeitüberschreitung der Anforderung.\r\n\r\n\
                  Ping-Statistik für 192.0.2.7:\r\n\
                  \x20   Pakete: Gesendet = 4, Empfangen = 2, Verloren = 2\r\n\
                  \x20   (50% Verlust),\r\n\
                  Ca. Zeitangaben in Millisek.:\r\n\
                  \x20   Minimum = 0ms, Maximum = 14ms, Mittelwert = 7ms\r\n";
    let russian = "Обмен пакетами с 192.0.2.7 по с 32 байтами данных:\n\
                   Ответ от 192.0.2.7: число байт=32 время=14мс TTL=57\n\
                   Превышен интервал ожидания для запроса.\n\
                   Ответ от 192.0.2.7: число байт=32 время=1мс TTL=57\n\
                   Превышен интервал ожидания для запроса.\n";
    for text in [english, german, russian] {
        says(text, "loss: 2 of 4 probes have no answer");
        says(text, "delay: half of the round trip of 2 probes; 500 us to 7 ms");
    }
    for text in [english, german] {
        says_not(text, "The summary");
        assert!(refused(&text.replace("= 2, ", "= 3, ")).contains("contradicts itself"), "{text}");
    }
    let unreachable =
        english.replace("Request timed out.", "Reply from 192.0.2.9: Destination host unreachable.");
    let unreachable = unreachable.replace("Received = 2, Lost = 2 (50%", "Received = 4, Lost = 0 (0%");
    says(&unreachable, "loss: 2 of 4 probes have no answer");
    says(&unreachable, "errors such as an unreachable host as answers, 2 of its 4");
}

#[test]
fn fping_is_read_with_its_lines_with_its_summary_or_with_both() {
    let lines = "a.org : [0], 64 bytes, 12.1 ms (12.1 avg, 0% loss)\n\
                 a.org : [1], timed out (12.1 avg, 50% loss)\n\
                 a.org : [2], 64 bytes, 12.3 ms (12.2 avg, 33% loss)\n";
    let times = "\na.org : 12.1 - 12.3\n";
    let shares = "\na.org : xmt/rcv/%loss = 3/2/33%, min/avg/max = 12.1/12.2/12.3\n";
    for text in [lines.to_owned(), format!("{lines}{times}"), format!("{lines}{shares}"), times.to_owned()] {
        says(&text, "loss: 1 of 3 probes have no answer");
        says(&text, "delay: half of the round trip of 2 probes; 6.05 ms to 6.15 ms");
    }
    says(shares, "delay: half of the round trip of 2 probes, by the summary; 6.05 ms at least");
    let stamped: String = lines.lines().map(|line| format!("[1700000000.5] {line}\n")).collect();
    says(&stamped, "loss: 1 of 3 probes have no answer");
    assert!(
        refused(&format!("{lines}b.org : [0], 64 bytes, 1.1 ms (1.1 avg, 0% loss)\n"))
            .contains("\"a.org\" and of \"b.org\"")
    );
    assert!(refused(&shares.replace("33%", "20%")).contains("contradicts itself"));
}

#[test]
fn late_datagrams_and_those_that_the_end_counts_are_balanced() {
    let reordered = Report::udp(&[50, -50, 50, -50, 50, -50]).reverse().end("sum", 0, 6_000);
    says(&reordered.text(), "loss: 0 of 6000 datagrams, interval by interval");
    let burst = Report::udp(&[0, 60, -20, 5]).reverse().end("sum", 45, 4_000);
    says(&burst.text(), "loss: 45 of 4000 datagrams, interval by interval");
    says_not(&burst.text(), "the report's end");
    let hidden = Report::udp(&[0, 0, 0, 0]).reverse().end("sum", 200, 4_000);
    says(&hidden.text(), "loss: 200 of 4000 datagrams, over the whole test");
    says(&hidden.text(), "The intervals count 0 of 4000 datagrams lost, and the report's end 200 of 4000");
}

#[test]
fn more_lost_than_sent_is_no_loss_and_is_said() {
    let report = Report::udp(&[]).sent(5).end("sum", 129_007, 71_811);
    says(&report.text(), "129007 of 71811 datagrams were lost, which cannot be");
    says(&report.text(), "loss: none");
}

#[test]
fn a_test_that_sends_more_than_the_link_carries_gives_what_arrived_and_no_random_loss() {
    let report = Report::udp(&[]).sent(10).end("sum", 77_697, 86_330).rates(20e6, 2e6);
    says(&report.text(), "rate: what arrived over the whole test");
    says(&report.text(), "2.04 Mbit/s on average");
    says(&report.text(), "loss: none: 77697 of 86330 datagrams did not arrive");
    // Older versions say nothing of what arrived but the losses.
    let older = Report::udp(&[]).sent(10).end("sum", 5_000, 10_000);
    says(&older.text(), "10.2 Mbit/s on average");
    says(&older.text(), "loss: none: 5000 of 10000");
    // A receiver's rates are what arrived already.
    let reverse = Report::udp(&[500, 510, 490]).reverse().end("sum", 1_500, 3_000);
    says(&reverse.text(), "3 intervals of iperf3, as received");
    says(&reverse.text(), "loss: none: 1500 of 3000");
    let lossy = Report::udp(&[]).sent(10).end("sum", 300, 10_000).rates(20e6, 19.4e6);
    says(&lossy.text(), "loss: 300 of 10000 datagrams, over the whole test");
    says(&lossy.text(), "10 intervals of iperf3, as sent");
}

#[test]
fn the_way_back_of_a_test_in_both_directions_has_its_losses() {
    let report = Report::udp(&[]).sent(4).end("sum", 0, 4_000).back(&[100, 100, 100, 100]);
    says(&report.clone().end("sum_bidir_reverse", 400, 4_000).text(), "reverse: loss: 400 of 4000 datagrams");
    says(
        &report.clone().end("sum_bidir_reverse", 500, 4_000).text(),
        "Reverse direction: The intervals count 400",
    );
    says(
        &report.end("sum_bidir_reverse", 900, 100).text(),
        "Reverse direction: The report says that 900 of 100",
    );
}

#[test]
fn rates_that_the_end_contradicts_are_said() {
    let tcp = |sent: f64, received: f64| Report::of("TCP").sent(5).rates(sent, received).text();
    says_not(&tcp(20e6, 19.5e6), "Mbit/s of user data");
    says(
        &tcp(30e6, 29e6),
        "The report's end says 30.0 Mbit/s of user data on average, its intervals 20.0 Mbit/s",
    );
    // What a sender's buffers take at once never was on the link.
    says(&tcp(20e6, 4e6), "rate: what arrived over the whole test");
}

#[test]
fn a_report_is_found_between_other_lines_and_read_once_where_it_is_printed_twice() {
    let report = Report::udp(&[0, 0]).reverse().end("sum", 0, 2_000).text();
    says(&format!("{report}\n{report}\n"), "The report is in the file twice, and read once.");
    let warned = format!(
        "warning: UDP block size 1460 exceeds TCP MSS 1448, may result in fragmentation\n{report}\nDone.\n"
    );
    says(&warned, "A line before the report not read: \"warning: UDP block size 1460 exceeds");
    says(&warned, "A line after the report not read: \"Done.\"");
    let other = Report::udp(&[9, 0]).reverse().end("sum", 9, 2_000).text();
    assert!(refused(&format!("{report}\n{other}")).contains("a second report begins here"));
    let stream = format!("note\n{{\"event\":\"start\"}}\n{}", interval(0, 1e6, None));
    assert!(refused(&stream).contains("--json-stream"));
}

#[test]
fn reports_have_the_name_of_their_transport() {
    let made_by = |protocol: &str| {
        let source = Source::new("f", Report::of(protocol).sent(2).text());
        let recording =
            Recording::read(&source, Some(TraceKind::Iperf3), &Choices::default()).expect("a report");
        RecordedLink::join("f", vec![recording]).expect("a link").files[0].1.clone()
    };
    for (protocol, name) in
        [("TCP", "TCP"), ("UDP", "UDP"), ("SCTP", "SCTP"), ("", "TCP"), ("quic\n", "QUIC")]
    {
        assert_eq!(made_by(protocol), format!("iperf 3.17, {name}"));
    }
    says(&Report::of("SCTP").sent(2).text(), "(1500 B for 1452 B of data)");
}

#[test]
fn cells_without_a_value_decimal_commas_and_dates_are_read() {
    let german = "Time;Rate (Mbit/s);rtt_ms\n2023-11-14T22:13:20.5Z;8,5;20,4\n2023-11-14T22:13:21.5Z;-;N/A\n2023-11-14T22:13:22.5Z;9,5;20,4\n";
    says(german, "rate: the column `Rate (Mbit/s)`, 3 rows; 8.50 Mbit/s to 9.50 Mbit/s");
    says(german, "delay: half of the column `rtt_ms`, 3 rows; 10.2 ms to 10.2 ms");
    says(german, "Cells without a value: 2;");
    for times in [
        ["22:13:20", "22:13:21"],
        ["[1699999999.123]", "[1700000000.123]"],
        ["14.11.2023 22:13:20.5", "14.11.2023 22:13:21.5"],
        ["23:59:59.5", "00:00:00.5"],
    ] {
        let [first, second] = times;
        says(&format!("time,rate_mbps\n{first},8\n{second},4\n"), "8.00 Mbit/s, 6.00 Mbit/s on average");
    }
    assert!(refused("time_s;rate_mbps\n0;8,5\n1;8.5\n").contains("another decimal mark"));
    assert!(refused("time_s,rate_mbps\n0,-\n1,N/A\n").contains("no row has a value"));
}

#[test]
fn a_unit_is_the_same_in_a_column_and_in_its_cells() {
    for unit in ["MBps", "MBPS", "KBps", "KB/s", "mb/s", "MB", "m", "Mbps", "MB/s", "kbit/s", "Kb/s", "B/s"] {
        let read = |text: String| {
            let recording = Recording::read(&Source::new("f", text), None, &Choices::default()).ok()?;
            RecordedLink::join("f", vec![recording]).ok().map(|link| link.facts()[0].how.clone())
        };
        let mean = |told: String| told.rsplit_once("; ").map(|(_, rates)| rates.to_owned());
        let named = read(format!("time_s,rate_{unit}\n0,2\n1,2\n")).and_then(mean);
        let in_cells = read(format!("time_s,rate\n0,2 {unit}\n1,2 {unit}\n")).and_then(mean);
        assert_eq!(named, in_cells, "{unit}");
    }
}
