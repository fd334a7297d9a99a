//! Reads the events of a script: their times, and their calls, packets, commands and changes of paths.

use std::net::IpAddr;

use anabranch_base::{Duration, Ecn};

use super::lex::{Token, Word, at_line};
use super::value::Words;
use super::{
    Action, Body, Call, Checksum, Content, Icmp, Packet, PathEvent, ScriptError, ScriptEvent, ScriptOption,
    SctpPacket, Value, When,
};

/// The options at the head of `text`, and the text without them.
pub(super) fn take_options(text: &str) -> (Vec<ScriptOption>, String) {
    let mut options = Vec::new();
    let mut rest = String::with_capacity(text.len());
    let mut is_head = true;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        match trimmed.strip_prefix("--").filter(|_| is_head) {
            Some(option) => {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                let value = value.trim_matches('"').to_owned();
                options.push(ScriptOption { line: at + 1, name: name.to_owned(), value });
            }
            None => {
                is_head &= trimmed.is_empty();
                rest.push_str(line);
            }
        }
        rest.push('\n');
    }
    (options, rest)
}

/// Reads events.
#[derive(Debug)]
pub(super) struct Events<'a> {
    words: Words<'a>,
}

impl<'a> Events<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Events<'a> {
        Events { words: Words::new(tokens) }
    }

    pub(super) fn read_all(mut self) -> Result<Vec<ScriptEvent>, ScriptError> {
        let mut events = Vec::new();
        while self.words.peek().is_some() {
            events.push(self.event()?);
        }
        Ok(events)
    }

    fn event(&mut self) -> Result<ScriptEvent, ScriptError> {
        let line = self.words.line();
        let when = self.when()?;
        let returns = if self.words.peek() == Some(&Word::Dots) {
            self.words.take()?;
            Some(self.time()?)
        } else {
            None
        };
        let action = match self.words.peek() {
            Some(Word::Command(command)) => {
                self.words.take()?;
                Action::Command(command.clone())
            }
            Some(Word::Sign('<')) => {
                self.words.take()?;
                Action::Inject(self.packet()?)
            }
            Some(Word::Sign('>')) => {
                self.words.take()?;
                if self.words.peek() == Some(&Word::Name("nothing".to_owned())) {
                    self.words.take()?;
                    Action::Quiet
                } else {
                    Action::Expect(self.packet()?)
                }
            }
            Some(Word::Sign('[')) => {
                let path = self.path()?;
                Action::Path(path, self.path_event()?)
            }
            Some(Word::Sign('%')) => {
                return Err(at_line(line, "code between `%{` and `}%` is not understood"));
            }
            _ => Action::Call(self.call(returns)?),
        };
        Ok(ScriptEvent { line, when, action })
    }

    /// `0.1`, `+0.1`, `0.1~0.2`, `+0.1~+0.2` or `*`.
    fn when(&mut self) -> Result<When, ScriptError> {
        if self.words.skip('*') {
            return Ok(When::Any);
        }
        let is_relative = self.words.skip('+');
        let from = self.time()?;
        if !self.words.skip('~') {
            return Ok(if is_relative { When::After(from) } else { When::At(from) });
        }
        self.words.skip('+');
        let to = self.time()?;
        Ok(if is_relative { When::AfterBetween(from, to) } else { When::Between(from, to) })
    }

    fn time(&mut self) -> Result<Duration, ScriptError> {
        let line = self.words.line();
        let text = match self.words.peek() {
            Some(Word::Number(text)) => text.clone(),
            // `.5`
            Some(Word::Sign('.')) => {
                self.words.take()?;
                match self.words.peek() {
                    Some(Word::Number(digits)) => format!("0.{digits}"),
                    _ => return Err(self.words.unexpected("a time in seconds")),
                }
            }
            _ => return Err(self.words.unexpected("a time: `+0.1`, `0.1` or `*`")),
        };
        self.words.take()?;
        let nanos =
            nanoseconds(&text).ok_or_else(|| at_line(line, format!("`{text}` is not a time in seconds")))?;
        Ok(Duration::from_nanos(nanos))
    }

    /// `[1]`: the number of a path.
    fn path(&mut self) -> Result<usize, ScriptError> {
        self.words.expect('[')?;
        let number = self.words.number()?;
        self.words.expect(']')?;
        usize::try_from(number).map_err(|_| at_line(self.words.line(), "a path has a number from 0"))
    }

    fn path_event(&mut self) -> Result<PathEvent, ScriptError> {
        match self.words.peek() {
            Some(Word::Name(name)) if name == "down" => {
                self.words.take()?;
                Ok(PathEvent::Down)
            }
            Some(Word::Name(name)) if name == "up" => {
                self.words.take()?;
                Ok(PathEvent::Up)
            }
            _ => Err(self.words.unexpected("`up` or `down`")),
        }
    }

    fn call(&mut self, returns: Option<Duration>) -> Result<Call, ScriptError> {
        let name = self.words.name()?.to_owned();
        self.words.expect('(')?;
        let arguments = self.words.separated(')', Words::value)?;
        let result = match self.words.skip('=') {
            true if self.words.peek() == Some(&Word::Dots) => {
                self.words.take()?;
                None
            }
            true => Some(self.words.value()?),
            false => None,
        };
        let error = match self.words.peek() {
            Some(Word::Name(error)) => {
                self.words.take()?;
                Some(error.clone())
            }
            _ => None,
        };
        self.note()?;
        Ok(Call { name, arguments, returns, result, error })
    }

    /// `(Operation now in progress)`: an explanation, which is skipped.
    fn note(&mut self) -> Result<(), ScriptError> {
        if self.words.skip('(') { self.note_until_end() } else { Ok(()) }
    }

    fn note_until_end(&mut self) -> Result<(), ScriptError> {
        while !self.words.skip(')') {
            self.words.take()?;
        }
        Ok(())
    }

    fn packet(&mut self) -> Result<Packet, ScriptError> {
        let mut packet = Packet { path: None, addresses: None, ecn: None, body: Body::Icmp(Icmp::default()) };
        if self.words.peek() == Some(&Word::Sign('[')) {
            match self.words.peek_second() {
                Some(Word::Number(_)) => packet.path = Some(self.path()?),
                Some(Word::Name(name)) if name != "sctp" => packet.ecn = Some(self.codepoint()?),
                _ => {}
            }
        }
        if self.words.peek() == Some(&Word::Sign('[')) && ecn(self.words.peek_second()).is_some() {
            packet.ecn = Some(self.codepoint()?);
        }
        if matches!(self.words.peek(), Some(Word::Number(_))) {
            let source = self.address()?;
            self.words.expect('>')?;
            packet.addresses = Some((source, self.address()?));
        }
        self.quoted()?;
        packet.body = match self.words.name()? {
            "sctp" => Body::Sctp(self.sctp()?),
            "icmp" => {
                let icmp = self.icmp()?;
                self.quoted()?;
                Body::Icmp(icmp)
            }
            other => {
                return Err(at_line(self.words.line(), format!("packets of `{other}` are not understood")));
            }
        };
        Ok(packet)
    }

    /// `[sctp(2)]`: what an ICMP message quotes. It quotes the last packet, whatever the script says.
    fn quoted(&mut self) -> Result<(), ScriptError> {
        if self.words.skip('[') {
            while !self.words.skip(']') {
                self.words.take()?;
            }
        }
        Ok(())
    }

    /// `[ect0]`
    fn codepoint(&mut self) -> Result<Ecn, ScriptError> {
        self.words.expect('[')?;
        let codepoint =
            ecn(self.words.peek()).ok_or_else(|| self.words.unexpected("`noecn`, `ect0`, `ect1` or `ce`"))?;
        self.words.take()?;
        self.words.expect(']')?;
        Ok(codepoint)
    }

    fn address(&mut self) -> Result<IpAddr, ScriptError> {
        let line = self.words.line();
        match self.words.take()? {
            Word::Number(text) => {
                text.parse().map_err(|_| at_line(line, format!("`{text}` is not an address")))
            }
            _ => Err(at_line(line, "expected an IPv4 address")),
        }
    }

    /// `/udp(9899>9899)`: the ports of the encapsulation, which are those of the machine.
    fn encapsulation(&mut self) -> Result<(), ScriptError> {
        if self.words.skip('/') {
            self.words.name()?;
            self.words.expect('(')?;
            self.note_until_end()?;
        }
        Ok(())
    }

    /// `(tag=1): INIT[…]; DATA[…]` or `: [0x01, …]`, after `sctp`.
    fn sctp(&mut self) -> Result<SctpPacket, ScriptError> {
        let (mut tag, mut checksum) = (None, Checksum::Right);
        if self.words.skip('(') {
            for option in self.words.separated(')', header_option)? {
                match option {
                    HeaderOption::Tag(number) => tag = Some(number),
                    HeaderOption::Checksum(kind) => checksum = kind,
                    HeaderOption::Ports => {}
                }
            }
        }
        self.encapsulation()?;
        self.words.expect(':')?;
        if self.words.skip('[') {
            let bytes = self.words.separated(']', byte)?;
            return Ok(SctpPacket { tag, checksum, content: Content::Bytes(bytes) });
        }
        let mut chunks = Vec::new();
        // A packet may have no chunk: `< sctp: `.
        while let (Some(Word::Name(_)), Some(Word::Sign('['))) = (self.words.peek(), self.words.peek_second())
        {
            match self.words.value()? {
                Value::Node(chunk) => chunks.push(chunk),
                _ => return Err(self.words.unexpected("a chunk")),
            }
            if !self.words.skip(';') {
                break;
            }
        }
        Ok(SctpPacket { tag, checksum, content: Content::Chunks(chunks) })
    }

    /// `unreachable frag_needed mtu 1500`, after `icmp`.
    fn icmp(&mut self) -> Result<Icmp, ScriptError> {
        let kind = self.words.name()?.to_owned();
        let mut icmp = Icmp { kind, ..Icmp::default() };
        if let Some(Word::Name(code)) = self.words.peek()
            && code != "mtu"
        {
            self.words.take()?;
            icmp.code.clone_from(code);
        }
        if self.words.peek() == Some(&Word::Name("mtu".to_owned())) {
            self.words.take()?;
            icmp.mtu = u64::try_from(self.words.number()?).ok();
        }
        Ok(icmp)
    }
}

/// An option of the common header.
#[derive(Clone, Copy, Debug)]
enum HeaderOption {
    Tag(u32),
    Checksum(Checksum),
    /// `8080 > 9090`, which say nothing here: the ports are those of the sockets.
    Ports,
}

fn header_option(words: &mut Words<'_>) -> Result<HeaderOption, ScriptError> {
    let line = words.line();
    match words.value()? {
        Value::Name(name) if name == "tag" => {
            words.expect('=')?;
            let number = words.number()?;
            u32::try_from(number)
                .map(HeaderOption::Tag)
                .map_err(|_| at_line(line, format!("{number} is not a tag")))
        }
        Value::Name(name) if name == "bad_crc32c" => Ok(HeaderOption::Checksum(Checksum::Bad)),
        Value::Name(name) if name == "zero_checksum" => Ok(HeaderOption::Checksum(Checksum::Zero)),
        Value::Number(_) if words.skip('>') => words.number().map(|_| HeaderOption::Ports),
        other => Err(at_line(line, format!("`{other}` is not part of the common header"))),
    }
}

fn byte(words: &mut Words<'_>) -> Result<u8, ScriptError> {
    let line = words.line();
    let number = words.number()?;
    u8::try_from(number).map_err(|_| at_line(line, format!("{number} is not a byte")))
}

fn ecn(word: Option<&Word>) -> Option<Ecn> {
    match word {
        Some(Word::Name(name)) => match name.as_str() {
            "noecn" => Some(Ecn::NotEct),
            "ect0" => Some(Ecn::Ect0),
            "ect1" => Some(Ecn::Ect1),
            "ce" => Some(Ecn::Ce),
            _ => None,
        },
        _ => None,
    }
}

/// The nanoseconds that `text` writes in seconds.
fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = part.chars().chain("000000000".chars()).take(9).collect();
    let whole: u64 = whole.parse().ok()?;
    whole.checked_mul(1_000_000_000)?.checked_add(digits.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::{Script, Symbols};
    use super::*;

    fn events(text: &str) -> Vec<ScriptEvent> {
        Script::read(text, &Symbols::default()).expect("a script").events
    }

    #[test]
    fn times_are_read_in_each_notation() {
        let whens: Vec<When> = events("0.5 close(3) = 0\n+.25 close(3)\n* close(3)\n+0.1~+0.2 close(3)\n")
            .iter()
            .map(|event| event.when)
            .collect();
        let ms = Duration::from_millis;
        assert_eq!(
            whens,
            [When::At(ms(500)), When::After(ms(250)), When::Any, When::AfterBetween(ms(100), ms(200))]
        );
    }

    #[test]
    fn a_call_has_its_result_its_error_and_no_note() {
        let events = events(
            "+0.1 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)\n+0...0.1 read(3) = 2",
        );
        let Action::Call(call) = &events[0].action else { panic!("a call") };
        assert_eq!((call.name.as_str(), call.result.clone()), ("connect", Some(Value::Number(-1))));
        assert_eq!((call.error.as_deref(), call.arguments.len()), (Some("EINPROGRESS"), 3));
        let Action::Call(call) = &events[1].action else { panic!("a call") };
        assert_eq!(call.returns, Some(Duration::from_millis(100)));
    }

    #[test]
    fn packets_have_paths_tags_and_several_chunks() {
        let events =
            events("+0 < [1] [ce] sctp(tag=7): ABORT[flgs=T];\n ERROR[flgs=0]\n+0 [1] down\n+0 > sctp: \n");
        let Action::Inject(packet) = &events[0].action else { panic!("a packet") };
        let Body::Sctp(sctp) = &packet.body else { panic!("of SCTP") };
        assert_eq!((packet.path, packet.ecn, sctp.tag), (Some(1), Some(Ecn::Ce), Some(7)));
        let Content::Chunks(chunks) = &sctp.content else { panic!("chunks") };
        assert_eq!(chunks.len(), 2);
        assert_eq!(events[1].action, Action::Path(1, PathEvent::Down));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("\n+0.1 < tcp: S 0:0(0)", "2: packets of `tcp` are not understood"),
            ("+0.1 close(3", "1: expected `,`, got the end of the script"),
            ("close(3)", "1: expected a time: `+0.1`, `0.1` or `*`, got `close`"),
        ] {
            let error = Script::read(text, &Symbols::default()).expect_err("no script");
            assert_eq!(error.to_string(), message);
        }
    }
}
