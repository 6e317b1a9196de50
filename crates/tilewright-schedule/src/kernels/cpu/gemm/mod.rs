//! The blocked GEMM of a CPU: a sum of products with a register tile, whatever its operands are, and its epilogue on
//! finished tiles. Its primitive is `gemm(block, …)`, with the fields of [`GemmPlan`] as arguments.
//!
//! A block `out[f(s)] += a(s, k) * b(s, k)` is a [`Contraction`]: M are the axes of A alone, N those of B alone, the
//! batch is in both, and K is reduced. A convolution is one as well, whose N are pixels. The loops, from outside
//! inwards:
//!
//! ```text
//! for task in parallel(batch * N blocks * M blocks)
//!   for K block, by `kc`
//!     the A block is packed                                 pack_a
//!     for panel of NR = `nr_vectors * lanes` columns in the N block
//!       the panel of B is packed                            pack_b
//!       for tile of `mr` rows in the M block
//!         the micro-kernel: mr * nr_vectors accumulators of `lanes`, over the K block
//!         the tile goes to the result, or to partial sums; after the last K block the epilogue is computed on it
//! ```
//!
//! | `pack_a` | operand A is |
//! |---|---|
//! | `"none"` | read in place |
//! | `"row_major"`, `"column_major"` | packed by each task, neighbours along K or along M adjacent |
//! | `"tiles"` | packed by each task in tiles of a matrix unit |
//!
//! | `pack_b` | operand B is |
//! |---|---|
//! | `"none"` | read in place |
//! | `"task"` | packed by each task, panel by panel |
//! | `"ahead"` | packed into panels before the GEMM runs; a constant, at compile time |
//!
//! With `conversion="dot_product"` both operands are bfloat16 summed in float32, or bytes summed in int32: groups of
//! two or four neighbours along K are packed into words, which the processor multiplies and adds in one instruction
//! (AVX512-BF16, which takes denormal numbers for zero; AVX512-VNNI). Otherwise packed operands have their own element
//! type, and register tiles widen them, or with `conversion="in_panel"` each task does so once per panel.
//!
//! With `conversion="block_scaled"` both are integers with a scale for each group along K, and are read in place
//! (`block_scaled`).
//!
//! With `conversion="of_codes"` each task computes panels of B from words that neighbours along K share (`decode_b`).
//!
//! With `k_outermost` all tasks do one K block before any does the next, so that the A block, which all of them read,
//! stays in cache. Tasks then pack nothing, and the partial sums of all of them are kept.
//!
//! With `prefetch_b_to_l1` a packed B that a single tile reads is prefetched into L1, and not into L2.
//!
//! Statements that are no epilogue, because they do not read each sum once at its own axes, stay as they are after the
//! GEMM. Matrices of a batch that share B are one matrix, their batch axis folded into M
//! (`families::contraction::fold_batch` where the run alone knows how many there are). The tail along N is masked, the
//! tail along M has smaller register tiles. Tasks depend on shapes alone, and each sums in one order.
//!
//! Reading order: `cx` (what all files share), `loops`; packing: `pack`, `pack_transposed`, `im2col`, `convert_b`,
//! `decode_b`; the micro-kernel: `operands`, `register_tile`, `micro_kernel`, `k_nest`, `k_loop`, `tile_store`,
//! `dot_product`, `block_scaled`, `matrix_tiles`; `prefetch_a`, `prefetch_b`.

mod block_scaled;
mod convert_b;
mod cx;
mod decode_b;
mod dot_product;
mod im2col;
mod k_loop;
mod k_nest;
mod loops;
mod matrix_tiles;
mod micro_kernel;
mod operands;
mod pack;
mod pack_transposed;
mod prefetch_a;
mod prefetch_b;
mod register_tile;
mod tile_store;

use tilewright_ir::tir::Stmt;

use crate::analysis::stages::{own_nest, statements, touches};
use crate::build::rewrite::{path_of, with_block};
use crate::families::contraction::Contraction;
use crate::families::contraction::dot_groups::Grouping;
use crate::families::contraction::fold_batch::{self, Folded};
use crate::families::contraction::outputs::outputs_of;
use crate::fault::Fault;
use crate::plan::Plan;
use crate::plan::cpu::gemm::{Conversion, GemmPlan, PackB};
use crate::primitive::call::{Call, Outcome, Primitive, Results};
use crate::site::Site;

pub(crate) const GEMM: Primitive = Primitive {
    name: "Gemm",
    method: "gemm",
    doc: "Computes a sum of products as a blocked GEMM, each tile in registers.",
    params: GemmPlan::PARAMS,
    plan: Some(GemmPlan::DEF),
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let plan = GemmPlan::of_call(call)?;
    let scope = site.expect_scope()?;
    let contraction = Contraction::of(call.function, &site)?;
    let own = own_nest(&site)?;
    let stages = statements(&scope);
    let (outputs, has_epilogue) = outputs_of(call.function, &site, &scope, &contraction)?;
    let first_after = if has_epilogue { stages.len() } else { own + 1 };
    let cleared = contraction.cleared.as_ref().map(own_nest).transpose()?;
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let out = contraction.out.clone();
    let (contraction, grouping) = in_dot_groups(contraction, &plan, &site)?;
    let folded = match fold_batch::fold(call.function, &contraction, &outputs)? {
        Some(folded) => folded,
        None => Folded { contraction, outputs, views: Vec::new() },
    };
    let made = loops::gemm(call.function, folded, &plan, grouping, &name)?;
    let before = stages.iter().enumerate().take(own).filter(|(at, _)| Some(*at) != cleared);
    let before = before.map(|(_, site)| site.stmt.clone());
    let after = stages.iter().skip(first_after).map(|site| site.stmt.clone());
    let body = Stmt::seq(before.chain([made.body]).chain(after));
    let function = with_block(call.function, &path_of(&scope), |block| {
        block.alloc_buffers.retain(|buffer| *buffer != out || touches(&body, buffer));
        block.alloc_buffers.extend(made.temporaries);
        block.body = body;
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The contraction, of the bits of its operands where dot-product instructions take them.
fn in_dot_groups(c: Contraction, plan: &GemmPlan, site: &Site) -> Result<(Contraction, Option<Grouping>), Fault> {
    let packs_narrow = plan.pack_b != PackB::InPlace && c.b_is_narrow();
    match plan.conversion {
        Conversion::InTile | Conversion::BlockScaled => Ok((c, None)),
        Conversion::OfCodes if plan.pack_b == PackB::PerTask => Ok((c, None)),
        Conversion::OfCodes => Err(Fault::at(site, "a B that is computed of codes is packed by each task")),
        Conversion::InPanel if packs_narrow => Ok((c, None)),
        Conversion::InPanel => Err(Fault::at(site, "only a packed B with narrower elements than the sums is widened")),
        Conversion::DotProduct => {
            let grouping = Grouping::of(&c).ok_or_else(|| {
                Fault::at(site, "dot products are of bfloat16 summed in float32, or of bytes summed in int32")
            })?;
            Ok((dot_product::of_bits(c, grouping, plan)?, Some(grouping)))
        }
    }
}
