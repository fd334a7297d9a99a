//! Tables of the comparison, for people and for programs.

use std::fmt::Write;

use super::JudgedRow;

/// A line for each set of rules: how many rows hold, and the mean ratio.
pub fn summary(judged: &[JudgedRow]) -> String {
    let mut groups: Vec<String> = Vec::new();
    for row in judged {
        if !groups.contains(&row.row.group()) {
            groups.push(row.row.group());
        }
    }
    let mut text = String::new();
    for group in groups {
        let of_group: Vec<&JudgedRow> = judged.iter().filter(|row| row.row.group() == group).collect();
        let holding = of_group.iter().filter(|row| row.holds()).count();
        let logarithms: f64 = of_group.iter().map(|row| row.ratio().ln()).sum();
        let mean = (logarithms / of_group.len() as f64).exp();
        let _ =
            writeln!(text, "  {group:<22} {holding:>3} of {:>3}   ours / theirs {mean:.3}", of_group.len());
    }
    text
}

/// A line for each row.
pub fn lines<'a>(judged: impl IntoIterator<Item = &'a JudgedRow>) -> String {
    judged.into_iter().map(line).collect()
}

fn line(judged: &JudgedRow) -> String {
    let JudgedRow { row, ours, timeouts } = judged;
    let verdict = if judged.holds() { "holds" } else { "outside" };
    format!(
        "  {:<46} {:>8.3} {:>8.3} {:>8.3} {:>7.3} {timeouts:>9.1} {:>9.1}  {verdict}\n",
        row.label(),
        ours.mean,
        row.goodput_mbps,
        row.ci95_mbps,
        judged.ratio(),
        row.timeouts_per_run
    )
}

/// The rows as a table for other programs.
///
/// # Errors
/// None: the table is written to memory.
pub(crate) fn csv_text(judged: &[JudgedRow]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["row", "ours_mbps", "theirs_mbps", "theirs_ci95_mbps", "ratio", "holds"])?;
    for row in judged {
        let numbers = [row.ours.mean, row.row.goodput_mbps, row.row.ci95_mbps, row.ratio()];
        let numbers = numbers.map(|number| format!("{number:.6}"));
        let mut record = vec![row.row.label()];
        record.extend(numbers);
        record.push(row.holds().to_string());
        writer.write_record(record)?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
