//! Options of an association, some of which hold for later associations too if there is none.

use std::net::SocketAddr;

use anabranch_base::Duration;
use anabranch_sctp::association::{Association, AssociationState};
use anabranch_sctp::config::{Failover, MtuDiscovery, RtoSettings};
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::policy::{PathSample, PathState};

use super::super::arguments::{field, member, numbers, socket_address, structure};
use super::super::{CallFault, Reply, done, lacking};
use super::refused;
use crate::machine::Machine;
use crate::script::Value;

const HB_ENABLE: i64 = 0x1;
const HB_DISABLE: i64 = 0x2;
const HB_DEMAND: i64 = 0x4;
const PMTUD_ENABLE: i64 = 0x8;
const PMTUD_DISABLE: i64 = 0x10;

/// Sets the option `name`; `None` if it is another one.
pub(super) fn set(
    machine: &mut Machine,
    id: Option<AssociationId>,
    name: &str,
    value: &Value,
) -> Result<Option<Reply>, CallFault> {
    match name {
        "SCTP_RTOINFO" => {
            let Some(rto) = rto_of(rto_now(machine, id), value) else { return refused("EINVAL") };
            match id {
                Some(id) => {
                    machine.change(id, |association, _| association.set_rto(rto));
                }
                None => machine.set(|config| config.rto = rto).map_err(CallFault::Lacking)?,
            }
        }
        "SCTP_PEER_ADDR_PARAMS" => return set_path(machine, id, value),
        "SCTP_ASSOCINFO" => {
            let Some(most) = field(value, "sasoc_asocmaxrxt").and_then(|most| u32::try_from(most).ok())
            else {
                return lacking("SCTP_ASSOCINFO without sasoc_asocmaxrxt");
            };
            let failover = Failover { association_max: most, ..failover_of(machine, id) };
            set_failover(machine, id, failover)?;
            // Cookies are the endpoint's.
            let life = field(value, "sasoc_cookie_life")
                .and_then(|life| u64::try_from(life).ok())
                .filter(|life| *life > 0);
            if let Some(life) = life.map(Duration::from_millis) {
                machine.set(|config| config.cookie_lifetime = life).map_err(CallFault::Lacking)?;
            }
        }
        "SCTP_PRIMARY_ADDR" => {
            let wanted = member(value, "ssp_addr");
            let Some(id) = id else { return refused("EINVAL") };
            let path = machine.association(id).and_then(|association| {
                association.paths().iter().map(|path| path.id).find(|path| {
                    let remote = association.path_addresses(*path).remote;
                    wanted.is_none_or(|wanted| names(wanted, remote))
                })
            });
            let Some(path) = path else { return refused("EINVAL") };
            machine.change(id, |association, _| association.set_primary(path));
        }
        _ => return Ok(None),
    }
    done(0).map(Some)
}

/// The retransmission time-outs that `value` sets, of which zero leaves one as it is; `None` if they contradict.
fn rto_of(now: RtoSettings, value: &Value) -> Option<RtoSettings> {
    let millis = |name: &str, now: Duration| match field(value, name) {
        Some(number) if number > 0 => Duration::from_millis(u64::try_from(number).unwrap_or(0)),
        _ => now,
    };
    let initial = millis("srto_initial", now.initial);
    let (min, max) = (millis("srto_min", now.min), millis("srto_max", now.max));
    (min <= initial && initial <= max).then_some(RtoSettings { initial, min, max, ..now })
}

/// The retransmission time-outs of the association `id`, or of those to come.
fn rto_now(machine: &Machine, id: Option<AssociationId>) -> RtoSettings {
    let of_association = id.and_then(|id| machine.association(id)).and_then(Association::rto);
    of_association.unwrap_or(machine.settings().rto)
}

/// The failure detection of the association `id`, or of those to come.
fn failover_of(machine: &Machine, id: Option<AssociationId>) -> Failover {
    let of_association = id.and_then(|id| machine.association(id)).and_then(Association::failover);
    of_association.unwrap_or(machine.settings().failover)
}

fn set_failover(
    machine: &mut Machine,
    id: Option<AssociationId>,
    failover: Failover,
) -> Result<(), CallFault> {
    match id {
        Some(id) => {
            machine.change(id, |association, now| association.set_failover(now, failover));
            Ok(())
        }
        None => machine.set(|config| config.failover = failover).map_err(CallFault::Lacking),
    }
}

/// `struct sctp_paddrparams`, which the core has for all paths together.
fn set_path(
    machine: &mut Machine,
    id: Option<AssociationId>,
    value: &Value,
) -> Result<Option<Reply>, CallFault> {
    let flags = field(value, "spp_flags").unwrap_or(0);
    let contradicts = |a: i64, b: i64| flags & a != 0 && flags & b != 0;
    if contradicts(HB_ENABLE, HB_DISABLE) || contradicts(PMTUD_ENABLE, PMTUD_DISABLE) {
        return refused("EINVAL");
    }
    if flags & HB_DEMAND != 0 {
        return lacking("SPP_HB_DEMAND");
    }
    if flags & PMTUD_ENABLE != 0 {
        return lacking("SPP_PMTUD_ENABLE of an association");
    }
    if flags & PMTUD_DISABLE != 0 && machine.settings().mtu_discovery == MtuDiscovery::On {
        return lacking("SPP_PMTUD_DISABLE of an association");
    }
    let mut failover = failover_of(machine, id);
    if let Some(most) = field(value, "spp_pathmaxrxt").filter(|most| *most > 0) {
        failover.path_max = u32::try_from(most).unwrap_or(u32::MAX);
    }
    if flags & HB_DISABLE != 0 {
        failover.heartbeat = Duration::MAX;
    } else if flags & HB_ENABLE != 0 {
        let interval = field(value, "spp_hbinterval").filter(|interval| *interval > 0);
        failover.heartbeat = interval
            .map_or(machine.settings().failover.heartbeat, |ms| Duration::from_millis(ms.unsigned_abs()));
    }
    set_failover(machine, id, failover)?;
    done(0).map(Some)
}

/// The value of the option `name`; `None` if it is another one.
pub(super) fn get(
    machine: &Machine,
    id: Option<AssociationId>,
    number: i64,
    name: &str,
    template: &Value,
) -> Result<Option<Value>, CallFault> {
    let association = id.and_then(|id| machine.association(id));
    Ok(Some(match (name, association) {
        ("SCTP_STATUS", Some(association)) => status(association, number),
        ("SCTP_STATUS", None) => return lacking("SCTP_STATUS of a socket without association"),
        ("SCTP_PEER_ADDR_PARAMS", association) => {
            let failover = failover_of(machine, id);
            let is_on = failover.heartbeat != Duration::MAX;
            let mtu = association
                .and_then(|known| known.paths().first())
                .map_or(Value::Any, |path| mtu(machine, path));
            structure([
                ("spp_address", Value::Any),
                ("spp_assoc_id", Value::Number(number)),
                (
                    "spp_hbinterval",
                    if is_on { Value::Number(millis(failover.heartbeat)) } else { Value::Any },
                ),
                ("spp_pathmaxrxt", Value::Number(failover.path_max.into())),
                ("spp_pathmtu", mtu),
                ("spp_flags", Value::Any),
                ("spp_ipv6_flowlabel", Value::Number(0)),
                ("spp_dscp", Value::Number(0)),
            ])
        }
        ("SCTP_GET_PEER_ADDR_INFO", Some(association)) => {
            let wanted = member(template, "spinfo_address");
            let path = association.paths().iter().find(|path| {
                wanted.is_none_or(|wanted| names(wanted, association.path_addresses(path.id).remote))
            });
            let Some(path) = path else { return lacking("SCTP_GET_PEER_ADDR_INFO of an unknown address") };
            path_info(machine, path, number)
        }
        ("SCTP_RTOINFO", _) => {
            let rto = rto_now(machine, id);
            numbers([
                ("srto_initial", millis(rto.initial)),
                ("srto_max", millis(rto.max)),
                ("srto_min", millis(rto.min)),
            ])
        }
        ("SCTP_ASSOCINFO", _) => {
            let failover = failover_of(machine, id);
            structure([
                ("sasoc_asocmaxrxt", Value::Number(failover.association_max.into())),
                ("sasoc_number_peer_destinations", Value::Any),
                ("sasoc_peer_rwnd", Value::Any),
                ("sasoc_local_rwnd", Value::Any),
                ("sasoc_cookie_life", Value::Number(millis(machine.settings().cookie_lifetime))),
            ])
        }
        _ => return Ok(None),
    }))
}

/// `struct sctp_status`
fn status(association: &Association, number: i64) -> Value {
    let state = match association.state() {
        AssociationState::Closed => "SCTP_CLOSED",
        AssociationState::CookieWait => "SCTP_COOKIE_WAIT",
        AssociationState::CookieEchoed => "SCTP_COOKIE_ECHOED",
        AssociationState::Established => "SCTP_ESTABLISHED",
        AssociationState::ShutdownPending => "SCTP_SHUTDOWN_PENDING",
        AssociationState::ShutdownSent => "SCTP_SHUTDOWN_SENT",
        AssociationState::ShutdownReceived => "SCTP_SHUTDOWN_RECEIVED",
        AssociationState::ShutdownAckSent => "SCTP_SHUTDOWN_ACK_SENT",
    };
    let streams = association.streams();
    let count = |streams: Option<u16>| streams.map_or(Value::Any, |count| Value::Number(count.into()));
    structure([
        ("sstat_assoc_id", Value::Number(number)),
        ("sstat_state", Value::Name(state.to_owned())),
        ("sstat_rwnd", Value::Any),
        ("sstat_unackdata", Value::Any),
        ("sstat_penddata", Value::Any),
        ("sstat_instrms", count(streams.map(|(_, inbound)| inbound))),
        ("sstat_outstrms", count(streams.map(|(outbound, _)| outbound))),
        ("sstat_fragmentation_point", Value::Any),
        ("sstat_primary", Value::Any),
    ])
}

/// `struct sctp_paddrinfo`
fn path_info(machine: &Machine, path: &PathSample, number: i64) -> Value {
    let state = match path.state {
        PathState::Unconfirmed => "SCTP_UNCONFIRMED",
        PathState::Inactive => "SCTP_INACTIVE",
        _ => "SCTP_ACTIVE",
    };
    structure([
        ("spinfo_address", Value::Any),
        ("spinfo_assoc_id", Value::Number(number)),
        ("spinfo_state", Value::Name(state.to_owned())),
        ("spinfo_cwnd", Value::Number(i64::try_from(path.cwnd.get()).unwrap_or(i64::MAX))),
        ("spinfo_srtt", Value::Number(path.srtt.map_or(0, millis))),
        ("spinfo_rto", Value::Number(millis(path.rto))),
        ("spinfo_mtu", mtu(machine, path)),
    ])
}

/// The path MTU without the headers of IP and SCTP: "the number of bytes available in an SCTP packet for chunks" (RFC 6458
/// §8.1.12).
fn mtu(machine: &Machine, path: &PathSample) -> Value {
    let header = if machine.path(0).is_some_and(|path| path.remote.is_ipv6()) { 52 } else { 32 };
    Value::Number(i64::try_from(path.mtu.get()).unwrap_or(i64::MAX) - header)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// True if `value` is open or names the host of `address`: ports of UDP are not those of scripts.
fn names(value: &Value, address: SocketAddr) -> bool {
    let host = |value: &Value| member(value, "sin_addr").or_else(|| member(value, "sin6_addr")).cloned();
    *value == Value::Any || host(value) == host(&socket_address(address))
}
