//! `figures`: prints the papers' figures and their verdicts.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anabranch_studies::figures::{FigureName, FigureResult, judge_default, judge_sensitivity, report, svg};
use anabranch_studies::scale::StudyScale;
use clap::ValueEnum;

/// The papers' figures, and verdicts on what is said of them (docs/figures.md)
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only this figure; may be given several times
    #[arg(long, value_enum)]
    id: Vec<FigureName>,
    /// How much is run: verdicts on the papers come from the full scale
    #[arg(long, value_enum, default_value = "full")]
    scale: StudyScale,
    /// At most N seeds a point: fewer than the verdicts are based on, and the tables say so
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Leave the sensitivity sets out
    #[arg(long)]
    default_only: bool,
    /// Draw every panel into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Write every run's values to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Runs them, and prints each as it is done.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let names = if arguments.id.is_empty() { FigureName::value_variants() } else { &arguments.id };
    let mut rows = report::CSV_HEAD.to_owned();
    for name in names {
        let headline = judge_default(*name, arguments.scale, arguments.seeds)?;
        print!("{}", report::figure(&headline, arguments.scale));
        if let Some(folder) = &arguments.svg {
            draw(&headline, folder)?;
        }
        let members = match arguments.default_only {
            true => Vec::new(),
            false => judge_sensitivity(*name, arguments.scale, arguments.seeds)?,
        };
        print!("{}", report::members(&headline, &members));
        rows.extend([headline].iter().chain(&members).map(report::csv));
    }
    if let Some(file) = &arguments.csv {
        fs::write(file, rows).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn draw(outcome: &FigureResult, folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    for panel in &outcome.figure.panels {
        let file = folder.join(format!("{}-{}.svg", outcome.figure.id, panel.name).to_lowercase());
        let text = svg::panel(outcome, panel)?;
        fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(())
}
