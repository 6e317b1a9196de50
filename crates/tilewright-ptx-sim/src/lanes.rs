//! The 32 lanes of a warp: registers, and functions over all of them.

/// The lanes of a warp.
pub(crate) const WARP: usize = 32;

/// A register of a warp. A value of fewer than 64 bits has zeros above them.
pub(crate) type Lanes = [u64; WARP];

pub(crate) type Map1 = fn(&Lanes, &mut Lanes);
pub(crate) type Map2 = fn(&Lanes, &Lanes, &mut Lanes);
pub(crate) type Map3 = fn(&Lanes, &Lanes, &Lanes, &mut Lanes);
/// Four values of a lane → one.
pub(crate) type Map4 = fn(u64, u64, u64, u64) -> u64;
/// Two registers → the lanes for which a relation holds.
pub(crate) type Relation = fn(&Lanes, &Lanes) -> u32;

/// `|a| …` on every lane, as a [`Map1`].
macro_rules! map1 {
    (|$a:ident| $body:expr) => {{
        fn lanes(x: &crate::lanes::Lanes, out: &mut crate::lanes::Lanes) {
            for lane in 0..crate::lanes::WARP {
                let $a: u64 = x[lane];
                out[lane] = $body;
            }
        }
        lanes as crate::lanes::Map1
    }};
}

/// `|a, b| …` on every lane, as a [`Map2`].
macro_rules! map2 {
    (|$a:ident, $b:ident| $body:expr) => {{
        fn lanes(x: &crate::lanes::Lanes, y: &crate::lanes::Lanes, out: &mut crate::lanes::Lanes) {
            for lane in 0..crate::lanes::WARP {
                let ($a, $b): (u64, u64) = (x[lane], y[lane]);
                out[lane] = $body;
            }
        }
        lanes as crate::lanes::Map2
    }};
}

/// `|a, b, c| …` on every lane, as a [`Map3`].
macro_rules! map3 {
    (|$a:ident, $b:ident, $c:ident| $body:expr) => {{
        fn lanes(
            x: &crate::lanes::Lanes,
            y: &crate::lanes::Lanes,
            z: &crate::lanes::Lanes,
            out: &mut crate::lanes::Lanes,
        ) {
            for lane in 0..crate::lanes::WARP {
                let ($a, $b, $c): (u64, u64, u64) = (x[lane], y[lane], z[lane]);
                out[lane] = $body;
            }
        }
        lanes as crate::lanes::Map3
    }};
}

/// `|a, b| …` on every lane, as a [`Relation`].
macro_rules! relation {
    (|$a:ident, $b:ident| $body:expr) => {{
        fn lanes(x: &crate::lanes::Lanes, y: &crate::lanes::Lanes) -> u32 {
            let mut out = 0;
            for lane in 0..crate::lanes::WARP {
                let ($a, $b): (u64, u64) = (x[lane], y[lane]);
                out |= u32::from($body) << lane;
            }
            out
        }
        lanes as crate::lanes::Relation
    }};
}

pub(crate) use {map1, map2, map3, relation};

/// The set bits of a mask of lanes, from the lowest.
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
