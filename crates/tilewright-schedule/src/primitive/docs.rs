//! What each primitive does, in a sentence: the documentation of the methods of a schedule.

/// What the primitive of this method does.
pub fn doc(method: &str) -> Option<&'static str> {
    DOCS.iter().find(|(name, _)| *name == method).map(|(_, text)| *text)
}

const DOCS: &[(&str, &str)] = &[
    ("get_block", "The block of this name, in the function of that name or the one that is worked on."),
    ("get_loops", "The loops around a block, from outside inwards."),
    ("get_child_blocks", "The blocks directly inside of a block or a loop."),
    ("get_producers", "The blocks that write what a block reads."),
    ("get_consumers", "The blocks that read what a block writes."),
    ("get_output_blocks", "The blocks inside of a block that write what is needed behind it."),
    ("sample_categorical", "One of the integers, as likely as its probability says, or that of the decision."),
    ("sample_perfect_tile", "`n` factors whose product is a loop's extent, drawn or as the decision says."),
    (
        "sample_partitioned_tile",
        "`n` factors whose product is a loop's extent; the product of those from `partition_pos` on is a multiple of \
         `innerpart_factor`.",
    ),
    ("sample_compute_location", "A loop that a block can move into by `compute_at`, drawn or as the decision says."),
    ("split", "Makes several loops, one inside the other, of one; a factor that is `None` follows from the others."),
    ("loop_partition", "Makes several loops, one behind the other, of one; a size that is `None` is what is left."),
    ("fuse", "Makes one loop of several that stand one inside the other."),
    ("merge", "Makes one loop of several that stand one behind the other."),
    ("reorder", "Puts loops of one nest into this order, from outside inwards."),
    ("reorder_block_iter_var", "Puts the axes of a block into another order."),
    ("add_unit_loop", "Puts a loop of one iteration around a block or a loop."),
    ("bind", "Gives the iterations of a loop to the threads of a GPU that the tag names."),
    ("parallel", "Shares the iterations of a loop among the cores."),
    ("vectorize", "Makes the iterations of a loop the lanes of vector operations."),
    ("vectorize_reduction", "Makes the iterations of a reduction the lanes of vector operations."),
    (
        "vectorize_transpose",
        "Copies what is read along one loop and written along another in tiles that are turned in registers.",
    ),
    ("unroll", "Writes out the iterations of a loop."),
    ("cache_read", "Copies what a block reads to other memory first; the block reads it there."),
    ("cache_write", "Lets a block write to other memory, from where it is copied."),
    ("cache_inplace", "Copies what a block changes in place to other memory and back: both copies."),
    ("read_at", "Copies what a block reads to other memory, within a loop."),
    ("write_at", "Copies what a block writes from other memory, within a loop."),
    ("reindex", "Puts a temporary between a block and a buffer that is indexed by the block's axes."),
    ("reindex_cache_read", "Copies what a block reads to other memory, at the places that a map of its axes says."),
    ("reindex_cache_write", "Lets a block write to other memory, at the places that a map of its axes says."),
    ("compute_at", "Moves a block into a loop of its consumers, where it computes what they need there."),
    ("reverse_compute_at", "Moves a block into a loop of its producers, where it takes what they have computed there."),
    ("compute_inline", "Removes a block: where what it computes is read, it is computed."),
    ("reverse_compute_inline", "Removes a block: what it does with each element its producer does at once."),
    ("decompose_reduction", "Makes the init of a reduction a block of its own, in front of a loop."),
    ("rfactor", "Reduces the iterations of a loop each for itself, into a temporary, and then these."),
    ("blockize", "Makes a block of what is inside of a loop."),
    ("tensorize", "Puts the implementation of a tensor intrinsic in the place of what it describes."),
    ("transform_layout", "Stores the elements of a temporary at the places that a map of their indices says."),
    ("transform_block_layout", "Makes other axes and loops of a block's, as a map says."),
    ("pad_einsum", "Fills the extents of a sum of products up to multiples of these numbers."),
    ("decompose_padding", "Writes the constant of a padding first, in front of a loop, and then what is not padding."),
    (
        "multiply_by_reciprocal",
        "Lets a block that divides by the sums of a softmax multiply by their reciprocals, computed once each.",
    ),
    (
        "pipeline_softmax",
        "Runs the stages of a softmax at once: the maximum of a row, the powers of the row before it, the results of the one \
         before that.",
    ),
    ("set_scope", "Puts a temporary into another sort of memory."),
    ("set_axis_separator", "Gives a temporary memory of several dimensions, that begin at these of its own."),
    ("unsafe_set_dtype", "Gives a temporary elements of another type: what is computed is only as exact as that."),
    ("annotate_buffer_access", "Declares what a block reads or writes of a buffer, as a map of its axes says."),
    ("unsafe_hide_buffer_access", "Lets a block no longer declare that it reads or writes these buffers."),
    ("tile_attention", "Computes an attention tile by tile, with the softmax along the way."),
    ("tile_product", "Computes a product tile by tile, each in registers."),
    ("tile_windows", "Reduces over windows of images tile by tile, each in registers."),
    ("storage_align", "Puts elements that are neighbours along an axis a multiple of a factor, and an offset, apart."),
    ("annotate", "Writes plain data on a block or a loop."),
    ("unannotate", "Removes plain data from a block or a loop."),
    ("enter_postproc", "Marks the trace: what follows finishes what was drawn before."),
];

#[cfg(test)]
mod tests {
    use super::super::ALL;
    use super::*;

    #[test]
    fn every_primitive_has_its_sentence() {
        for primitive in ALL {
            assert!(doc(primitive.method).is_some(), "`{}` has none", primitive.method);
        }
    }
}
