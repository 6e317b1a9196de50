//! Tensor maps: the 128 bytes through which bulk copies address a tensor.
//!
//! The encoding of `cuTensorMapEncodeTiled` is not documented, so a kernel that is simulated gets the encoding of this
//! file instead: the host makes a [`TensorMap`], and hands [`TensorMap::encode`] over as the parameter.

/// How a box is permuted in shared memory: 16-byte chunks are exclusive-ored with the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    /// In order.
    None,
    /// Within 32 bytes.
    B32,
    /// Within 64 bytes.
    B64,
    /// Within 128 bytes.
    B128,
}

impl Swizzle {
    /// The bytes within which chunks are permuted.
    pub(crate) fn span(self) -> u64 {
        match self {
            Swizzle::None => 16,
            Swizzle::B32 => 32,
            Swizzle::B64 => 64,
            Swizzle::B128 => 128,
        }
    }

    /// The permuted address: bits from 4 on are exclusive-ored with as many bits from 7 on.
    pub(crate) fn apply(self, address: u64) -> u64 {
        let bits = self.span() / 16 - 1;
        address ^ (((address >> 7) & bits) << 4)
    }
}

/// The value of elements outside the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Zero.
    Zero,
    /// A NaN of all ones.
    Nan,
}

/// A tensor in global memory and the box that one copy moves; dimension 0 is the one whose elements are adjacent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Bytes of an element: 1, 2, 4 or 8.
    pub element_bytes: u32,
    /// The address of the tensor, a multiple of 16.
    pub address: u64,
    /// The extents, 1 to 5 of them, in elements.
    pub extents: Vec<u64>,
    /// Bytes between neighbours in each dimension but the first; multiples of 16.
    pub strides: Vec<u64>,
    /// The extents of the box in elements: 1 to 256 each.
    pub box_extents: Vec<u32>,
    /// The order in shared memory.
    pub swizzle: Swizzle,
    /// For elements outside.
    pub fill: Fill,
}

/// The first bytes of an encoded map.
const MAGIC: u32 = 0x7173_7074;

/// Bytes of an encoded map.
pub(crate) const MAP_BYTES: usize = 128;

impl TensorMap {
    /// The rules of `cuTensorMapEncodeTiled`.
    fn check(&self) -> Result<(), String> {
        let rank = self.extents.len();
        if !(1..=5).contains(&rank) || self.strides.len() != rank - 1 || self.box_extents.len() != rank {
            return Err("a tensor map has 1 to 5 extents, as many of the box, and a stride less".to_owned());
        }
        if !matches!(self.element_bytes, 1 | 2 | 4 | 8) {
            return Err(format!("elements of {} bytes", self.element_bytes));
        }
        if !self.address.is_multiple_of(16) {
            return Err("the address of the tensor is no multiple of 16".to_owned());
        }
        if self.extents.iter().any(|extent| !(1..=1 << 32).contains(extent)) {
            return Err("an extent of the tensor is not from 1 to 2^32".to_owned());
        }
        if self.strides.iter().any(|stride| !stride.is_multiple_of(16) || *stride >= 1 << 40) {
            return Err("a stride is no multiple of 16 below 2^40".to_owned());
        }
        if self.box_extents.iter().any(|extent| !(1..=256).contains(extent)) {
            return Err("an extent of the box is not from 1 to 256".to_owned());
        }
        let inner = u64::from(self.box_extents[0] * self.element_bytes);
        if !inner.is_multiple_of(16) {
            return Err(format!("the rows of the box have {inner} bytes, no multiple of 16"));
        }
        if self.swizzle != Swizzle::None && inner > self.swizzle.span() {
            return Err(format!("the rows of the box have {inner} bytes, more than the swizzle of {:?}", self.swizzle));
        }
        Ok(())
    }

    /// The bytes of the parameter.
    pub fn encode(&self) -> Result<[u8; MAP_BYTES], String> {
        self.check()?;
        let mut out = [0; MAP_BYTES];
        out[..4].copy_from_slice(&MAGIC.to_le_bytes());
        out[4] = self.extents.len() as u8;
        out[5] = self.element_bytes as u8;
        out[6] = self.swizzle as u8;
        out[7] = self.fill as u8;
        out[8..16].copy_from_slice(&self.address.to_le_bytes());
        for (at, extent) in self.extents.iter().enumerate() {
            out[16 + 4 * at..][..4].copy_from_slice(&((extent - 1) as u32).to_le_bytes());
            out[36 + at] = (self.box_extents[at] - 1) as u8;
        }
        for (at, stride) in self.strides.iter().enumerate() {
            out[48 + 8 * at..][..8].copy_from_slice(&stride.to_le_bytes());
        }
        Ok(out)
    }

    /// The map of such bytes; `None` for others.
    pub fn decode(bytes: &[u8]) -> Option<TensorMap> {
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        if word(0)? != MAGIC || bytes.len() < MAP_BYTES {
            return None;
        }
        let rank = usize::from(bytes[4]);
        if !(1..=5).contains(&rank) {
            return None;
        }
        let map = TensorMap {
            element_bytes: bytes[5].into(),
            address: long(8)?,
            extents: (0..rank).map(|at| Some(u64::from(word(16 + 4 * at)?) + 1)).collect::<Option<_>>()?,
            strides: (0..rank - 1).map(|at| long(48 + 8 * at)).collect::<Option<_>>()?,
            box_extents: (0..rank).map(|at| u32::from(bytes[36 + at]) + 1).collect(),
            swizzle: *[Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128].get(usize::from(bytes[6]))?,
            fill: *[Fill::Zero, Fill::Nan].get(usize::from(bytes[7]))?,
        };
        map.check().ok().map(|()| map)
    }

    /// Bytes of the box.
    pub(crate) fn box_bytes(&self) -> u64 {
        self.box_extents.iter().map(|extent| u64::from(*extent)).product::<u64>() * u64::from(self.element_bytes)
    }

    /// Bytes of a row of the box.
    pub(crate) fn row_bytes(&self) -> u64 {
        u64::from(self.box_extents[0] * self.element_bytes)
    }

    /// For each row of the box at `corner`: the elements of dimension 0 that are inside, and the address of the first
    /// of them. Rows outside have none.
    pub(crate) fn rows(&self, corner: &[i32]) -> Vec<MapRow> {
        let outer: u64 = self.box_extents[1..].iter().map(|extent| u64::from(*extent)).product();
        (0..outer)
            .map(|row| {
                let mut rest = row;
                let mut address = self.address;
                let mut inside = true;
                let outer = self.box_extents.iter().zip(&self.extents).zip(corner).skip(1).zip(&self.strides);
                for (((&width, &extent), &corner), &stride) in outer {
                    let index = i64::from(corner) + (rest % u64::from(width)) as i64;
                    rest /= u64::from(width);
                    inside &= index >= 0 && (index as u64) < extent;
                    address = address.wrapping_add((index as u64).wrapping_mul(stride));
                }
                let (first, width) = (i64::from(corner[0]), i64::from(self.box_extents[0]));
                let begin = first.max(0).min(first + width);
                let end = (first + width).min(self.extents[0].min(1 << 40) as i64);
                let bytes = u64::from(self.element_bytes);
                if !inside || end <= begin {
                    return MapRow { skip: 0, bytes: 0, address };
                }
                MapRow {
                    skip: (begin - first) as u64 * bytes,
                    bytes: (end - begin) as u64 * bytes,
                    address: address.wrapping_add(begin as u64 * bytes),
                }
            })
            .collect()
    }
}

/// The part of a row of a box that is inside the tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MapRow {
    /// Bytes of the row before it.
    pub(crate) skip: u64,
    pub(crate) bytes: u64,
    pub(crate) address: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            element_bytes: 2,
            address: 0x1000,
            extents: vec![100, 7, 3],
            strides: vec![256, 4096],
            box_extents: vec![64, 4, 2],
            swizzle: Swizzle::B128,
            fill: Fill::Zero,
        }
    }

    #[test]
    fn a_map_survives_its_encoding() {
        let bytes = map().encode().expect("encode");
        assert_eq!(TensorMap::decode(&bytes), Some(map()));
        assert_eq!(TensorMap::decode(&[0; 128]), None);
        assert_eq!(TensorMap::decode(&bytes[..100]), None);
    }

    #[test]
    fn wrong_maps_are_refused() {
        let wrong = [
            TensorMap { address: 8, ..map() },
            TensorMap { strides: vec![256, 100], ..map() },
            TensorMap { strides: vec![256], ..map() },
            TensorMap { box_extents: vec![257, 4, 2], ..map() },
            TensorMap { box_extents: vec![65, 4, 2], ..map() },
            TensorMap { swizzle: Swizzle::B64, ..map() },
            TensorMap { element_bytes: 3, ..map() },
            TensorMap { extents: vec![0, 7, 3], ..map() },
        ];
        for map in wrong {
            assert!(map.encode().is_err(), "{map:?}");
        }
    }

    #[test]
    fn rows_outside_the_tensor_are_empty() {
        let rows = map().rows(&[64, 5, 2]);
        assert_eq!(rows.len(), 8);
        assert_eq!(rows[0], MapRow { skip: 0, bytes: 72, address: 0x1000 + 128 + 5 * 256 + 2 * 4096 });
        assert_eq!((rows[2].bytes, rows[4].bytes), (0, 0));
        let rows = map().rows(&[-3, 0, 0]);
        assert_eq!(rows[0], MapRow { skip: 6, bytes: 122, address: 0x1000 });
    }

    #[test]
    fn chunks_are_permuted_by_the_row() {
        assert_eq!(Swizzle::B128.apply(0x400 + 3 * 128 + 16), 0x400 + 3 * 128 + 32);
        assert_eq!(Swizzle::B64.apply(128 + 64), 128 + 64 + 16);
        assert_eq!(Swizzle::B32.apply(128), 128 + 16);
        assert_eq!(Swizzle::None.apply(0x7f0), 0x7f0);
    }
}
