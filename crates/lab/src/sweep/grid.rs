//! The points of a grid: the value of each axis at each point.

use anabranch_scenario::Assignment;

use super::axis::Axis;

/// The combination of axes into points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combination {
    /// Every value of each with every value of the others; the last axis varies fastest.
    #[default]
    Product,
    /// The first values of all axes, then the second ones, and so on.
    Zip,
}

/// The axes of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    axes: Vec<Axis>,
    combination: Combination,
    len: usize,
}

/// The reason why axes do not form a grid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// Axes of different lengths with `Zip`.
    #[error(
        "with --zip every key has as many values as the others: {first} has {count}, {other} has {others}"
    )]
    Lengths {
        /// The first key.
        first: String,
        /// The number of its values.
        count: usize,
        /// Another key.
        other: String,
        /// The number of its values.
        others: usize,
    },
    /// The same key twice.
    #[error("{key} stands in two lists of values: put all of them into one")]
    Twice {
        /// The key.
        key: String,
    },
    /// More points than could be run.
    #[error("the grid has more than {} points", Grid::MOST)]
    TooLarge,
}

impl Grid {
    /// The largest number of points.
    pub const MOST: usize = 10_000_000;

    /// A grid of these axes; without any it has one point.
    ///
    /// # Errors
    /// Axes that do not go together.
    pub fn new(axes: Vec<Axis>, combination: Combination) -> Result<Grid, GridError> {
        for (index, axis) in axes.iter().enumerate() {
            if axes[..index].iter().any(|other| other.key() == axis.key()) {
                return Err(GridError::Twice { key: axis.key().to_owned() });
            }
        }
        let len = match combination {
            Combination::Product => product(&axes)?,
            Combination::Zip => common_length(&axes)?,
        };
        Ok(Grid { axes, combination, len })
    }

    /// The axes in order.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: a grid has at least one point.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The index of each axis' value at a point.
    pub fn indices(&self, point: usize) -> Vec<usize> {
        if self.combination == Combination::Zip {
            return vec![point; self.axes.len()];
        }
        let mut rest = point;
        let mut indices: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let index = rest % axis.values().len();
                rest /= axis.values().len();
                index
            })
            .collect();
        indices.reverse();
        indices
    }

    /// The settings of a point.
    pub fn assignments(&self, point: usize) -> Vec<Assignment> {
        let values = self.axes.iter().zip(self.indices(point));
        values.map(|(axis, value)| axis.assignment(value)).collect()
    }
}

fn product(axes: &[Axis]) -> Result<usize, GridError> {
    let lengths = axes.iter().map(|axis| axis.values().len());
    let product = lengths.into_iter().try_fold(1_usize, usize::checked_mul);
    product.filter(|points| *points <= Grid::MOST).ok_or(GridError::TooLarge)
}

fn common_length(axes: &[Axis]) -> Result<usize, GridError> {
    let Some(first) = axes.first() else { return Ok(1) };
    let count = first.values().len();
    match axes.iter().find(|axis| axis.values().len() != count) {
        Some(other) => Err(GridError::Lengths {
            first: first.key().to_owned(),
            count,
            other: other.key().to_owned(),
            others: other.values().len(),
        }),
        None => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(axes: &[&str], combination: Combination) -> Result<Grid, GridError> {
        Grid::new(axes.iter().map(|text| Axis::parse(text).expect("an axis")).collect(), combination)
    }

    fn points(grid: &Grid) -> Vec<String> {
        let text = |point| {
            let all = grid.assignments(point);
            all.iter().map(|one| one.text().to_owned()).collect::<Vec<_>>().join(" ")
        };
        (0..grid.len()).map(text).collect()
    }

    #[test]
    fn a_product_has_every_value_with_every_other() {
        let grid = grid(&["a=1,2", "b=x,y,z"], Combination::Product).expect("a grid");
        assert_eq!(points(&grid), ["a=1 b=x", "a=1 b=y", "a=1 b=z", "a=2 b=x", "a=2 b=y", "a=2 b=z"]);
    }

    #[test]
    fn a_zip_goes_value_by_value() {
        let zipped = grid(&["a=1,2", "b=x,y"], Combination::Zip).expect("a grid");
        assert_eq!(points(&zipped), ["a=1 b=x", "a=2 b=y"]);
        let told = grid(&["a=1,2", "b=x,y,z"], Combination::Zip).expect_err("different lengths").to_string();
        assert_eq!(told, "with --zip every key has as many values as the others: a has 2, b has 3");
    }

    #[test]
    fn without_axes_there_is_one_point() {
        for combination in [Combination::Product, Combination::Zip] {
            assert_eq!(points(&grid(&[], combination).expect("a grid")), [""]);
        }
    }

    #[test]
    fn axes_that_do_not_go_together_are_refused() {
        assert_eq!(
            grid(&["a=1,2", "a=3"], Combination::Product),
            Err(GridError::Twice { key: "a".to_owned() })
        );
        let large = "a=1..2:1000000";
        assert_eq!(grid(&[large, &large.replace('a', "b")], Combination::Product), Err(GridError::TooLarge));
    }
}
