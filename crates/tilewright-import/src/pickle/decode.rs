//! Texts inside the oldest pickles.

/// The characters of Python's `raw-unicode-escape`: Latin-1 bytes, `\uXXXX` and `\UXXXXXXXX`.
pub(super) fn raw_unicode(line: &[u8]) -> Result<String, String> {
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let digits = match (byte, line.get(at + 1)) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            _ => {
                out.push(char::from(byte));
                at += 1;
                continue;
            }
        };
        let code = line.get(at + 2..at + 2 + digits).and_then(hexadecimal).and_then(char::from_u32);
        out.push(code.ok_or("a text with a broken escape")?);
        at += 2 + digits;
    }
    Ok(out)
}

/// The bytes of a string literal of Python 2, quotes included.
pub(super) fn string_literal(line: &[u8]) -> Result<Vec<u8>, String> {
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return Err("a text without quotes".into()) };
    if line.len() < 2 || first != last || !matches!(first, b'\'' | b'"') {
        return Err("a text without quotes".to_owned());
    }
    let inside = &line[1..line.len() - 1];
    let mut out = Vec::with_capacity(inside.len());
    let mut at = 0;
    while let Some(&byte) = inside.get(at) {
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        let escape = *inside.get(at + 1).ok_or("a text with a broken escape")?;
        at += 2;
        out.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'\\' | b'\'' | b'"' => escape,
            b'x' => {
                let code = inside.get(at..at + 2).and_then(hexadecimal).ok_or("a text with a broken escape")?;
                at += 2;
                code as u8
            }
            _ => return Err("a text with an unknown escape".to_owned()),
        });
    }
    Ok(out)
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(digits).ok().filter(|t| t.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(text, 16).ok()
}

/// A little-endian two's complement number, if it fits into 64 bits.
pub(super) fn long(bytes: &[u8]) -> Option<i64> {
    let sign = if bytes.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 };
    let (low, high) = bytes.split_at(bytes.len().min(8));
    let mut wide = [sign; 8];
    wide[..low.len()].copy_from_slice(low);
    let value = i64::from_le_bytes(wide);
    (high.iter().all(|&b| b == sign) && (value < 0) == (sign != 0)).then_some(value)
}
