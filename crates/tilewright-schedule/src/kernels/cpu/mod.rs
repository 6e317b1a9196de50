//! Kernels of CPUs: tasks on threads, vectors of lanes, register tiles, software prefetch.

pub(crate) mod attention;
pub(crate) mod direct_conv;
pub(crate) mod gemm;
pub(crate) mod rows;
