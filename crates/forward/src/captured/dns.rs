//! The part of a DNS message that a forwarder reads: its identifier and the name that is asked for (RFC 1035 §4.1).

/// The identifier of a message; `None` if it is too short for a header.
pub(super) fn id(message: &[u8]) -> Option<u16> {
    message.get(..HEADER)?.first_chunk().map(|id| u16::from_be_bytes(*id))
}

/// Replaces the identifier of a message that has one.
pub(super) fn set_id(message: &mut [u8], id: u16) {
    if let Some(place) = message.first_chunk_mut() {
        *place = id.to_be_bytes();
    }
}

/// Returns true for a message that asks.
pub(super) fn is_query(message: &[u8]) -> bool {
    message.len() >= HEADER && message[FLAGS] & IS_ANSWER == 0
}

/// The name that a message asks for, in lower case and without the dot of the root; `None` if it asks for nothing, for more
/// than one name, or is malformed. Each byte that a host name does not have becomes `?`.
pub fn question(message: &[u8]) -> Option<String> {
    if !is_query(message) || message.get(4..6)? != [0, 1] {
        return None;
    }
    let mut rest = &message[HEADER..];
    let mut name = String::new();
    loop {
        let (length, label) = rest.split_first()?;
        match usize::from(*length) {
            0 => return Some(name),
            length @ 1..=LONGEST_LABEL if name.len() + length < LONGEST_NAME => {
                let (label, behind) = label.split_at_checked(length)?;
                if !name.is_empty() {
                    name.push('.');
                }
                name.extend(label.iter().map(|byte| match byte.to_ascii_lowercase() {
                    byte @ (b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_') => char::from(byte),
                    _ => '?',
                }));
                rest = behind;
            }
            // A pointer has nothing to point to in the first name.
            _ => return None,
        }
    }
}

const HEADER: usize = 12;
const FLAGS: usize = 2;
const IS_ANSWER: u8 = 0x80;
/// RFC 1035 §2.3.4.
const LONGEST_LABEL: usize = 63;
const LONGEST_NAME: usize = 255;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn query(name: &[u8]) -> Vec<u8> {
        [&[0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], name, &[0, 1, 0, 1]].concat()
    }

    #[test]
    fn the_name_of_a_question_is_read() {
        let asked = query(b"\x03WwW\x07example\x03org\0");
        assert_eq!(question(&asked).as_deref(), Some("www.example.org"));
        assert_eq!((id(&asked), is_query(&asked)), (Some(0x1234), true));
        assert_eq!(question(&query(b"\0")).as_deref(), Some(""), "the root");
        assert_eq!(question(&query(b"\x03a b\0")).as_deref(), Some("a?b"));
    }

    #[test]
    fn what_is_no_single_question_has_none() {
        let mut answer = query(b"\x01a\0");
        answer[FLAGS] |= IS_ANSWER;
        let mut two = query(b"\x01a\0");
        two[5] = 2;
        let pointer = query(&[0xc0, 12]);
        let cut = query(b"\x3fa")[..16].to_vec();
        let long = query(&[&b"\x3f"[..], &[b'a'; 63]].concat().repeat(5));
        for message in [answer, two, pointer, cut, long, Vec::new(), vec![0; 11]] {
            assert_eq!(question(&message), None, "{message:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_name_or_none(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut bytes = bytes;
            let name = question(&bytes);
            prop_assert!(name.is_none_or(|name| name.len() <= LONGEST_NAME));
            let before = bytes.clone();
            set_id(&mut bytes, 7);
            prop_assert_eq!(bytes.get(2..), before.get(2..));
        }
    }
}
