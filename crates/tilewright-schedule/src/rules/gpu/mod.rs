//! Rules of GPUs. Each function becomes statements of its root block that are nests of loops over blocks and threads:
//! launches, one after the other.
//!
//! | rule | for |
//! |---|---|
//! | `contraction` | sums of products: matrix products, convolutions |
//! | `row_reduction` | reductions of rows and what is computed from them: softmax, norms, argreduce |
//! | `elementwise` | functions all of whose stages compute each result for itself |
//! | `fallback` | every function, a stage after the other |
//!
//! What all of them do with a stage that stands alone is in `stage`.

pub(super) mod contraction;
pub(super) mod elementwise;
pub(super) mod fallback;
pub(super) mod rows;
mod stage;
