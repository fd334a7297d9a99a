//! Flows of users, control groups and ports.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anabranch_transparent::{Capture, Replies};

use crate::ends::{
    USER, as_user, at, datagram_is_captured, is_beside, is_captured, is_captured_from, server, tcp_socket,
    udp_socket,
};
use crate::hosts::{FAR_V4, FAR_V6, NOWHERE_V4, NOWHERE_V6, far};
use crate::{capture, not_soon, request, soon};

#[tokio::test]
async fn flows_of_a_user_are_captured_and_those_of_others_go_beside() {
    let Some(far) = far() else { return };
    let capture = capture(&[&format!("uid={USER}")]);
    for (there, nowhere) in [(FAR_V4, NOWHERE_V4), (FAR_V6, NOWHERE_V6)] {
        let to = at(nowhere, 80);
        is_captured_from(&capture, as_user(USER, || tcp_socket(to)), to).await;
        datagram_is_captured(&capture, &Replies::new(), &as_user(USER, || udp_socket(to)), to).await;
        let to = at(there, 80);
        let server = server(&far, there, 80);
        is_beside(&server, tcp_socket(to), to).await;
        is_beside(&server, as_user(USER + 1, || tcp_socket(to)), to).await;
        udp_socket(to).send_to(b"beside", to).await.expect("sent");
        not_soon(capture.receive()).await;
    }
}

#[tokio::test]
async fn flows_to_ports_are_captured_and_others_go_beside() {
    let Some(far) = far() else { return };
    let capture = capture(&["port=443,8000-8100"]);
    for to in [at(NOWHERE_V4, 443), at(NOWHERE_V6, 8_000), at(NOWHERE_V4, 8_100)] {
        is_captured(&capture, to).await;
        datagram_is_captured(&capture, &Replies::new(), &udp_socket(to), to).await;
    }
    for to in [at(FAR_V4, 7_999), at(FAR_V6, 8_101)] {
        is_beside(&server(&far, &to.ip().to_string(), to.port()), tcp_socket(to), to).await;
    }
}

#[tokio::test]
async fn several_selections_are_captured_together() {
    let Some(far) = far() else { return };
    let capture = capture(&[&format!("uid={USER}"), "port=443"]);
    is_captured(&capture, at(NOWHERE_V4, 443)).await;
    let to = at(NOWHERE_V4, 80);
    is_captured_from(&capture, as_user(USER, || tcp_socket(to)), to).await;
    is_beside(&server(&far, FAR_V4, 80), tcp_socket(at(FAR_V4, 80)), at(FAR_V4, 80)).await;
}

#[tokio::test]
async fn users_and_control_groups_that_do_not_exist_are_named() {
    let Some(_far) = far() else { return };
    let error = |taken: &str| Capture::open(&request(&[taken], &[])).expect_err(taken).to_string();
    assert!(error("uid=no-such-user-here").contains("there is no user \"no-such-user-here\""));
    let cgroup = error("cgroup=no-such.slice");
    assert!(
        cgroup.contains("cannot find the control group")
            || cgroup.contains("needs control groups of version 2"),
        "{cgroup}"
    );
    assert!(capture(&["uid=root"]).carries_ipv6());
}

/// A control group of version 2 for one test.
struct Group(PathBuf);

impl Group {
    /// `None` if no hierarchy of version 2 is mounted where this process may write.
    fn new(name: &str) -> Option<Group> {
        let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
        let root = roots.into_iter().map(Path::new).find(|root| root.join("cgroup.controllers").exists())?;
        let path = root.join(format!("anabranch-test-{name}-{}", std::process::id()));
        fs::create_dir(&path).and_then(|()| fs::create_dir(path.join("below"))).ok()?;
        Some(Group(path))
    }

    /// The group as a request names it.
    fn taken(&self) -> String {
        format!("cgroup={}", self.0.display())
    }

    /// Connects to `to` in a process of the group below, and returns true if it succeeds.
    async fn connects(&self, to: std::net::SocketAddr) -> bool {
        let processes = self.0.join("below/cgroup.procs");
        let script =
            format!("echo $$ > {} && exec 3<> /dev/tcp/{}/{}", processes.display(), to.ip(), to.port());
        let run = move || Command::new("bash").args(["-c", &script]).stderr(Stdio::inherit()).status();
        tokio::task::spawn_blocking(run).await.expect("a thread").expect("bash").success()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(self.0.join("below")).and_then(|()| fs::remove_dir(&self.0));
    }
}

#[tokio::test]
async fn flows_of_a_control_group_are_captured_and_those_of_others_go_beside() {
    let Some(far) = far() else { return };
    let Some(group) = Group::new("flows") else {
        return println!("skipped: no control groups of version 2 that this process may write");
    };
    let capture = capture(&[&group.taken()]);
    let to = at(NOWHERE_V4, 80);
    let (connected, accepted) = soon(async { tokio::join!(group.connects(to), capture.accept()) }).await;
    assert!(connected && accepted.expect("a connection").destination == to);
    is_beside(&server(&far, FAR_V4, 80), tcp_socket(at(FAR_V4, 80)), at(FAR_V4, 80)).await;
}

#[tokio::test]
async fn a_control_group_that_was_made_anew_is_followed() {
    let Some(_far) = far() else { return };
    let Some(group) = Group::new("anew") else {
        return println!("skipped: no control groups of version 2 that this process may write");
    };
    let capture = capture(&[&group.taken()]);
    drop(group);
    let group = Group::new("anew").expect("as before");
    let (reported, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let keep = capture.keep(move |restored| drop(reported.send(restored)));
    let flow = async {
        assert_eq!(soon(reports.recv()).await, Some(anabranch_transparent::Restored::Cgroups));
        let to = at(NOWHERE_V4, 80);
        let (connected, accepted) = soon(async { tokio::join!(group.connects(to), capture.accept()) }).await;
        assert!(connected && accepted.expect("a connection").destination == to);
    };
    tokio::select! {
        () = flow => {}
        never = keep => match never {},
    }
}
