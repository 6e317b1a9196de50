//! `.npz`: arrays of NumPy in a zip archive, of which stored ones are not copied.

use tilewright_tensor::{Layout, SharedBytes};

use super::Contents;
use super::entry::{Entry, Stored};
use crate::npy::{Header, read_header};
use crate::npz::array_name;
use crate::{ImportError, zip};

pub(super) const NAME: &str = "npz";

pub(super) fn read(bytes: &SharedBytes, members: Vec<zip::Member>) -> Result<Contents, ImportError> {
    let entries = members.into_iter().map(|member| array(bytes, member));
    Ok(Contents { metadata: Vec::new(), entries: entries.collect::<Result<_, _>>()? })
}

fn array(bytes: &SharedBytes, member: zip::Member) -> Result<Entry, ImportError> {
    let name = array_name(&member)?.to_owned();
    let wrong = |message: String| ImportError::new(NAME, format!("array {name:?}: {message}"));
    let (header, start) = read_header(member.reader(bytes)).map_err(wrong)?;
    let Header { numpy, fortran, shape } = header;
    let layout = Layout::compact(numpy.dtype, &shape).map_err(|error| wrong(error.to_string()))?;
    let is_compact = !(numpy.big_endian && numpy.dtype.bytes() > 1) && (!fortran || shape.len() < 2);
    let Some(range) = member.range().filter(|_| is_compact) else {
        return Ok(Entry::of_member(name, (numpy.dtype, shape), bytes, member));
    };
    let data = range.start + start..range.end;
    if data.len() != layout.num_bytes() {
        let message = format!("shape {shape:?} and type {} have {} bytes", numpy.dtype, layout.num_bytes());
        return Err(wrong(format!("{message}, found {}", data.len())));
    }
    Ok(Entry::compact(name, shape, Stored::Plain(numpy.dtype), bytes, data))
}
