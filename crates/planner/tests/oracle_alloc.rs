//! Every row of tests/oracle/models/alloc.open.csv: the optimum, and the result of each thinner method.

use anabranch_models::renewal::Renewal;
use anabranch_models::{Markov, PathParameters, RoundLoss, TimeoutBounds, WindowModel};
use anabranch_planner::{Allocation, PlanError, Problem, StepSet, brute_force, exact, greedy, hull, step};

/// Sums of the same numbers in another order.
const TOLERANCE: f64 = 1e-12;

/// A row, by its header.
struct Row<'a> {
    header: Vec<&'a str>,
    cells: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn cell(&self, name: &str) -> &'a str {
        let column = self.header.iter().position(|column| *column == name).expect("a column of the table");
        self.cells[column]
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.cell(name).parse().ok()
    }

    fn list<T: std::str::FromStr>(&self, name: &str) -> Vec<T> {
        self.cell(name).split(';').filter_map(|cell| cell.parse().ok()).collect()
    }

    fn paths(&self) -> Vec<PathParameters> {
        let (rates, delays, losses) = (self.list("b_pps"), self.list("d_s"), self.list("p"));
        let path = |((rate, delay), loss)| PathParameters {
            rate,
            delay,
            loss,
            timeout: TimeoutBounds::WALLACE_SHAMI,
        };
        rates.into_iter().zip(delays).zip(losses).map(path).collect()
    }

    fn model(&self) -> Box<dyn WindowModel> {
        match self.cell("model") {
            "markov-indep" => Box::new(Markov::default()),
            "markov-corr" => Box::new(Markov { loss: RoundLoss::Correlated, ..Markov::default() }),
            "renewal" => Box::new(Renewal::default()),
            other => panic!("no model is called {other}"),
        }
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= TOLERANCE * expected
}

fn check_row(row: &Row<'_>, model: &dyn WindowModel) -> Vec<String> {
    let paths = row.paths();
    let caps: Vec<u32> = paths.iter().map(PathParameters::cap).collect();
    assert_eq!(caps, row.list("caps"));
    let problem = Problem::new(&paths, row.list("r")[0], model).expect("a question with an answer");
    let mut wrong = Vec::new();
    let mut check = |name: &str, found: f64| {
        let expected = row.number(name);
        if !expected.is_some_and(|expected| close(found, expected)) {
            wrong.push(format!("{name}: {found} against {expected:?} in {}", row.cells.join(",")));
        }
    };
    let certificate = hull(&problem);
    let best = exact(&problem).expect("few candidates remain");
    check("opt_pps", best.throughput);
    check("greedy_pps", greedy(&problem).throughput);
    check("hull_pps", certificate.allocation.throughput);
    check("hull_upper_pps", certificate.upper_bound);
    match brute_force(&problem) {
        Ok(tried) => check("opt_pps", tried.throughput),
        Err(error) => assert!(matches!(error, PlanError::TooMany { .. }), "{error}"),
    }
    for (k, name) in [(1, "step1_pps"), (2, "step2_pps"), (5, "step5_pps"), (10, "step10_pps")] {
        match step(&problem, k, StepSet::Printed) {
            Ok(Allocation { throughput, .. }) => check(name, throughput),
            Err(error) => assert_eq!(row.number(name), None, "{error}"),
        }
        let repaired = step(&problem, k, StepSet::Repaired).expect("it always has an answer").throughput;
        assert!(repaired <= best.throughput * (1.0 + TOLERANCE));
        assert!(row.number(name).is_none_or(|printed| repaired >= printed * (1.0 - TOLERANCE)));
    }
    // Where the table's limits differ from ours, they are as good.
    check("opt_pps", problem.throughput(&row.list("opt_limits")).unwrap_or_default());
    wrong
}

#[test]
fn every_row_of_the_table_is_met() {
    let table = include_str!("../../../tests/oracle/models/alloc.open.csv");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in lines {
        let row = Row { header: header.clone(), cells: line.split(',').collect() };
        wrong.extend(check_row(&row, row.model().as_ref()));
        checked += 1;
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(checked, 217);
}
