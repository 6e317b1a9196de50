//! Kernels of a GPU. Each outermost nest of loops over blocks and threads is one launch.

pub(crate) mod gemm;
pub(crate) mod map;
pub(crate) mod reduce;
pub(crate) mod row_memory;
pub(crate) mod statement;
pub(crate) mod transpose;
