//! Algorithms that are written out as statements, for what no formula of an element says: scans, sorting, the first
//! elements of an order, the element of a rank.
//!
//! A *line* is the elements along one dimension of a tensor, with the others fixed. Each algorithm works on every line
//! by itself; lines are independent of each other, and a task takes one or several of them.
//!
//! Reading order: [`scan`]; [`Line`], `keys` (elements as integers in their order), `run` (vectors of keys), [`sort`]
//! (by digits; short lines by comparisons), [`rank`] (the element of a rank), [`topk`].
//!
//! The order of elements is total: equal elements stay in the order in which they stand, and NaN is greater than every
//! number.

mod keys;
mod lines;
pub mod rank;
mod run;
pub mod scan;
mod short;
pub mod sort;
mod statements;
pub mod topk;
mod topk_few;

pub use lines::Line;
