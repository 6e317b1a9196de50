//! gzip: decompression up to a limit of bytes.

use std::io::Read;

/// The bytes that a gzip file begins with.
pub(crate) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Reads at most `limit` bytes. Memory grows with what is really there, not with what a file claims.
pub(crate) fn read_up_to(reader: impl Read, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    reader.take(limit).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
