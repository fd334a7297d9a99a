//! The sensitivity set of a figure, as a section of its page and as a table beside it.

use std::fmt::Write;

use super::FigureResult;
use super::claim::{Claim, Finding, Verdict, Weight};
use super::curve_table::csv_of;
use super::report::{name, told};

/// A section on the sensitivity set: its verdicts, and for each the claims that differ from the headline's. Members with the
/// same outcome share a row.
pub fn section(headline: &FigureResult, members: &[FigureResult]) -> String {
    if members.is_empty() {
        return String::new();
    }
    let mut rows: Vec<(Vec<&str>, [String; 2])> = Vec::new();
    for member in members {
        let outcome = [told(member.standing("")), differing(headline, member)];
        match rows.iter_mut().find(|(_, other)| *other == outcome) {
            Some((settings, _)) => settings.push(member.setting),
            None => rows.push((vec![member.setting], outcome)),
        }
    }
    let mut page =
        "## Sensitivity\n\n| one thing changed | verdict | claims that differ |\n|---|---|---|\n".to_owned();
    for (settings, [verdict, differing]) in rows {
        let _ = writeln!(page, "| {} | {verdict} | {differing} |", settings.join("; "));
    }
    let file = file_name(headline.figure.id);
    let _ = writeln!(page, "\nMeasured values: [{file}]({file}).");
    page
}

/// The claims of a member whose verdict differs from the headline's, by verdict.
fn differing(headline: &FigureResult, member: &FigureResult) -> String {
    let mut verdicts: Vec<(String, Vec<String>)> = Vec::new();
    for MemberClaim { claim, finding, .. } in member_claims(headline, member).filter(|claim| claim.differs) {
        let verdict = finding.standing().to_string();
        match verdicts.iter_mut().find(|(other, _)| *other == verdict) {
            Some((_, claims)) => claims.push(name(claim)),
            None => verdicts.push((verdict, vec![name(claim)])),
        }
    }
    let each = verdicts.iter().map(|(verdict, claims)| format!("{} {verdict}", claims.join(", ")));
    each.collect::<Vec<_>>().join("; ")
}

/// The name of a figure's table of its sensitivity set.
pub fn file_name(figure: &str) -> String {
    format!("{}-sensitivity.csv", figure.to_lowercase())
}

/// The table: `setting`, `claim`, `verdict`, and `measured`. The default setting comes first. Each setting has every core
/// claim, with its value unless it is reproduced, and the other claims whose verdict differs from the default's.
pub fn table(headline: &FigureResult, members: &[FigureResult]) -> String {
    let head = ["setting", "claim", "verdict", "measured"].map(str::to_owned).to_vec();
    let of_member = |member: &FigureResult| -> Vec<Vec<String>> {
        let is_default = member.setting == headline.setting;
        let claims = member_claims(headline, member);
        let shown = claims.filter(|one| one.claim.weight == Weight::Core || one.differs);
        let row = |MemberClaim { claim, finding, .. }| {
            let is_measured = !is_default && (claim.weight != Weight::Core || is_miss(finding.verdict));
            let measured = if is_measured { finding.measured.clone() } else { String::new() };
            vec![member.setting.to_owned(), name(claim), finding.standing().to_string(), measured]
        };
        shown.map(row).collect()
    };
    let rows = std::iter::once(headline).chain(members).flat_map(of_member);
    csv_of(std::iter::once(head).chain(rows))
}

/// A claim of a member of the sensitivity set beside the headline's.
struct MemberClaim<'r> {
    claim: &'r Claim,
    finding: &'r Finding,
    differs: bool,
}

/// The claims of a member, the core claims first.
fn member_claims<'r>(
    headline: &'r FigureResult,
    member: &'r FigureResult,
) -> impl Iterator<Item = MemberClaim<'r>> {
    let of_headline = |claim: &Claim| {
        let mut claims = headline.figure.claims.iter().zip(&headline.findings);
        let found = claims.find(|(other, _)| (other.panel, other.id) == (claim.panel, claim.id));
        found.map(|(_, finding)| finding.verdict)
    };
    let claims = move |is_core: bool| {
        let claims = member.figure.claims.iter().zip(&member.findings);
        let of_weight = claims.filter(move |(claim, _)| (claim.weight == Weight::Core) == is_core);
        of_weight.map(move |(claim, finding)| {
            let differs = of_headline(claim) != Some(finding.verdict);
            MemberClaim { claim, finding, differs }
        })
    };
    claims(true).chain(claims(false))
}

fn is_miss(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Reproduced | Verdict::NotBuilt | Verdict::NotTestable)
}
