//! The sending half of a test: messages as fast as the transport accepts them, or each at its due time.

use crate::protocol::{Ask, Dropped, Frame, Order, SenderReport, data, encode};
use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_net::{Association, SendError, SendOptions, TrySendError};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::clock::of_machine;

/// Sends the messages of `ask` for its duration.
///
/// # Errors
/// The association has ended.
pub(crate) async fn send(association: Association, ask: Ask) -> Result<SenderReport, SendError> {
    match ask.rate {
        None => send_all(association, ask).await,
        Some(rate) => {
            let (tell, told) = oneshot::channel();
            let runtime = Handle::current();
            // A separate thread: tokio's timers have a resolution of a millisecond, in which several messages may be
            // due.
            let (other, name) = (association.clone(), "messages".to_owned());
            let sending = move || drop(tell.send(send_at(&other, ask, rate, &runtime)));
            if let Err(error) = std::thread::Builder::new().name(name).spawn(sending) {
                association.abort(&format!("no thread can be started for messages at a rate: {error}"));
            }
            told.await.unwrap_or(Err(SendError::Closing))
        }
    }
}

/// Sends END.
///
/// # Errors
/// The association has ended.
pub(crate) async fn end(association: &Association, sent: &SenderReport) -> Result<(), SendError> {
    let end = Frame::End { messages: sent.messages, bytes: ByteCount::new(sent.bytes) };
    association.send(encode(&end), SendOptions::default()).await
}

async fn send_all(association: Association, ask: Ask) -> Result<SenderReport, SendError> {
    let began = of_machine();
    let mut sent = SenderReport::default();
    loop {
        let now = of_machine();
        let age = now.since(began);
        let Some(left) = left(age, ask.duration) else { break };
        let waiting = association.waiting();
        if waiting > enough(ByteCount::new(sent.bytes).saturating_sub(waiting), age) {
            sleep(PAUSE).await;
            continue;
        }
        let message = data(sent.messages, now, ask.message);
        match timeout(left, association.send(message, SendOptions::default())).await {
            Ok(taken) => taken?,
            Err(_) => break,
        }
        sent.messages += 1;
        sent.bytes += ask.message.get();
    }
    sent.seconds = of_machine().since(began).as_secs_f64();
    Ok(sent)
}

/// The most bytes that may wait in the send buffer: the bytes sent in a tenth of a second on average, so that no path
/// runs dry. A full send buffer would make no path faster, and the end of the test late.
fn enough(left: ByteCount, age: Duration) -> ByteCount {
    let tenth = u128::from(left.get()) * 100_000_000 / u128::from(age.as_nanos().max(100_000_000));
    LEAST_WAITING + ByteCount::new(u64::try_from(tenth).unwrap_or(u64::MAX))
}

fn send_at(
    association: &Association,
    ask: Ask,
    rate: BitRate,
    runtime: &Handle,
) -> Result<SenderReport, SendError> {
    let began = of_machine();
    let gap = ask.gap(rate).max(Duration::from_nanos(1));
    let due_in_all = ask.duration.as_nanos().div_ceil(gap.as_nanos());
    let (mut sent, mut expired, mut next) = (SenderReport::default(), 0, 0);
    while next < due_in_all {
        let due = began + Duration::from_nanos(gap.as_nanos().saturating_mul(next));
        let now = of_machine();
        if now < due {
            std::thread::sleep(due.since(now).into());
        }
        match take(association, &ask, began, due, next, runtime)? {
            Taken::Accepted => {
                sent.messages += 1;
                sent.bytes += ask.message.get();
            }
            Taken::Expired => expired += 1,
            Taken::Over => break,
        }
        next += 1;
    }
    // The last message covers the time until the next would have been due.
    let rest = (began + ask.duration).since(of_machine());
    std::thread::sleep(rest.into());
    sent.seconds = of_machine().since(began).as_secs_f64();
    sent.unsent_messages = due_in_all - next;
    sent.dropped = ask.deadlines.map(|_| Dropped { expired, ..Dropped::default() });
    Ok(sent)
}

/// The result of offering a message to the transport.
enum Taken {
    Accepted,
    /// The lifetime ended before there was room for it.
    Expired,
    /// The test ended before there was room for it.
    Over,
}

/// Offers a message to the transport until the test ends, or its lifetime. The DATA frame carries the due time, so that
/// the wait counts as delay.
fn take(
    association: &Association,
    ask: &Ask,
    began: Time,
    due: Time,
    number: u64,
    runtime: &Handle,
) -> Result<Taken, SendError> {
    let Some(options) = options(ask, due) else { return Ok(Taken::Expired) };
    let sending = match association.try_send(data(number, due, ask.message), options) {
        Ok(()) => return Ok(Taken::Accepted),
        Err(TrySendError::Full(message)) => {
            async {
                let Some(options) = self::options(ask, due) else { return Ok(Err(SendError::Expired)) };
                let left = left(of_machine().since(began), ask.duration).unwrap_or_default();
                timeout(left, association.send(message, options)).await
            }
        }
        Err(TrySendError::Failed(error)) => return Err(error),
        Err(_) => return Ok(Taken::Over),
    };
    match runtime.block_on(sending) {
        Ok(Ok(())) => Ok(Taken::Accepted),
        Ok(Err(SendError::Expired)) => Ok(Taken::Expired),
        Ok(Err(error)) => Err(error),
        Err(_) => Ok(Taken::Over),
    }
}

/// The options of a message that was due at `due`, with what is left of its lifetime; `None` if that has ended.
fn options(ask: &Ask, due: Time) -> Option<SendOptions> {
    let Some(deadlines) = ask.deadlines else { return Some(SendOptions::default()) };
    let options = match deadlines.order {
        Order::Sent => SendOptions::default(),
        Order::Arrived => SendOptions::default().unordered(),
    };
    let Some(lifetime) = deadlines.lifetime else { return Some(options) };
    let left = left(of_machine().since(due), lifetime)?;
    Some(options.lifetime(left))
}

fn left(age: Duration, all: Duration) -> Option<std::time::Duration> {
    let left = all.saturating_sub(age);
    (!left.is_zero()).then(|| left.into())
}

/// The bytes that may always wait: more than slow start needs within a pause.
const LEAST_WAITING: ByteCount = ByteCount::from_kib(512);
/// The pause while enough bytes wait.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_a_second_may_wait_and_half_a_mebibyte_in_any_case() {
        assert_eq!(enough(ByteCount::ZERO, Duration::ZERO), LEAST_WAITING);
        let (ten, second) = (ByteCount::new(10_000_000), Duration::from_secs(1));
        assert_eq!(enough(ten, second), LEAST_WAITING + ByteCount::new(1_000_000));
        let at_once = enough(ByteCount::new(1_000), Duration::from_nanos(1));
        assert_eq!(at_once, LEAST_WAITING + ByteCount::new(1_000), "a moment says nothing about a rate");
    }
}
