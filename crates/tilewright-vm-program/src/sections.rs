//! The outer form of an executable file: a header, a table of sections, and the sections' bytes.

use tilewright_tensor::abi::{ABI_VERSION, TENSOR_ALIGN};

use crate::file::{FormatError, malformed};
use crate::wire::{Reader, WireResult, Writer};

/// What this version writes. Every change to the bytes takes the next number.
pub const FORMAT_VERSION: u32 = 7;

/// The oldest version that this one reads; at least one before [`FORMAT_VERSION`].
pub const OLDEST_FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"TILEWRT\0";
const HEADER_BYTES: usize = 24;
const ENTRY_BYTES: usize = 24;
/// The offset of the header's checksum.
const HEADER_CHECKSUM: usize = 20;
/// The number of sections, at most: more than any version has.
const MAX_SECTIONS: usize = 256;

/// The kind of a section, by the number that stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind(u32);

/// In the number of a kind: who does not know the section may pass over it.
const OPTIONAL: u32 = 1 << 31;

impl Kind {
    pub(crate) const TARGET: Self = Self(1);
    pub(crate) const PROGRAM: Self = Self(2);
    pub(crate) const IMAGES: Self = Self(3);
    pub(crate) const CONSTANTS: Self = Self(4);
    pub(crate) const METADATA: Self = Self(5);
    pub(crate) const SYMBOLS: Self = Self(6 | OPTIONAL);

    const KNOWN: [(Self, &str); 6] = [
        (Self::TARGET, "target"),
        (Self::PROGRAM, "program"),
        (Self::IMAGES, "images"),
        (Self::CONSTANTS, "constants"),
        (Self::METADATA, "metadata"),
        (Self::SYMBOLS, "symbols"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::KNOWN.iter().find(|(kind, _)| *kind == self).map_or("header", |(_, name)| name)
    }

    fn is_known(self) -> bool {
        Self::KNOWN.iter().any(|(kind, _)| *kind == self)
    }
}

/// The entry of a section in the table, without its offset.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    pub(crate) bytes: usize,
    pub(crate) checksum: u32,
}

impl Plan {
    /// Of a section with these bytes.
    pub(crate) fn of(kind: Kind, bytes: &[u8]) -> Self {
        Self { kind, bytes: bytes.len(), checksum: crc32fast::hash(bytes) }
    }
}

/// Where planned sections begin, and where the last one ends.
pub(crate) fn lay_out(plans: &[Plan]) -> (Vec<usize>, usize) {
    let mut end = HEADER_BYTES + plans.len() * ENTRY_BYTES;
    let mut offsets = Vec::new();
    for plan in plans {
        let offset = end.next_multiple_of(TENSOR_ALIGN);
        offsets.push(offset);
        end = offset + plan.bytes;
    }
    (offsets, end)
}

/// Writes the header and the table to where the file begins.
pub(crate) fn write_header(file: &mut [u8], plans: &[Plan], offsets: &[usize]) {
    let mut w = Writer::default();
    w.bytes.extend_from_slice(MAGIC);
    w.u32(FORMAT_VERSION);
    w.u32(ABI_VERSION);
    w.count(plans.len());
    w.u32(0);
    for (plan, &offset) in plans.iter().zip(offsets) {
        w.u32(plan.kind.0);
        w.u32(plan.checksum);
        w.u64(offset as u64);
        w.u64(plan.bytes as u64);
    }
    let checksum = crc32fast::hash(&w.bytes);
    w.bytes[HEADER_CHECKSUM..][..4].copy_from_slice(&checksum.to_le_bytes());
    file[..w.bytes.len()].copy_from_slice(&w.bytes);
}

/// A section of a file.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    pub(crate) kind: Kind,
    pub(crate) offset: usize,
    pub(crate) length: usize,
    /// None of them for the constants.
    pub(crate) bytes: &'a [u8],
}

/// A section of an executable file, as its table tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionInfo {
    pub name: &'static str,
    /// Where it begins in the file.
    pub offset: usize,
    pub bytes: usize,
}

/// An executable file from outside: its version, and the sections that this version knows, in the file's order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileInfo {
    pub format_version: u32,
    /// Of the machine code, if there is any.
    pub abi_version: u32,
    pub sections: Vec<SectionInfo>,
}

/// The sections of a file that this version knows.
pub(crate) struct Sections<'a> {
    version: u32,
    /// Of the file's machine code, if it has any.
    pub(crate) abi_version: u32,
    found: Vec<Section<'a>>,
}

impl<'a> Sections<'a> {
    /// All checksums are right but that of the constants, which is not looked at. Of a file of `length` bytes, `file`
    /// are the first ones: all that is not in the constants' section.
    pub(crate) fn read(file: &'a [u8], length: usize) -> Result<Self, FormatError> {
        let mut r = Reader::new(file, FORMAT_VERSION);
        if r.take(MAGIC.len()) != Ok(MAGIC.as_slice()) {
            return Err(FormatError::NotAnExecutable);
        }
        let numbers = |r: &mut Reader<'_>| Ok([r.u32()?, r.u32()?, r.u32()?, r.u32()?]);
        let [version, abi_version, count, checksum] = numbers(&mut r).map_err(malformed("header"))?;
        if !(OLDEST_FORMAT_VERSION..=FORMAT_VERSION).contains(&version) {
            return Err(FormatError::Version { found: version });
        }
        let count = count as usize;
        let table = (count <= MAX_SECTIONS).then(|| file.get(..HEADER_BYTES + count * ENTRY_BYTES)).flatten();
        let Some(table) = table else {
            let message = format!("a table of {count} sections in a file of {length} bytes");
            return Err(FormatError::Malformed { section: "header", message });
        };
        let mut zeroed = table.to_vec();
        zeroed[HEADER_CHECKSUM..][..4].fill(0);
        if crc32fast::hash(&zeroed) != checksum {
            return Err(FormatError::Checksum { section: "the header".to_owned() });
        }
        let mut sections = Self { version, abi_version, found: Vec::new() };
        let mut ranges = vec![(0, table.len())];
        for _ in 0..count {
            let entry = read_entry(&mut r).map_err(malformed("header"))?;
            ranges.extend(entry.range(length));
            sections.add(file, length, entry)?;
        }
        check_padding(file, length, ranges)?;
        Ok(sections)
    }

    fn add(&mut self, file: &'a [u8], total: usize, entry: Entry) -> Result<(), FormatError> {
        let Entry { kind, checksum, offset, length } = entry;
        let range = entry.range(total);
        let wrong = |message: String| Err(FormatError::Malformed { section: kind.name(), message });
        if !kind.is_known() {
            return match kind.0 & OPTIONAL {
                0 => wrong(format!("section {} is not known to this version, and not optional", kind.0)),
                _ => Ok(()),
            };
        }
        if self.found.iter().any(|section| section.kind == kind) {
            return wrong("it is there twice".to_owned());
        }
        let content = range.and_then(|(start, end)| match kind {
            Kind::CONSTANTS => Some((start, end - start, [].as_slice())),
            _ => Some((start, end - start, file.get(start..end)?)),
        });
        let Some((offset, length, bytes)) = content else {
            return wrong(format!("{length} bytes at byte {offset} of a file of {total} bytes"));
        };
        if kind != Kind::CONSTANTS && crc32fast::hash(bytes) != checksum {
            return Err(FormatError::Checksum { section: format!("section \"{}\"", kind.name()) });
        }
        self.found.push(Section { kind, offset, length, bytes });
        Ok(())
    }

    pub(crate) fn info(&self) -> FileInfo {
        let sections = self.found.iter().map(|section| SectionInfo {
            name: section.kind.name(),
            offset: section.offset,
            bytes: section.length,
        });
        FileInfo { format_version: self.version, abi_version: self.abi_version, sections: sections.collect() }
    }

    pub(crate) fn find(&self, kind: Kind) -> Option<Section<'a>> {
        self.found.iter().find(|section| section.kind == kind).copied()
    }

    /// Reads a section from its first byte to its last; none if the file has no such section.
    pub(crate) fn parse<T>(
        &self,
        kind: Kind,
        read: impl FnOnce(&mut Reader<'a>) -> WireResult<T>,
    ) -> Result<Option<T>, FormatError> {
        let Some(section) = self.find(kind) else { return Ok(None) };
        let mut r = Reader::new(section.bytes, self.version);
        let outcome = read(&mut r).and_then(|value| r.finish().map(|()| value));
        outcome.map(Some).map_err(malformed(kind.name()))
    }

    /// As [`Sections::parse`], of a section that every file has.
    pub(crate) fn require<T>(
        &self,
        kind: Kind,
        read: impl FnOnce(&mut Reader<'a>) -> WireResult<T>,
    ) -> Result<T, FormatError> {
        let missing = || FormatError::Malformed { section: kind.name(), message: "it is missing".to_owned() };
        self.parse(kind, read)?.ok_or_else(missing)
    }
}

/// A line of the table.
struct Entry {
    kind: Kind,
    checksum: u32,
    offset: u64,
    length: u64,
}

impl Entry {
    /// Its range of bytes, if the file has them.
    fn range(&self, file_length: usize) -> Option<(usize, usize)> {
        let start = usize::try_from(self.offset).ok()?;
        let end = start.checked_add(usize::try_from(self.length).ok()?)?;
        (start <= end && end <= file_length).then_some((start, end))
    }
}

/// No byte of the file is without a meaning: header, table and sections do not overlap, between them are zeros, and
/// nothing follows them.
fn check_padding(file: &[u8], length: usize, mut ranges: Vec<(usize, usize)>) -> Result<(), FormatError> {
    let wrong = |message: String| Err(FormatError::Malformed { section: "table", message });
    ranges.sort_unstable();
    let mut end = 0;
    for (start, next_end) in ranges {
        let Some(padding) = file.get(end..start) else {
            return wrong(format!("a section at byte {start} begins before byte {end}, where the one before it ends"));
        };
        if padding.iter().any(|&byte| byte != 0) {
            return wrong(format!("bytes {end} to {start} belong to no section, and are no padding"));
        }
        end = next_end;
    }
    match length - end {
        0 => Ok(()),
        rest => wrong(format!("{rest} bytes after the last section")),
    }
}

fn read_entry(r: &mut Reader<'_>) -> WireResult<Entry> {
    Ok(Entry { kind: Kind(r.u32()?), checksum: r.u32()?, offset: r.u64()?, length: r.u64()? })
}
