//! Other protocols, other tables and other captures.

use std::io::ErrorKind;

use anabranch_transparent::{
    CAPTURED_MARK, Capture, CaptureError, ROUTING_TABLE, RULE_PRIORITY, RULE_PROTOCOL, ReleaseError, Replies,
    TABLE, release,
};
use socket2::{Domain, Protocol, Socket, Type};

use crate::ends::{at, datagram_is_captured, is_captured, udp_socket};
use crate::hosts::{FAR_V4, FAR_V6, NOWHERE_V4, NOWHERE_V6, far, ip_output};
use crate::kernel::{Foreign, has_table, tables};
use crate::ping::{Echo, ping, ping_v6};
use crate::{capture, open, release_soon, request, strict};

#[tokio::test]
async fn echo_requests_to_captured_destinations_are_refused() {
    let Some(far) = far() else { return };
    assert_eq!((ping(FAR_V4), ping_v6(FAR_V6)), (Some(Echo::Answer), Some(Echo::Answer)));
    let _capture = open(&request(&["host"], &["198.51.100.8"]));
    far.packets();
    assert_eq!((ping(FAR_V4), ping_v6(FAR_V6)), (Some(Echo::Prohibited), Some(Echo::Prohibited)));
    assert_eq!(far.packets_to(FAR_V4) + far.packets_to(FAR_V6), 0);
    for ip in ["127.0.0.1", "192.0.2.2"] {
        assert_eq!(ping(ip), Some(Echo::Answer), "{ip}");
    }
    far.ip("addr add 198.51.100.8/32 dev lo");
    far.ip("addr add 10.1.0.1/32 dev lo");
    assert_eq!((ping("198.51.100.8"), ping("10.1.0.1")), (Some(Echo::Answer), Some(Echo::Answer)));
}

#[tokio::test]
async fn other_protocols_to_captured_destinations_are_refused() {
    let Some(far) = far() else { return };
    const GRE: i32 = 47;
    let socket = Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::from(GRE))).expect("root");
    let _capture = capture(&["host"]);
    let sent = socket.send_to(&[0; 16], &at(FAR_V4, 0).into());
    assert_eq!(sent.map_err(|error| error.kind()).err(), Some(ErrorKind::PermissionDenied));
    assert_eq!(far.packets_to(FAR_V4), 0);
}

#[tokio::test]
async fn echo_requests_of_others_than_the_selected_user_pass() {
    let Some(_far) = far() else { return };
    let _capture = capture(&[&format!("uid={}", crate::ends::USER)]);
    assert_eq!(ping(FAR_V4), Some(Echo::Answer));
    assert_eq!(crate::ends::as_user(crate::ends::USER, || ping(FAR_V4)), Some(Echo::Prohibited));
}

#[tokio::test]
async fn tables_of_others_stay_byte_for_byte_and_a_reverse_path_filter_does_not_matter() {
    let Some(_far) = far() else { return };
    let foreign = Foreign::new();
    let before = foreign.dump();
    assert!(!before.is_empty());
    let capture = open(&strict(&["host", "from=192.168.7.0/24"], &["10.0.0.0/8:22"]));
    assert_eq!(foreign.dump(), before);
    for ip in [NOWHERE_V4, NOWHERE_V6] {
        is_captured(&capture, at(ip, 80)).await;
        datagram_is_captured(&capture, &Replies::new(), &udp_socket(at(ip, 80)), at(ip, 80)).await;
    }
    drop(capture);
    assert_eq!(foreign.dump(), before);
    release_soon();
    assert_eq!((foreign.dump(), tables().len()), (before, 1));
}

#[tokio::test]
async fn a_second_capture_is_refused_and_the_first_lives_on() {
    let Some(_far) = far() else { return };
    for request in [request(&["host"], &[]), strict(&["host"], &[])] {
        let first = open(&request);
        let error = Capture::open(&request).expect_err("there is one");
        assert!(matches!(error, CaptureError::AlreadyRunning), "{error}");
        assert!(matches!(release(), Err(ReleaseError::Running)));
        is_captured(&first, at(NOWHERE_V4, 80)).await;
        drop(first);
        is_captured(&open(&request), at(NOWHERE_V4, 80)).await;
    }
}

#[tokio::test]
async fn a_capture_that_is_dropped_leaves_nothing() {
    let Some(_far) = far() else { return };
    let before = [ip_output("rule"), ip_output("-6 rule")];
    let capture = capture(&["host"]);
    assert!(has_table(TABLE));
    let rule = format!(
        "from all fwmark {CAPTURED_MARK:#x}/{CAPTURED_MARK:#x} lookup {ROUTING_TABLE} proto {RULE_PROTOCOL}"
    );
    for rules in [ip_output("rule"), ip_output("-6 rule")] {
        assert!(rules.contains(&format!("{RULE_PRIORITY}:\t{rule}")), "{rules}");
    }
    drop(capture);
    assert_eq!([ip_output("rule"), ip_output("-6 rule")], before);
    assert_eq!(tables(), [] as [String; 0]);
    assert_eq!(ip_output(&format!("route show table {ROUTING_TABLE}")), "");
    assert_eq!(release_soon().to_string(), "nothing to remove");
}

#[tokio::test]
async fn a_process_without_the_permission_is_told_what_it_needs() {
    let Some(_far) = far() else { return };
    // A user namespace without rights in this network namespace.
    let tried = std::thread::spawn(|| {
        let entered = nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWUSER);
        entered.map(|()| {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async { Capture::open(&request(&["host"], &[])).expect_err("no permission") })
        })
    });
    match tried.join().expect("a thread") {
        // A process with several threads may not leave its user namespace.
        Err(_) => crate::child::is_refused_without_permission(),
        Ok(error) => assert!(error.to_string().contains("needs root or CAP_NET_ADMIN"), "{error}"),
    }
}
