//! `flash_attention(block, …)`, with the fields of [`AttentionPlan`] as arguments: attention runs block of keys by block of
//! keys, and nothing of the size of queries times keys is ever in memory.
//!
//! The function has to be attention and nothing else (`recognise`): products of queries and keys, scores, their
//! exponentials against the maximum, and the values weighed with these, whatever formulas stand between. The maximum and the
//! sums of what was seen so far are kept for each query and corrected when a new block of keys has a larger one (Milakov and
//! Gimelshein, "Online normalizer calculation for softmax", 2018). `block` is the block of the products.
//!
//! Queries are the lanes of vectors, `vectors * lanes` of them in a task, so that maxima and sums go from one key to the
//! next without crossing lanes (`many`):
//!
//! ```text
//! for task in parallel(batch * blocks of queries)
//!   the queries are copied, transposed in registers (`turned`)
//!   for block of `keys` keys
//!     for tile of `rows` keys:     rows * vectors vectors of scores from a register tile over the depth
//!     maxima, exponentials, sums
//!     for tile of `rows` columns of the values: corrected sums in a register tile over the keys
//!   the result is written, transposed
//! ```
//!
//! With `copy_keys` and `copy_values` a block of keys, or of values, is copied before its elements are taken one by one, so
//! that they lie together. Keys and values that are worked out, or converted, are copied anyway.
//!
//! Masks whose rows are along the keys are turned, too (`masks`).
//!
//! Keys that no query of a task sees, because scores behind a place are -inf whatever they are, are left out (`seen`).
//!
//! Where a vector has more lanes than there are queries, several of them are of one query (`parts`). At most `few` queries are
//! taken one by one: there the depth of a key and the width of a value are the lanes, and a task is one query (`single`). Where
//! the number of queries is not constant, the run decides. Heads that share keys and have one query each are the queries
//! themselves (`shared`).
//!
//! Where there is no key, nothing is written, as by sums that begin in their own block.
//!
//! Floats are summed in another order than in the function as it was; an element is the same for every number of threads.
//! Values are weighed first and divided by the sum of weights at the end, so that a sum of very large ones, beyond the greatest
//! float divided by the number of keys, may overflow where the function as it was gives a finite mean. Weights that are less than
//! the least normal number beside the greatest one are zero.

mod many;
mod masks;
mod parts;
mod seen;
mod single;
mod task;
mod transpose;

use tilewright_ir::tir::{CmpOp, Expr, StmtKind};
use tilewright_tir_passes::analyzer_of;

use crate::facts::exprs::compare;
use crate::facts::fault::Fault;
use crate::facts::loops::only_if;
use crate::families::attention::Attention;
use crate::plan::Plan;
use crate::plan::cpu::attention::AttentionPlan;
use crate::primitive::call::{Call, Outcome, Primitive};
use task::Maker;

pub(crate) const FLASH_ATTENTION: Primitive = Primitive {
    name: "FlashAttention",
    method: "flash_attention",
    doc: "Computes an attention by blocks of keys, with an online softmax.",
    params: AttentionPlan::PARAMS,
    plan: Some(AttentionPlan::DEF),
    gives_list: false,
    run,
};

/// The sizes of tiles and blocks.
#[derive(Clone, Copy, Debug)]
struct Tiling {
    lanes: i64,
    vectors: i64,
    rows: i64,
    keys: i64,
    few: i64,
    /// Lanes of one query.
    parts: i64,
    /// Whether a block of keys, and of values, is copied, though its elements could be read where they are.
    copied: [bool; 2],
}

impl Tiling {
    fn of(plan: &AttentionPlan) -> Self {
        let AttentionPlan { lanes, vectors, rows, keys, few, copy_keys, copy_values } = *plan;
        Self { lanes, vectors, rows, keys, few, parts: 1, copied: [copy_keys, copy_values] }
    }

    /// Queries of a task.
    fn queries(&self) -> i64 {
        self.lanes * self.vectors / self.parts
    }

    /// The same with another number of vectors, and about as many registers in a tile.
    fn of_vectors(self, vectors: i64) -> Self {
        let most = (self.rows * self.vectors / vectors.max(1)).clamp(1, self.keys);
        let rows = (1..=most).rev().find(|rows| self.keys % rows == 0).unwrap_or(1);
        Self { vectors, rows, ..self }
    }

    /// One vector, of which each query has several lanes.
    fn of_parts(self, parts: i64) -> Self {
        Self { parts, ..self.of_vectors(1) }
    }
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let tiling = Tiling::of(&AttentionPlan::of_call(call)?);
    call.with_root_body(&site, || {
        let attention = Attention::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
        let maker = Maker { a: &attention, tiling, known: analyzer_of(call.function), name };
        let queries = &attention.query.extent;
        let is_few = compare(CmpOp::Le, queries, &Expr::int(tiling.few, queries.dtype))?;
        let body = match maker.known.simplify(&is_few).as_int() {
            Some(0) => maker.many()?,
            Some(_) => maker.single()?,
            None => StmtKind::If { condition: is_few, then: maker.single()?, otherwise: Some(maker.many()?) }.into(),
        };
        let keys = &attention.key.extent;
        let some = match attention.of_nothing {
            true => Expr::bool(true),
            false => maker.known.simplify(&compare(CmpOp::Gt, keys, &Expr::int(0, keys.dtype))?),
        };
        Ok(only_if(some, body))
    })
}

/// The value in the place of -inf, against which distances are taken: that of scores that are all the lowest is then zero.
fn reference(best: &Expr) -> Result<Expr, Fault> {
    let lowest = Expr::float(f64::NEG_INFINITY, best.dtype);
    let is_lowest = compare(CmpOp::Eq, best, &lowest)?;
    crate::facts::exprs::typed(Expr::select(&is_lowest, &Expr::float(0.0, best.dtype), best))
}
