//! Ops that move elements: nearly all compute nothing.

mod regroup;

pub use regroup::{legalize_regrouped, regrouped};

family! {
    broadcast_to,
    collapse_sum_like,
    collapse_sum_to,
    concat,
    expand_dims,
    flatten,
    flip,
    layout_transform,
    meshgrid,
    permute_dims,
    repeat,
    reshape,
    split,
    squeeze,
    stack,
    tile,
}
