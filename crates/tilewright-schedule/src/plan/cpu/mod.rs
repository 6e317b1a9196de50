//! Plans of the kernels of CPUs, one file for each kernel.

pub(crate) mod attention;
pub(crate) mod convolution;
pub(crate) mod direct_conv;
pub(crate) mod gemm;
pub(crate) mod rows;
pub(crate) mod set_conflicts;
pub(crate) mod work;
