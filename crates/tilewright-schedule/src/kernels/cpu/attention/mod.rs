//! `flash_attention(block, …)`, with the fields of [`AttentionPlan`] as arguments: attention runs block of keys by
//! block of keys, and nothing of the size of queries times keys is ever in memory.
//!
//! The function has to be attention and nothing else (`families::attention`): products of queries and keys, scores,
//! their exponentials against the maximum, and the values weighted with these, whatever formulas are between them. The
//! maximum and the sum of weights so far are kept for each query and rescaled when a new block of keys has a larger
//! maximum (online softmax: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). `block` is the
//! block of the products.
//!
//! Queries are the lanes of vectors, `vectors * lanes` of them in a task, so that maxima and sums go from one key to
//! the next without exchanging lanes (`query_lanes`):
//!
//! ```text
//! for task in parallel(batch * blocks of queries)
//!   the queries are copied, transposed in registers (`transpose`)
//!   for block of `keys` keys
//!     for tile of `rows` keys:     rows * vectors vectors of scores from a register tile over the head dimension
//!     maxima, exponentials, sums
//!     for tile of `rows` columns of the values: weighted sums in a register tile over the keys
//!   the result is written, transposed
//! ```
//!
//! With `copy_keys` and `copy_values` a block of keys, or of values, is copied before its elements are broadcast one by
//! one, so that they are contiguous. Keys and values that are computed, or converted, are copied anyway.
//!
//! Masks that are contiguous along the keys are transposed, too (`masks`). Keys beyond the causal bound of a task,
//! whose scores are -inf whatever they are, are left out.
//!
//! Where a vector has more lanes than there are queries, several of them belong to one query (`lanes_per_query`). At
//! most `few` queries, as in decoding, are tasks of their own: there the head dimensions are the lanes
//! (`single_query`). Where the number of queries is not constant, the run decides. Heads that share keys and have one
//! query each are the queries themselves (`families::attention::shared_heads`).
//!
//! Where there is no key, nothing is written, as by sums that begin in their own block.
//!
//! Floats are summed in another order than in the function as it was; an element is the same for every number of
//! threads. Values are weighted first and divided by the sum of weights at the end, so that a sum of very large ones,
//! beyond the greatest float divided by the number of keys, may overflow where the function as it was gives a finite
//! mean. Weights that are less than the least normal number are zero.

mod cx;
mod lanes_per_query;
mod masks;
mod query_lanes;
mod single_query;
mod transpose;

use tilewright_ir::tir::{CmpOp, Expr, StmtKind};
use tilewright_tir_passes::analyzer_of;

use crate::build::exprs::compare;
use crate::families::attention::Attention;
use crate::fault::Fault;
use crate::kernels::cx::IndexCx;
use crate::plan::Plan;
use crate::plan::cpu::attention::AttentionPlan;
use crate::primitive::call::{Call, Outcome, Primitive};
use cx::{Flash, Tiling};

pub(crate) const FLASH_ATTENTION: Primitive = Primitive {
    name: "FlashAttention",
    method: "flash_attention",
    doc: "Computes an attention by blocks of keys, with an online softmax.",
    params: AttentionPlan::PARAMS,
    plan: Some(AttentionPlan::DEF),
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let plan = AttentionPlan::of_call(call)?;
    call.with_root_body(&site, || {
        let attention = Attention::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
        let dims = [&attention.head_dim, &attention.value_dim].map(|axis| axis.extent.as_int());
        let [Some(head_dim), Some(value_dim)] = dims else {
            return Err(Fault::of_call("the head dimensions are not constant"));
        };
        let cx = IndexCx { index: attention.index, known: analyzer_of(call.function) };
        let p = Flash { a: &attention, tiling: Tiling::of(&plan), head_dim, value_dim, cx, name };
        let queries = &attention.query.extent;
        let is_few = compare(CmpOp::Le, queries, &Expr::int(plan.few, queries.dtype))?;
        match p.simple(&is_few).as_int() {
            Some(0) => p.query_lanes(),
            Some(_) => p.single_query(),
            None => {
                let (then, otherwise) = (p.single_query()?, Some(p.query_lanes()?));
                Ok(StmtKind::If { condition: is_few, then, otherwise }.into())
            }
        }
    })
}
