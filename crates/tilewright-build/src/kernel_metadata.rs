//! The metadata of a compiled kernel, which the kernel cache keeps by the PrimFunc: a hit needs no lowering.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::backends::Source;
use crate::cache::Key;
use tilewright_expr::node::walk;
use tilewright_expr::{Expr, ExprKind, ForeignCallee};
use tilewright_ir::low::{LowTir, PACKED_TENSOR};

/// The facts that callers need of a kernel, and the cache key of its object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KernelMetadata {
    /// The key of the code.
    pub(crate) object: Key,
    /// Bytes of scratch memory that each worker needs.
    pub(crate) scratch_bytes: u64,
    /// The names of the packed functions that the machine code calls.
    pub(crate) packed: BTreeSet<Arc<str>>,
}

impl KernelMetadata {
    /// Of a function that was lowered and written for its backend.
    pub(crate) fn of(low: &LowTir, source: &dyn Source, object: Key) -> Self {
        Self { object, scratch_bytes: source.scratch_bytes(), packed: packed_calls(low) }
    }

    /// As the cache keeps it: the key, the number of bytes, and each name after its length, all numbers as
    /// little-endian `u64`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.object.as_bytes().to_vec();
        bytes.extend(self.scratch_bytes.to_le_bytes());
        for name in &self.packed {
            bytes.extend((name.len() as u64).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        bytes
    }

    /// The inverse of [`KernelMetadata::encode`]; `None` for other bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (object, rest) = bytes.split_first_chunk()?;
        let (scratch, mut rest) = rest.split_first_chunk()?;
        let mut packed = BTreeSet::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk()?;
            let (name, after) = after.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            packed.insert(std::str::from_utf8(name).ok()?.into());
            rest = after;
        }
        Some(Self { object: Key::from_bytes(*object), scratch_bytes: u64::from_le_bytes(*scratch), packed })
    }
}

/// The names of the packed functions that the function's machine code calls.
fn packed_calls(low: &LowTir) -> BTreeSet<Arc<str>> {
    let mut names = BTreeSet::new();
    walk(&low.function().body, |expr: &Expr| {
        if let ExprKind::Foreign { callee: ForeignCallee::Packed(name), .. } = &expr.kind
            && **name != *PACKED_TENSOR
        {
            names.insert(name.clone());
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_decoded_from_its_bytes_and_from_no_others() {
        let object = Key::new(&["object"]);
        for names in [&[][..], &["a"], &["", "a\nb", "größe"]] {
            let of = |names: &[&str]| {
                let packed = names.iter().map(|name| Arc::from(*name)).collect();
                KernelMetadata { object, scratch_bytes: 1 << 40, packed }
            };
            let bytes = of(names).encode();
            // A prefix with fewer names is valid, too.
            let whole: Vec<KernelMetadata> = (0..=names.len()).map(|count| of(&names[..count])).collect();
            let ends: Vec<usize> = whole.iter().map(|metadata| metadata.encode().len()).collect();
            assert_eq!(ends.last(), Some(&bytes.len()));
            for end in 0..=bytes.len() {
                let expected = ends.iter().position(|known| *known == end).map(|count| &whole[count]);
                assert_eq!(KernelMetadata::decode(&bytes[..end]).as_ref(), expected, "{end} of {} bytes", bytes.len());
            }
        }
        let mut long = KernelMetadata { object, scratch_bytes: 0, packed: BTreeSet::new() }.encode();
        long.extend(u64::MAX.to_le_bytes());
        assert_eq!(KernelMetadata::decode(&long), None);
    }
}
