//! Families of kernels: what a function computes, recognised once from its TensorIR as a *spec*.
//!
//! | family | spec |
//! |---|---|
//! | [`contraction`] | GEMM, GEMV, batched and grouped products, convolutions as im2col products |
//! | [`window`] | reductions over sliding windows of images: direct and depthwise convolutions, pools |
//! | [`attention`] | products of queries and keys, softmax, weighted values |
//! | [`rows`] | reductions along rows and what is made of them: softmax, norms, argreduce; as monoids |
//! | [`elementwise`] | stages without reductions, and the loops along which they read the same elements again |
//! | [`gather`] | rows of elements looked up in, or by, rows of temporaries |
//!
//! Before there are loops, passes over graphs ask whether a target has a kernel for what they would fuse ([`graph`]).
//!
//! Invariants: a spec knows no target, no plan and no schedule; two kinds of machine share it.

pub(crate) mod attention;
pub(crate) mod contraction;
pub(crate) mod elementwise;
pub(crate) mod gather;
pub(crate) mod graph;
pub(crate) mod rows;
pub(crate) mod window;
