//! Zip archives, as far as NumPy and PyTorch write them: stored and deflated members, with 64-bit sizes.
//!
//! The directory at the end of the file says where the members are. It is compared with the bytes that are there before
//! anything is read: members lie in the file, do not overlap, and have names of their own, which their own headers
//! repeat. What deflated members claim to hold is bounded by the size of the archive, so that an archive that unfolds
//! into far more than its size is refused; a stored member is a range of the file.

use std::io::{Cursor, Read};
use std::ops::Range;

use flate2::CrcReader;
use flate2::read::DeflateDecoder;

pub(crate) const MAGIC: [u8; 4] = *b"PK\x03\x04";
/// An archive without entries begins like this.
pub(crate) const EMPTY_MAGIC: [u8; 4] = *b"PK\x05\x06";

/// What all deflated members may hold: so many bytes for each of the archive, and a constant.
const MAX_INFLATED_RATIO: u64 = 256;
const INFLATED_BYTES: u64 = 16 << 20;

/// Bytes of the fixed parts.
const END_RECORD: usize = 22;
const DIRECTORY_ENTRY: usize = 46;
const LOCAL_HEADER: usize = 30;
/// A comment after the end record has a length of 16 bits.
const MAX_COMMENT: usize = 65_535;

/// A file in an archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    is_deflated: bool,
    /// Where its bytes are in the archive.
    data: Range<usize>,
    /// Of the contents.
    size: u64,
    checksum: u32,
}

/// The numbers at an offset.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Result<u64, String> {
    let found = at.checked_add(N).and_then(|end| bytes.get(at..end)).ok_or("the archive is cut off")?;
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(found);
    Ok(u64::from_le_bytes(wide))
}

/// The directory: its range in the file, and its number of entries.
fn directory(bytes: &[u8]) -> Result<(Range<usize>, u64), String> {
    let first = bytes.len().saturating_sub(END_RECORD + MAX_COMMENT);
    let is_end = |at: &usize| {
        bytes[*at..].starts_with(&EMPTY_MAGIC)
            && number::<2>(bytes, at + 20).is_ok_and(|comment| at + END_RECORD + comment as usize == bytes.len())
    };
    let last = bytes.len().checked_sub(END_RECORD).ok_or("the archive is cut off: it has no end")?;
    let end = (first..=last).rev().find(is_end).ok_or("the archive has no directory at its end: it is cut off")?;
    let (mut count, mut size, mut start) =
        (number::<2>(bytes, end + 10)?, number::<4>(bytes, end + 12)?, number::<4>(bytes, end + 16)?);
    if let Some(locator) = end.checked_sub(20).filter(|at| bytes[*at..].starts_with(b"PK\x06\x07")) {
        let record = usize::try_from(number::<8>(bytes, locator + 8)?).unwrap_or(usize::MAX);
        if !bytes.get(record..).is_some_and(|record| record.starts_with(b"PK\x06\x06")) {
            return Err("the archive's end record of 64 bits is not where it should be".to_owned());
        }
        count = number::<8>(bytes, record.saturating_add(32))?;
        size = number::<8>(bytes, record.saturating_add(40))?;
        start = number::<8>(bytes, record.saturating_add(48))?;
    }
    let range = start.checked_add(size).filter(|&stop| stop <= end as u64).map(|stop| start as usize..stop as usize);
    let range = range.ok_or("the archive's directory is not inside the file")?;
    if count.checked_mul(DIRECTORY_ENTRY as u64).is_none_or(|least| least > range.len() as u64) {
        return Err(format!("a directory of {} bytes does not have {count} entries", range.len()));
    }
    Ok((range, count))
}

/// The members of an archive, in the order of its directory; folders are left out.
pub(crate) fn members(bytes: &[u8]) -> Result<Vec<Member>, String> {
    let (range, count) = directory(bytes)?;
    let directory = &bytes[range];
    let (mut at, mut members, mut extents) = (0, Vec::new(), Vec::new());
    for _ in 0..count {
        let (member, start) = entry(bytes, directory, &mut at)?;
        extents.push((start, member.data.end));
        if !member.name.ends_with('/') {
            members.push(member);
        }
    }
    extents.sort_unstable();
    if extents.windows(2).any(|pair| pair[1].0 < pair[0].1) {
        return Err("members of the archive overlap".to_owned());
    }
    let mut names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("the archive has two members of the name {:?}", pair[0]));
    }
    let inflated = members.iter().filter(|member| member.is_deflated).map(|member| member.size);
    let total = inflated.fold(0u64, u64::saturating_add);
    if total > INFLATED_BYTES.saturating_add((bytes.len() as u64).saturating_mul(MAX_INFLATED_RATIO)) {
        return Err(format!(
            "the archive of {} bytes unfolds into {total}: more than {MAX_INFLATED_RATIO} for one are refused",
            bytes.len()
        ));
    }
    Ok(members)
}

/// The member of the directory's entry at `at`, and where its own header begins.
fn entry(bytes: &[u8], directory: &[u8], at: &mut usize) -> Result<(Member, usize), String> {
    let here = *at;
    if !directory.get(here..).is_some_and(|rest| rest.starts_with(b"PK\x01\x02")) {
        return Err("the archive's directory is damaged".to_owned());
    }
    let lengths = [28, 30, 32].map(|place| number::<2>(directory, here + place).map(|length| length as usize));
    let [name, extra, comment] = lengths;
    let (name, extra, comment) = (name?, extra?, comment?);
    let fixed = here + DIRECTORY_ENTRY;
    let name = directory.get(fixed..fixed + name).ok_or("the archive's directory is cut off")?;
    let extra = directory.get(fixed + name.len()..fixed + name.len() + extra);
    let extra = extra.ok_or("the archive's directory is cut off")?;
    *at = fixed + name.len() + extra.len() + comment;
    let text = std::str::from_utf8(name).map_err(|_| "a member of the archive has a name that is not UTF-8")?;
    let wrong = |message: &str| format!("the member {text:?} of the archive {message}");
    let (mut size, mut stored, mut start) =
        (number::<4>(directory, here + 24)?, number::<4>(directory, here + 20)?, number::<4>(directory, here + 42)?);
    let mut wide = wide_sizes(extra);
    for value in [&mut size, &mut stored, &mut start] {
        if *value == u64::from(u32::MAX) {
            let (first, rest) = wide.split_first_chunk().ok_or_else(|| wrong("lacks its sizes of 64 bits"))?;
            (*value, wide) = (u64::from_le_bytes(*first), rest);
        }
    }
    if number::<2>(directory, here + 8)? & 1 != 0 {
        return Err(wrong("is encrypted"));
    }
    let is_deflated = match number::<2>(directory, here + 10)? {
        0 if size == stored => false,
        0 => return Err(wrong("is stored with two different sizes")),
        8 => true,
        method => return Err(wrong(&format!("is compressed by method {method}: only deflated members are read"))),
    };
    let start = usize::try_from(start).ok().filter(|start| *start < bytes.len());
    let start = start.ok_or_else(|| wrong("is not inside the file"))?;
    if !bytes[start..].starts_with(&MAGIC) {
        return Err(wrong("has no header where the directory says"));
    }
    let (own_name, own_extra) = (number::<2>(bytes, start + 26)? as usize, number::<2>(bytes, start + 28)? as usize);
    if bytes.get(start + LOCAL_HEADER..start + LOCAL_HEADER + own_name) != Some(name) {
        return Err(wrong("has another name in its own header"));
    }
    let first = start + LOCAL_HEADER + own_name + own_extra;
    let end = usize::try_from(stored).ok().and_then(|stored| first.checked_add(stored));
    let end = end.filter(|end| *end <= bytes.len()).ok_or_else(|| wrong("is not inside the file: it is cut off"))?;
    let checksum = number::<4>(directory, here + 16)? as u32;
    Ok((Member { name: text.to_owned(), is_deflated, data: first..end, size, checksum }, start))
}

/// The contents of the extra field that has sizes of 64 bits; empty if there is none.
fn wide_sizes(mut extra: &[u8]) -> &[u8] {
    while let Some(([a, b, c, d], rest)) = extra.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([*c, *d])).min(rest.len());
        if u16::from_le_bytes([*a, *b]) == 1 {
            return &rest[..length];
        }
        extra = &rest[length..];
    }
    &[]
}

impl Member {
    /// Where the contents are in the archive, unless they are deflated.
    pub(crate) fn range(&self) -> Option<Range<usize>> {
        (!self.is_deflated).then(|| self.data.clone())
    }

    /// The bytes in the archive.
    pub(crate) fn stored_bytes(&self) -> usize {
        self.data.len()
    }

    /// The contents, from the first byte on, unchecked.
    pub(crate) fn reader<'a>(&self, archive: &'a [u8]) -> Box<dyn Read + 'a> {
        let data = archive.get(self.data.clone()).unwrap_or(&[]);
        match self.is_deflated {
            true => Box::new(DeflateDecoder::new(data).take(self.size)),
            false => Box::new(Cursor::new(data)),
        }
    }

    /// What `read` makes of the contents; it reads all of them, and their checksum is compared.
    pub(crate) fn read<T>(
        &self,
        archive: &[u8],
        read: impl FnOnce(&mut dyn Read) -> Result<T, String>,
    ) -> Result<T, String> {
        let mut reader = CrcReader::new(self.reader(archive));
        let made = read(&mut reader)?;
        let is_whole = u64::from(reader.crc().amount()) == self.size & u64::from(u32::MAX);
        match is_whole && reader.crc().sum() == self.checksum {
            true => Ok(made),
            false => Err(format!("the contents of {:?} do not have the checksum that the archive gives", self.name)),
        }
    }
}
