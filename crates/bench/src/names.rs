//! Maps the paths in the report of the other end to the path names of this end.

use std::net::SocketAddr;

use crate::path_entry::PathEntry;

/// Renames each path of `theirs` to the local name if exactly one of `ours` can be the same path, seen from the other
/// side.
pub(crate) fn ours_for(theirs: &[PathEntry], ours: &[PathEntry]) -> Vec<PathEntry> {
    let renamed = |their: &PathEntry| {
        let mut same = ours.iter().filter(|our| is_same(our, their));
        match (same.next(), same.next()) {
            (Some(our), None) => PathEntry {
                name: our.name.clone(),
                local: our.local.clone(),
                remote: our.remote.clone(),
                interface: our.interface.clone(),
                ..their.clone()
            },
            _ => their.clone(),
        }
    };
    theirs.iter().map(renamed).collect()
}

/// Returns true if each end's local address may be the other's remote address. A wildcard address matches any.
fn is_same(our: &PathEntry, their: &PathEntry) -> bool {
    may_be(&our.local, &their.remote) && may_be(&their.local, &our.remote)
}

fn may_be(local: &str, seen: &str) -> bool {
    match (local.parse::<SocketAddr>(), seen.parse::<SocketAddr>()) {
        (Ok(local), Ok(seen)) => {
            local.port() == seen.port() && (local.ip() == seen.ip() || local.ip().is_unspecified())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str, local: &str, remote: &str) -> PathEntry {
        PathEntry { name: name.into(), local: local.into(), remote: remote.into(), ..PathEntry::default() }
    }

    #[test]
    fn a_path_has_our_name_where_its_addresses_are_ours_turned_round() {
        let ours = [path("a", "10.0.0.1:5", "10.0.0.2:9"), path("b", "10.0.1.1:5", "10.0.1.2:9")];
        let theirs = [path("x", "0.0.0.0:9", "10.0.1.1:5"), path("y", "0.0.0.0:9", "192.0.2.1:777")];
        let names: Vec<String> = ours_for(&theirs, &ours).into_iter().map(|path| path.name).collect();
        assert_eq!(names, ["b", "y"], "the second came through a translator");
    }

    #[test]
    fn where_two_could_be_meant_the_other_ends_name_stays() {
        let ours = [path("a", "0.0.0.0:5", "10.0.0.2:9"), path("b", "0.0.0.0:5", "10.0.0.2:9")];
        assert_eq!(ours_for(&[path("x", "10.0.0.2:9", "10.0.0.1:5")], &ours)[0].name, "x");
    }
}
