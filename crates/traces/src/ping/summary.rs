//! The summary at the end of `ping`, recognised by its structure: counts of probes sent and received, a matching share
//! of losses, a time. The words between may be of any language.

use anabranch_base::Duration;

use super::plain::milliseconds;

/// The counts of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub transmitted: u64,
    pub received: u64,
    /// The duration, if given.
    pub time: Option<Duration>,
}

/// The least and the mean round trip.
pub(super) type RoundTrips = (Duration, Duration);

impl Counts {
    /// Parses `10 packets transmitted, 3 received, 70% packet loss, time 9127ms`; `None` for any other line.
    ///
    /// # Errors
    /// The contradiction within the line.
    pub(super) fn of(line: &str) -> Option<Result<Counts, String>> {
        // Errors and duplicates, such as `+3 errors`, belong to neither count.
        let parts: Vec<&str> = line.split(", ").filter(|part| !part.trim_start().starts_with('+')).collect();
        let share = parts.iter().position(|part| part.contains('%'));
        // BSD prints no share where more was received than sent.
        if share.is_none() && !line.contains("packets transmitted") {
            return None;
        }
        let counts = &parts[..share.unwrap_or(parts.len())];
        let counts: Vec<u64> = counts.iter().filter_map(|part| count(part)).collect();
        let [transmitted, received, ..] = counts[..] else { return None };
        let time = parts[share.unwrap_or(parts.len() - 1)..].iter().skip(1).find_map(|part| time(part));
        let counts = Counts { transmitted, received, time };
        let Some(percent) = share.and_then(|share| percent(parts[share])) else { return Some(Ok(counts)) };
        Some(if counts.agrees(percent) { Ok(counts) } else { Err(counts.contradiction(percent)) })
    }

    /// Parses `Packets: Sent = 4, Received = 3, Lost = 1 (25% loss)`.
    ///
    /// # Errors
    /// The contradiction between the numbers.
    pub(crate) fn of_three(transmitted: u64, received: u64, lost: u64) -> Result<Counts, String> {
        if received.checked_add(lost) == Some(transmitted) {
            return Ok(Counts { transmitted, received, time: None });
        }
        Err(format!("this summary contradicts itself: {received} received and {lost} lost of {transmitted}"))
    }

    /// Parses fping's `5/4/20%`.
    ///
    /// # Errors
    /// The contradiction between the numbers.
    pub(crate) fn of_shares(text: &str) -> Option<Result<Counts, String>> {
        let mut parts = text.split('/');
        let (transmitted, received) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let percent = percent(parts.next()?)?;
        let counts = Counts { transmitted, received, time: None };
        Some(if counts.agrees(percent) { Ok(counts) } else { Err(counts.contradiction(percent)) })
    }

    /// Accepts shares rounded down to whole per cent, and full ones.
    fn agrees(&self, percent: f64) -> bool {
        let lost = self.transmitted.saturating_sub(self.received) as f64;
        let share = 100.0 * lost / self.transmitted.max(1) as f64;
        self.received <= self.transmitted && (share - percent).abs() < 1.0
    }

    fn contradiction(&self, percent: f64) -> String {
        let Counts { transmitted, received, .. } = self;
        format!("this summary contradicts itself: {received} of {transmitted} received, and {percent} % lost")
    }
}

/// Parses `rtt min/avg/max/mdev = 11.801/12.350/13.072/0.412 ms` with any words.
pub(super) fn round_trips(line: &str) -> Option<RoundTrips> {
    let (names, values) = line.rsplit_once('=')?;
    let values: Vec<&str> = values.trim().split('/').collect();
    if !names.contains('/') || !(3..=4).contains(&values.len()) {
        return None;
    }
    let last = values.last()?;
    let end = last.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(last.len());
    let unit = last[end..].split([',', ' ']).find(|word| !word.is_empty()).unwrap_or_default();
    let value = |index: usize| milliseconds(values[index].trim(), unit);
    value(0).zip(value(1)).filter(|(least, mean)| least <= mean)
}

/// The only whole number of a part.
fn count(part: &str) -> Option<u64> {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '/' | '+' | ':');
    let mut numbers =
        part.split(|c: char| !is_of_number(c)).filter(|number| number.contains(|c: char| c.is_ascii_digit()));
    let number = numbers.next()?.parse().ok()?;
    (numbers.next().is_none() && number < 1 << 40).then_some(number)
}

/// The number before the percent sign, or behind it as in Turkish.
fn percent(part: &str) -> Option<f64> {
    let (before, behind) = part.split_once('%')?;
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | '+' | '-');
    let before = before.trim_end();
    let start = before
        .rfind(|c: char| !is_of_number(c))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let end = behind.find(|c: char| !is_of_number(c)).unwrap_or(behind.len());
    let number = |text: &str| text.replace(',', ".").parse::<f64>().ok().filter(|number| number.is_finite());
    number(&before[start..]).or_else(|| number(&behind[..end]))
}

/// The time in `time 9127ms`.
fn time(part: &str) -> Option<Duration> {
    let start = part.find(|c: char| c.is_ascii_digit())?;
    let end = part[start..].find(|c: char| !c.is_ascii_digit()).map_or(part.len(), |end| start + end);
    milliseconds(&part[start..end], "ms")
}

#[cfg(test)]
mod tests {
    use super::super::plain::plain;
    use super::*;

    #[test]
    fn summaries_are_read_in_every_language_of_iputils() {
        for line in [
            "10 packets transmitted, 3 received, +2 duplicates, 70% packet loss, time 9127ms",
            "10 paketů odesláno, 3 přijato, 70% ztráta paketů, čas 9127 ms",
            "10 Pakete übertragen, 3 empfangen, +1 Duplikate, 70% Paketverlust, Zeit 9127ms",
            "10 paquetes transmitidos, 3 recibidos, 70% paquetes perdidos, tiempo 9127ms",
            "10 paketteja lähetetty, 3 otettu vastaan, 70 % pakettihäviö, aika 9127 ms",
            "10\u{a0}paquets transmis, 3 reçus, 70\u{a0}% paquets perdus, temps 9127\u{a0}ms",
            "10 paket dikirim, 3 diterima, 70% paket hilang, waktu 9127ms",
            "10 pacchetti trasmessi, 3 ricevuti, 70% pacchetti persi, tempo 9127ms",
            "送信パケット数 10, 受信パケット数 3, パケット損失 70%, 時間 9127ミリ秒",
            "გადაცემულია 10 პაკეტი, მიღებულია 3, 70% პაკეტი დაიკარგა, დრო 9127მწმ",
            "10 ikemmas yettwaṭfen, 3 yettwaṭṭfen, 70% d akemmus iruḥen, akud 9127mts",
            "10 패킷이 전송됨, 3 수신됨, 70% 패킷 손실, 시간 9127ms",
            "10 pakker sendt, 3 mottatt, 70% pakketap, tid 9127ms",
            "10 pacotes transmitidos, 3 recebidos, 70% perda de pacote, tempo 9127ms",
            "10 pachete transmise, 3 primite, 70% pierderi de pachete, timp 9127ms",
            "10 пакетов передано, 3 получено, 70% потеряно, время 9127мс",
            "10 paket iletildi, 3 alındı, %70 paket kaybı, zaman 9127ms",
            "Надіслано 10 пакетів, отримано 3, втрачено 70% пакетів, час 9127 мс",
            "已发送 10 个包， 已接收 3 个包, 70% 包丢失, 耗时 9127 毫秒",
            "已發送 10 個封包，已接收 3 個封包，70％ 封包遺失，時間 9127ms",
        ] {
            let time = Some(Duration::from_millis(9_127));
            let expected = Counts { transmitted: 10, received: 3, time };
            assert_eq!(Counts::of(&plain(line)), Some(Ok(expected)), "{line}");
        }
    }

    #[test]
    fn summaries_of_other_programs_are_read() {
        let read = |line: &str| {
            Counts::of(line).map(|counts| counts.map(|counts| (counts.transmitted, counts.received)))
        };
        for (line, expected) in [
            ("20 packets transmitted, 19 packets received, 5.0% packet loss", Some(Ok((20, 19)))),
            ("3 packets transmitted, 2 received, 33,3333% packet loss, time 2ms", Some(Ok((3, 2)))),
            ("3 packets transmitted, 2 packets received, 33% packet loss", Some(Ok((3, 2)))),
            ("5 packets transmitted, 0 received, +5 errors, 100% packet loss, time 4ms", Some(Ok((5, 0)))),
            (
                "1 packets transmitted, 2 packets received, -- somebody's printing up packets!",
                Some(Ok((1, 2))),
            ),
            // The line printed on SIGQUIT has received before sent.
            ("3/4 packets, 25% loss, min/avg/ewma/max = 18.9/19.1/19.1/19.4 ms", None),
            ("--- 192.0.2.1 ping statistics ---", None),
            ("the battery has 20%", None),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        let wrong = Counts::of("10 packets transmitted, 3 received, 20% packet loss").expect("a summary");
        assert!(wrong.is_err_and(|why| why.contains("3 of 10 received, and 20 % lost")));
        assert!(Counts::of_three(4, 3, 2).is_err());
        assert_eq!(Counts::of_shares("5/4/20%").expect("counts").map(|counts| counts.received), Ok(4));
    }

    #[test]
    fn round_trips_are_read_whatever_their_names_and_marks() {
        let expected = Some((Duration::from_micros(11_801), Duration::from_micros(12_350)));
        for line in [
            "rtt min/avg/max/mdev = 11.801/12.350/13.072/0.412 ms",
            "rtt min/avg/max/mdev = 11.801/12.350/13.072/0.412 ms, pipe 4",
            "rtt min/moy/max/mdev = 11,801/12,350/13,072/0,412 ms",
            "rtt 最小/平均/最大/mdev = 11.801/12.350/13.072/0.412ミリ秒",
            "round-trip min/avg/max = 11.801/12.350/13.072 ms",
            "192.0.2.1 : xmt/rcv/%loss = 5/4/20%, min/avg/max = 11.801/12.350/13.072",
        ] {
            assert_eq!(round_trips(line), expected, "{line}");
        }
        assert_eq!(round_trips("a = 1/2/3"), None);
    }
}
