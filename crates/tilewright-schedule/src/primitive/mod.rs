//! Primitives: one file for each, and one line in [`GENERAL`].
//!
//! A primitive is a function from a PrimFunc and the arguments of a call to an [`Outcome`]: another PrimFunc, what the
//! call gives, and what became of keys that are no longer those of the same thing. It either keeps what the function
//! computes or refuses with a [`Fault`], which names the loop or block at which a condition does not hold.

mod accesses;
mod add_unit_loop;
mod annotate;
mod bind;
mod blockize;
mod cache_inplace;
mod cache_read;
mod cache_write;
pub(crate) mod call;
mod compute_at;
mod compute_inline;
mod decompose_padding;
mod decompose_reduction;
mod enter_postproc;
mod fuse;
mod get_block;
mod get_loops;
mod loop_partition;
mod merge;
mod multiply_by_reciprocal;
mod pad_einsum;
mod parallel;
mod reindex;
mod relations;
mod reorder;
mod reverse_compute_at;
mod reverse_compute_inline;
mod rfactor;
mod rolling_buffer;
mod sample;
pub(crate) mod seed;
mod set_scope;
mod split;
mod stage_transpose;
mod storage_align;
mod temporary;
mod tensorize;
mod transform_block_layout;
mod transform_layout;
mod unroll;
mod vectorize;
mod vectorize_reduction;
pub(crate) mod vectorize_transpose;

pub(crate) use bind::{BIND, bind_independent};
pub(crate) use cache_read::CACHE_READ;
pub(crate) use cache_write::CACHE_WRITE;
pub(crate) use compute_at::COMPUTE_AT;
pub(crate) use compute_inline::COMPUTE_INLINE;
pub(crate) use decompose_reduction::DECOMPOSE_REDUCTION;
pub(crate) use fuse::FUSE;
pub(crate) use fuse::fuse;
pub(crate) use get_block::GET_BLOCK;
pub(crate) use get_loops::GET_LOOPS;
pub(crate) use loop_partition::LOOP_PARTITION;
pub(crate) use multiply_by_reciprocal::MULTIPLY_BY_RECIPROCAL;
pub(crate) use parallel::PARALLEL;
pub(crate) use relations::GET_CHILD_BLOCKS;
pub(crate) use reorder::REORDER;
pub(crate) use reverse_compute_at::REVERSE_COMPUTE_AT;
pub(crate) use rfactor::RFACTOR;
pub(crate) use set_scope::SET_SCOPE;
pub(crate) use split::SPLIT;
pub(crate) use split::split;
pub(crate) use stage_transpose::STAGE_TRANSPOSE;
pub(crate) use transform_layout::TRANSFORM_LAYOUT;
pub(crate) use unroll::UNROLL;
pub(crate) use vectorize::VECTORIZE;
pub(crate) use vectorize_reduction::VECTORIZE_REDUCTION;
pub(crate) use vectorize_transpose::VECTORIZE_TRANSPOSE;

pub use call::{Call, Default, Intrinsics, Outcome, PlanDef, Primitive, Results, TensorIntrin, Value};
pub(crate) use call::{prim_func, site_of};

pub use crate::fault::{Fault, FaultKind};

/// The general primitives, in the order of the documentation.
pub(crate) const GENERAL: &[Primitive] = &[
    get_block::GET_BLOCK,
    get_loops::GET_LOOPS,
    relations::GET_CHILD_BLOCKS,
    relations::GET_PRODUCERS,
    relations::GET_CONSUMERS,
    relations::GET_OUTPUT_BLOCKS,
    sample::SAMPLE_CATEGORICAL,
    sample::SAMPLE_PERFECT_TILE,
    sample::SAMPLE_PARTITIONED_TILE,
    sample::SAMPLE_COMPUTE_LOCATION,
    split::SPLIT,
    loop_partition::LOOP_PARTITION,
    fuse::FUSE,
    merge::MERGE,
    reorder::REORDER,
    accesses::REORDER_BLOCK_ITER_VAR,
    add_unit_loop::ADD_UNIT_LOOP,
    bind::BIND,
    parallel::PARALLEL,
    vectorize::VECTORIZE,
    vectorize_reduction::VECTORIZE_REDUCTION,
    vectorize_transpose::VECTORIZE_TRANSPOSE,
    stage_transpose::STAGE_TRANSPOSE,
    unroll::UNROLL,
    cache_read::CACHE_READ,
    cache_write::CACHE_WRITE,
    cache_inplace::CACHE_INPLACE,
    cache_inplace::READ_AT,
    cache_inplace::WRITE_AT,
    reindex::REINDEX,
    reindex::REINDEX_CACHE_READ,
    reindex::REINDEX_CACHE_WRITE,
    compute_at::COMPUTE_AT,
    reverse_compute_at::REVERSE_COMPUTE_AT,
    compute_inline::COMPUTE_INLINE,
    reverse_compute_inline::REVERSE_COMPUTE_INLINE,
    decompose_reduction::DECOMPOSE_REDUCTION,
    rfactor::RFACTOR,
    rolling_buffer::ROLLING_BUFFER,
    blockize::BLOCKIZE,
    tensorize::TENSORIZE,
    transform_layout::TRANSFORM_LAYOUT,
    transform_block_layout::TRANSFORM_BLOCK_LAYOUT,
    pad_einsum::PAD_EINSUM,
    decompose_padding::DECOMPOSE_PADDING,
    multiply_by_reciprocal::MULTIPLY_BY_RECIPROCAL,
    set_scope::SET_SCOPE,
    temporary::SET_AXIS_SEPARATOR,
    temporary::UNSAFE_SET_DTYPE,
    accesses::ANNOTATE_BUFFER_ACCESS,
    accesses::UNSAFE_HIDE_BUFFER_ACCESS,
    storage_align::STORAGE_ALIGN,
    annotate::ANNOTATE,
    annotate::UNANNOTATE,
    enter_postproc::ENTER_POSTPROC,
];
