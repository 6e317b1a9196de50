//! Kernels: a spec of a family and a plan become TensorIR, one folder for each kind of machine.

pub(crate) mod cpu;
mod cx;
pub(crate) mod gpu;

use crate::primitive::Primitive;

/// The kernels as primitives, by which traces build them again.
pub(crate) const KERNELS: &[Primitive] = &[
    cpu::attention::FLASH_ATTENTION,
    cpu::gemm::GEMM,
    cpu::direct_conv::DIRECT_CONV,
    cpu::rows::resident::ROWS_RESIDENT,
    cpu::rows::by_pieces::ROWS_BY_PIECES,
    cpu::rows::side_by_side::ROWS_SIDE_BY_SIDE,
    gpu::gemm::TILED_GEMM,
    gpu::map::MAP_THREADS,
    gpu::reduce::REDUCE_THREADS,
    gpu::row_memory::ROW_MEMORY,
    gpu::statement::RUN_ON_THREADS,
    gpu::transpose::TILED_TRANSPOSE,
];
