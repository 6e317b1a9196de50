//! Units that schedules are made of: cache lines, pages and tasks, and how many of them make up a whole.

/// Tasks that are enough for every machine to have some of them: work is shared among so many where it is worth it.
/// Tasks never depend on the machine, so that sums keep their order.
pub(crate) const TASKS: i64 = 16;

/// Bytes of a cache line.
pub(crate) const LINE: i64 = 64;

/// Bytes of a page. Addresses that are equal within a page fall into the same set of L1, and a load waits now and then
/// for a store to such an address.
pub(crate) const PAGE: i64 = 1 << 12;

/// A number of the machine as kernels count.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// How many parts of `size` make up all: of nothing none.
pub(crate) const fn ceil_div(all: i64, size: i64) -> i64 {
    all / size + (all % size > 0) as i64
}

/// At most so many iterations, a multiple of `unit`, that are an even part of all, if there is such a number that is
/// not much less: then no iteration has to look whether it is past the end.
pub(crate) fn even_part(all: Option<i64>, most: i64, unit: i64) -> i64 {
    let Some(all) = all.filter(|&all| all > most) else { return most };
    let parts = (most / 2 / unit + 1..=most / unit).rev().map(|units| units * unit);
    parts.into_iter().find(|part| all % part == 0).unwrap_or(most)
}
