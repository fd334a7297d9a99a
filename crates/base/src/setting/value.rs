//! Values of settings, independent of the format of their text, and the fields that hold them.

use super::Named;
use crate::{BitRate, ByteCount, Distance, Duration, Speed, Time};

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A number of bytes.
    Size(ByteCount),
    /// A number of packets.
    Packets(u64),
    /// The initial and the largest size of a growing one.
    Range(ByteCount, ByteCount),
    /// A span of time.
    Span(Duration),
    /// A rate.
    Rate(BitRate),
    /// A distance.
    Distance(Distance),
    /// A speed.
    Speed(Speed),
    /// A word, or the name of a policy.
    Word(String),
    /// Values in order.
    List(Vec<Value>),
}

/// A type of settable fields.
pub trait Settable: Sized {
    /// The field as a value.
    fn value(&self) -> Value;

    /// Converts a value into the field; `None` for a value of another kind.
    fn of_value(value: Value) -> Option<Self>;
}

impl Value {
    /// A word.
    pub fn word(word: &str) -> Value {
        Value::Word(word.to_owned())
    }
}

impl<N: Named> Settable for N {
    fn value(&self) -> Value {
        Value::word(self.word())
    }

    fn of_value(value: Value) -> Option<N> {
        match value {
            Value::Word(word) => N::of_word(&word),
            _ => None,
        }
    }
}

impl Settable for bool {
    fn value(&self) -> Value {
        Value::Boolean(*self)
    }

    fn of_value(value: Value) -> Option<bool> {
        match value {
            Value::Boolean(is_so) => Some(is_so),
            _ => None,
        }
    }
}

impl Settable for u64 {
    fn value(&self) -> Value {
        Value::Whole(*self)
    }

    fn of_value(value: Value) -> Option<u64> {
        match value {
            Value::Whole(number) => Some(number),
            _ => None,
        }
    }
}

impl Settable for u32 {
    fn value(&self) -> Value {
        Value::Whole((*self).into())
    }

    fn of_value(value: Value) -> Option<u32> {
        u64::of_value(value)?.try_into().ok()
    }
}

impl Settable for u16 {
    fn value(&self) -> Value {
        Value::Whole((*self).into())
    }

    fn of_value(value: Value) -> Option<u16> {
        u64::of_value(value)?.try_into().ok()
    }
}

impl Settable for u8 {
    fn value(&self) -> Value {
        Value::Whole((*self).into())
    }

    fn of_value(value: Value) -> Option<u8> {
        u64::of_value(value)?.try_into().ok()
    }
}

impl Settable for f64 {
    fn value(&self) -> Value {
        Value::Number(*self)
    }

    fn of_value(value: Value) -> Option<f64> {
        match value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl Settable for ByteCount {
    fn value(&self) -> Value {
        Value::Size(*self)
    }

    fn of_value(value: Value) -> Option<ByteCount> {
        match value {
            Value::Size(size) => Some(size),
            _ => None,
        }
    }
}

impl Settable for Duration {
    fn value(&self) -> Value {
        Value::Span(*self)
    }

    fn of_value(value: Value) -> Option<Duration> {
        match value {
            Value::Span(span) => Some(span),
            _ => None,
        }
    }
}

/// A time is the span since the beginning.
impl Settable for Time {
    fn value(&self) -> Value {
        Value::Span(self.since(Time::ZERO))
    }

    fn of_value(value: Value) -> Option<Time> {
        Duration::of_value(value).map(|span| Time::ZERO + span)
    }
}

impl Settable for BitRate {
    fn value(&self) -> Value {
        Value::Rate(*self)
    }

    fn of_value(value: Value) -> Option<BitRate> {
        match value {
            Value::Rate(rate) => Some(rate),
            _ => None,
        }
    }
}

impl Settable for Distance {
    fn value(&self) -> Value {
        Value::Distance(*self)
    }

    fn of_value(value: Value) -> Option<Distance> {
        match value {
            Value::Distance(distance) => Some(distance),
            _ => None,
        }
    }
}

impl Settable for Speed {
    fn value(&self) -> Value {
        Value::Speed(*self)
    }

    fn of_value(value: Value) -> Option<Speed> {
        match value {
            Value::Speed(speed) => Some(speed),
            _ => None,
        }
    }
}

impl Settable for String {
    fn value(&self) -> Value {
        Value::Word(self.clone())
    }

    fn of_value(value: Value) -> Option<String> {
        match value {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }
}

impl<S: Settable> Settable for Vec<S> {
    fn value(&self) -> Value {
        Value::List(self.iter().map(Settable::value).collect())
    }

    fn of_value(value: Value) -> Option<Vec<S>> {
        match value {
            Value::List(values) => values.into_iter().map(S::of_value).collect(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::{put, shown};

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Colour {
        Red,
        Green,
    }

    impl Named for Colour {
        const WHAT: &'static str = "colour";
        const NAMES: &'static [(&'static str, Colour)] = &[("red", Colour::Red), ("green", Colour::Green)];
    }

    #[test]
    fn a_field_takes_back_the_value_that_it_shows() {
        fn comes_back<S: Settable + PartialEq + std::fmt::Debug>(field: &S, mut other: S) {
            put(&mut other, shown(field).expect("a value")).expect("of its own kind");
            assert_eq!(other, *field);
        }
        comes_back(&true, false);
        comes_back(&7_u64, 0);
        comes_back(&7_u8, 0);
        comes_back(&0.25, 0.0);
        comes_back(&ByteCount::from_kib(64), ByteCount::ZERO);
        comes_back(&Duration::from_millis(5), Duration::ZERO);
        comes_back(&Time::from_nanos(5), Time::ZERO);
        comes_back(&BitRate::from_mbps(5), BitRate::default());
        comes_back(&Distance::from_metres(5), Distance::ZERO);
        comes_back(&Speed::from_millimetres_per_second(5), Speed::default());
        comes_back(&"fill".to_owned(), String::new());
        comes_back(&vec![60_u32, 27], Vec::new());
        comes_back(&Colour::Green, Colour::Red);
    }

    #[test]
    fn a_value_of_another_kind_is_refused_and_changes_nothing() {
        let mut number = 5_u8;
        for value in [Value::Boolean(true), Value::Whole(256), Value::word("5")] {
            assert!(put(&mut number, value).is_err());
        }
        let mut colour = Colour::Red;
        assert!(put(&mut colour, Value::word("blue")).is_err());
        assert_eq!((number, colour), (5, Colour::Red));
    }
}
