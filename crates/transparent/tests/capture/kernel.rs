//! Tables of nftables as the kernel has them.

use std::io::{Read as _, Write as _};

use netlink_bindings::builtin::Nlmsghdr;
use netlink_bindings::nftables::{Chained, CmpOps, FibFlags, Nfgenmsg, OpGettableDo, VerdictCode};
use netlink_bindings::traits::NetlinkChained as _;
use nix::libc;
use socket2::{Domain, Protocol, Socket, Type};

/// The names of all tables.
pub(crate) fn tables() -> Vec<String> {
    let name = |body: &Vec<u8>| {
        OpGettableDo::decode_request(body).1.get_name().expect("a name").to_str().expect("text").to_owned()
    };
    dump(libc::NFT_MSG_GETTABLE).iter().map(name).collect()
}

/// Returns true if there is a table of this name.
pub(crate) fn has_table(name: &str) -> bool {
    tables().iter().any(|table| table == name)
}

/// A table of another program, as firewalld's: a chain with a reverse path filter.
pub(crate) struct Foreign;

impl Foreign {
    pub(crate) fn new() -> Foreign {
        let mut batch = Nfgenmsg::new();
        batch.set_res_id(libc::NFNL_SUBSYS_NFTABLES as u16);
        let inet = Nfgenmsg { nfgen_family: libc::NFPROTO_INET as u8, ..Nfgenmsg::new() };
        let mut chain = Chained::new(1);
        drop(chain.request().op_batch_begin_do(&batch));
        drop(chain.request().set_create().op_newtable_do(&inet).encode().push_name(c"foreign"));
        let mut made = chain.request().set_create().op_newchain_do(&inet);
        let hook = made.encode().push_table(c"foreign").push_name(c"mangle").nested_hook();
        let hook = hook.push_num(libc::NF_INET_PRE_ROUTING as u32).push_priority(-140);
        drop(hook.end_nested().push_type(c"filter"));
        drop(made);
        let mut made = chain.request().set_create().set_append().op_newrule_do(&inet);
        // fib saddr . mark . iif oif missing drop
        let rule = made.encode().push_table(c"foreign").push_chain(c"mangle").nested_expressions();
        let flags = [FibFlags::Saddr, FibFlags::Mark, FibFlags::Iif, FibFlags::Present];
        let flags = flags.into_iter().fold(0, |flags, flag| flags | flag as u32);
        let fib =
            rule.nested_elem().nested_data_fib().push_dreg(1).push_result(OUTPUT_INTERFACE).push_flags(flags);
        let compare = fib.end_nested().end_nested().nested_elem().nested_data_cmp().push_sreg(1);
        let compare = compare.push_op(CmpOps::Eq as u32).nested_data().push_value(&[0; 4]).end_nested();
        let drops = compare.end_nested().end_nested().nested_elem().nested_data_immediate().push_dreg(0);
        drop(drops.nested_data().nested_verdict().push_code(VerdictCode::Drop as u32));
        drop(made);
        drop(chain.request().op_batch_end_do(&batch));
        let mut socket = open();
        socket.write_all(chain.finalize().payload()).expect("sent");
        let foreign = Foreign;
        assert!(has_table("foreign") && !foreign.dump().is_empty());
        foreign
    }

    /// The bytes of the table, its chain and its rule.
    pub(crate) fn dump(&self) -> Vec<u8> {
        let kinds = [libc::NFT_MSG_GETTABLE, libc::NFT_MSG_GETCHAIN, libc::NFT_MSG_GETRULE];
        let bodies = kinds.into_iter().flat_map(dump);
        let is_ours = |body: &Vec<u8>| body.windows(8).any(|name| name == b"foreign\0");
        // The header has the number of changes of all tables.
        bodies.filter(is_ours).flat_map(|body| body[4..].to_vec()).collect()
    }
}

fn open() -> Socket {
    Socket::new(Domain::from(libc::AF_NETLINK), Type::RAW, Some(Protocol::from(libc::NETLINK_NETFILTER)))
        .expect("a socket")
}

/// The bodies of all answers to a request for everything.
fn dump(operation: i32) -> Vec<Vec<u8>> {
    let header = Nlmsghdr {
        len: 20,
        r#type: (libc::NFNL_SUBSYS_NFTABLES << 8 | operation) as u16,
        flags: (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16,
        seq: 1,
        pid: 0,
    };
    let mut socket = open();
    let family = Nfgenmsg { nfgen_family: libc::NFPROTO_INET as u8, ..Nfgenmsg::new() };
    socket.write_all(&[header.as_slice(), family.as_slice()].concat()).expect("sent");
    let (mut bodies, mut buffer) = (Vec::new(), vec![0; 65_536]);
    loop {
        let length = socket.read(&mut buffer).expect("an answer");
        let mut bytes = &buffer[..length];
        while let Some(header) = bytes.first_chunk::<16>().map(|header| Nlmsghdr::new_from_array(*header)) {
            if i32::from(header.r#type) == libc::NLMSG_DONE {
                return bodies;
            }
            assert_ne!(i32::from(header.r#type), libc::NLMSG_ERROR, "{bytes:?}");
            bodies.push(bytes[16..header.len as usize].to_vec());
            bytes = &bytes[(header.len as usize).next_multiple_of(4).min(bytes.len())..];
        }
    }
}

/// `NFT_FIB_RESULT_OIF`
const OUTPUT_INTERFACE: u32 = 1;
