//! The text of a recording's bytes. PowerShell's `>` writes UTF-16; other programs write UTF-8, or a code page whose
//! digits are those of ASCII.

/// Decodes a file of any of these encodings. Invalid bytes become U+FFFD.
pub fn decoded(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // Without a byte order mark: the first two characters are ASCII.
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => utf16(bytes, u16::from_le_bytes),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => utf16(bytes, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_the_same_in_each_encoding_that_programs_write() {
        let text = "Zeit=12 ms\r\n时间\n";
        let units = || text.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        for bytes in [
            text.as_bytes().to_vec(),
            [&[0xff, 0xfe], little.as_slice()].concat(),
            [&[0xfe, 0xff], big.as_slice()].concat(),
            little,
            big,
        ] {
            assert_eq!(decoded(&bytes), text);
        }
        // A code page, and a text cut in the middle of a character.
        assert_eq!(decoded(b"Zeit\xfc=1"), "Zeit\u{fffd}=1");
        assert_eq!(decoded(&[0xff, 0xfe, b'1', 0, b'2']), "1");
    }
}
