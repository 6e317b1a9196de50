//! How expressions, loops and blocks are built, checked as they are made, and replaced.

pub(crate) mod exprs;
pub(crate) mod loops;
pub(crate) mod rewrite;
pub(crate) mod unique;
