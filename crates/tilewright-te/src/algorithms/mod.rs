//! Algorithms that are written as statements, which no formula of an element expresses: prefix scans, sorting,
//! selection.
//!
//! A *slice* is the elements along one axis of a tensor, with the other indices fixed. Each algorithm works on every
//! slice by itself, and a task takes one or several slices.
//!
//! Reading order: [`scan`]; `key_encoding` (elements as integers of the same order), `sort_keys` (the keys of a slice),
//! [`sort`] (radix sort; `rank_sort` for short slices), `radix_select` (the key of a rank), [`order_statistic`] (k-th
//! element, median), [`topk`] (`topk_insertion` for small k), [`suppression`] (boxes by their scores and overlaps).
//!
//! The order of elements is total: equal elements stay in the order in which they are, and NaN is greater than every
//! number.

mod key_encoding;
pub mod order_statistic;
mod radix_select;
mod rank_sort;
pub mod scan;
pub mod sort;
mod sort_keys;
mod statements;
pub mod suppression;
pub mod topk;
mod topk_insertion;

pub use sort_keys::SortSpec;
