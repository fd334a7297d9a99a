//! The kinds of movement that a node's `movement = { kind = … }` names, each with its settings.

use anabranch_base::setting::{Kind, Refusal, Scope, Setting, Variant, put, shown};
use anabranch_base::{Duration, Speed};

use super::{Movement, Position};

/// Every kind of movement.
pub static MOVEMENTS: [Variant<Movement>; 2] = [
    Variant {
        name: "still",
        what: "a station that does not move",
        doc: "no movement; short form: `movement = \"still\"`",
        new: || Movement::Still,
        is: |movement| matches!(movement, Movement::Still),
        settings: &[],
        required: &[],
        example: "",
    },
    Variant {
        name: "random-waypoint",
        what: "a station that moves by random waypoints",
        doc: "straight to a random place between the origin and (`x`, `y`) at a random speed, then a `pause`, and \
            again",
        new: || Movement::RandomWaypoint {
            area: Position::default(),
            slowest: WALK,
            fastest: WALK,
            pause: Duration::ZERO,
        },
        is: |movement| matches!(movement, Movement::RandomWaypoint { .. }),
        settings: &WAYPOINT,
        required: &["x", "y"],
        example: "x = \"1000 m\", y = \"500 m\", slowest = \"1 m/s\", fastest = \"5 m/s\", pause = \"10 s\"",
    },
];

/// The speed unless another is given.
const WALK: Speed = Speed::from_millimetres_per_second(1_000);

/// A setting of random waypoints, which no other movement has.
macro_rules! of_waypoint {
    ($key:literal, $place:pat => $field:expr, $kind:expr, $doc:literal) => {
        Setting {
            key: $key,
            scope: Scope::Scenarios,
            kind: $kind,
            doc: $doc,
            get: |movement| match movement {
                $place => shown($field),
                Movement::Still => None,
            },
            set: |movement, value| match movement {
                $place => put($field, value),
                Movement::Still => Ok(()),
            },
        }
    };
}

static WAYPOINT: [Setting<Movement>; 5] = [
    of_waypoint!(
        "x",
        Movement::RandomWaypoint { area: Position { x, .. }, .. } => x,
        Kind::Distance,
        "how far the area extends to the east"
    ),
    of_waypoint!(
        "y",
        Movement::RandomWaypoint { area: Position { y, .. }, .. } => y,
        Kind::Distance,
        "how far the area extends to the north"
    ),
    of_waypoint!("slowest", Movement::RandomWaypoint { slowest, .. } => slowest, Kind::Speed, "the least speed"),
    of_waypoint!("fastest", Movement::RandomWaypoint { fastest, .. } => fastest, Kind::Speed, "the largest speed"),
    of_waypoint!("pause", Movement::RandomWaypoint { pause, .. } => pause, Kind::ANY_SPAN, "how long it waits at each place"),
];

impl Movement {
    /// Returns true if its settings agree.
    ///
    /// # Errors
    /// The speeds are not in order, or the least is zero.
    pub fn check(&self) -> Result<(), Refusal> {
        match *self {
            Movement::RandomWaypoint { slowest, fastest, .. }
                if slowest == Speed::default() || slowest > fastest =>
            {
                Err(Refusal::new("these speeds are not in order", "0 m/s < `slowest` ≤ `fastest`"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_out_of_order_are_refused() {
        let moves = |slowest, fastest| {
            let speed = Speed::from_millimetres_per_second;
            let (slowest, fastest) = (speed(slowest), speed(fastest));
            Movement::RandomWaypoint { area: Position::default(), slowest, fastest, pause: Duration::ZERO }
        };
        assert!(moves(1, 1).check().is_ok() && Movement::Still.check().is_ok());
        assert!(moves(0, 1).check().is_err() && moves(2, 1).check().is_err());
    }
}
