//! The answers that need no chain: no loss, nothing but loss, and a limit of one packet (W-19).

use super::account::Account;
use super::stationary::{Stationary, WindowShare, backoff};
use super::{NAME, Rates};
use crate::{ModelError, PathParameters};

/// The rates, where they need no chain; parameters have been checked.
pub(super) fn rates(path: &PathParameters, limit: u32) -> Option<Result<Rates, ModelError>> {
    let rates = if path.loss == 0.0 {
        full_window(path, limit)
    } else if path.loss == 1.0 {
        nothing_arrives(path)
    } else if limit == 1 {
        stop_and_wait(path)
    } else {
        return None;
    };
    if rates.sent.is_finite() {
        return Some(Ok(rates));
    }
    let why = format!("{} packets/s are outside the range that the model computes with", rates.sent);
    Some(Err(ModelError::Domain { model: NAME, why }))
}

/// The stationary law, where it needs no chain; parameters have been checked.
pub(super) fn law(path: &PathParameters, limit: u32) -> Option<Stationary> {
    let one = |window| vec![(window, WindowShare { probability: 1.0, time: 1.0 })];
    if path.loss == 0.0 {
        let (delivered, seconds) = (f64::from(limit), path.round(f64::from(limit)));
        return Some(Stationary { windows: one(limit), backoff: Vec::new(), delivered, seconds });
    }
    if path.loss == 1.0 {
        let backoff = vec![WindowShare { probability: 1.0, time: 1.0 }];
        return Some(Stationary { windows: one(1), backoff, delivered: 0.0, seconds: path.timeout.max });
    }
    if limit == 1 {
        let through = 1.0 - path.loss;
        let seconds = through / stop_and_wait(path).delivered;
        let backoff = backoff::shares(path, through * path.loss, seconds);
        return Some(Stationary { windows: one(1), backoff, delivered: through, seconds });
    }
    None
}

/// p = 0: the window stands at its limit, η = c / R(c).
fn full_window(path: &PathParameters, limit: u32) -> Rates {
    let window = f64::from(limit);
    let delivered = window / path.round(window);
    Rates { delivered, sent: delivered, timeouts: 0.0, fast_retransmits: 0.0, window }
}

/// p = 1: one packet whenever the longest wait is over.
fn nothing_arrives(path: &PathParameters) -> Rates {
    let sent = 1.0 / path.timeout.max;
    Rates { delivered: 0.0, sent, timeouts: 0.0, fast_retransmits: 0.0, window: 1.0 }
}

/// c = 1: 1/η = R(1) + p O(1) + Σ pʲ⁺² U(1 + j).
fn stop_and_wait(path: &PathParameters) -> Rates {
    let loss = path.loss;
    let waits = loss * path.timeout(1.0) + loss * loss * Account::new(path).backoff_series(1);
    let delivered = 1.0 / (path.round(1.0) + waits);
    let sent = delivered / (1.0 - loss);
    Rates { delivered, sent, timeouts: delivered * loss, fast_retransmits: 0.0, window: 1.0 }
}
