//! Groups of lanes that share a bottleneck.

use anabranch_diagnose::LinkEstimate;

/// The groups of at least two of `links` that share a bottleneck, in order. A lane shares with those it names, with
/// those that name it, and with what these share.
pub(crate) fn groups(links: &[&LinkEstimate], is_forward: bool) -> Vec<Vec<usize>> {
    let named = |link: &LinkEstimate, other: &LinkEstimate| {
        let shares = if is_forward { &link.shares_forward } else { &link.shares_reverse };
        shares.contains(&other.name)
    };
    let mut of: Vec<usize> = (0..links.len()).collect();
    for (one, other) in (0..links.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
        if named(links[one], links[other]) || named(links[other], links[one]) {
            let (from, to) = (of[one].max(of[other]), of[one].min(of[other]));
            of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        }
    }
    let members = |group: usize| (0..links.len()).filter(|link| of[*link] == group).collect::<Vec<_>>();
    (0..links.len()).map(members).filter(|members| members.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_with_one_shares_with_all_of_its_group() {
        let link = |name: &str, shares: &[&str]| LinkEstimate {
            name: name.to_owned(),
            shares_forward: shares.iter().map(|name| (*name).to_owned()).collect(),
            ..LinkEstimate::default()
        };
        let links = [link("a", &[]), link("b", &["c", "nowhere"]), link("c", &["d"]), link("d", &["d"])];
        let links: Vec<&LinkEstimate> = links.iter().collect();
        assert_eq!(groups(&links, true), [vec![1, 2, 3]]);
        assert_eq!(groups(&links, false), [[0; 0]; 0]);
    }
}
