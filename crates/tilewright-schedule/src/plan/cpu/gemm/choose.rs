//! The plan of a GEMM for a machine.
//!
//! One thing is chosen after the other, each by what was chosen before it: the register tile (`register_tile`), whether
//! A is packed, KC (`k_block`), whether B is packed, MC and NC (`task_blocks`), and whether tasks widen panels.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{Expr, ExprKind, Var};
use tilewright_target::Target;

use super::extents::{Extents, K_BLOCK};
use super::k_block::{self, MAX_K_BLOCK, MAX_M_UNPACKED, MAX_WHOLE_K, MIN_K_BLOCK, MIN_M_TO_PACK_B, even_blocks};
use super::register_tile::{
    MAX_M_IN_PLACE, RegisterTile, Registers, core_cache, l1_bytes, lane_counts, packed_a_bytes,
};
use super::task_blocks::{Blocks, Traffic};
use super::{Conversion, GemmPlan, PackA, PackB};
use crate::analysis::axes::Axis;
use crate::analysis::stride::byte_stride;
use crate::build::exprs::mentions;
use crate::families::contraction::dot_groups::Grouping;
use crate::families::contraction::{Contraction, is_dense};
use crate::plan::cpu::set_conflicts::max_set_conflicts;
use crate::plan::{Cost, Declined};
use crate::units::{ceil_div, signed};

/// Rows of A in place that may share a set of L1, at most: its ways but one, which is for B. L1 has at least eight
/// ways.
const MAX_SET_CONFLICTS: i64 = 7;
/// KC where one register tile reads B in place from DRAM: so few that the hardware prefetcher follows each row of B as
/// a stream of its own.
const STREAMED_KC: i64 = 8;
/// Panels of a task that are so few that reading all of A again from memory for each task takes longer than the partial
/// sums of a K block.
const FEW_PANELS: i64 = 2;
/// The register tile of a matrix unit: two tiles of 16 rows times two of 16 columns.
const MATRIX_TILE: RegisterTile = RegisterTile { mr: 32, nr_vectors: 2, lanes: 16 };
/// Groups along K that one instruction of a matrix unit sums.
const MATRIX_DEPTH: i64 = 16;
/// Groups of a K block of a matrix unit: so many of 32 columns take 16 KB of L1, and tiles of A that stream past them
/// find room (measured: of 256 to 3072 elements of bfloat16 the least time for M, N and K from 128 to 4096).
const MATRIX_K_BLOCK: i64 = 128;
/// M from which on a matrix unit is used.
const MIN_MATRIX_M: i64 = 16;
/// MR up to which a register tile multiplies a line of B faster than memory gives the next one.
const MAX_MR_WAITING: i64 = 4;

/// A contraction whose register tile is chosen.
struct Tiled<'a> {
    c: &'a Contraction,
    target: &'a Target,
    /// Whether B is constant.
    constant: bool,
    e: Extents,
    grouping: Option<Grouping>,
    tile: RegisterTile,
    /// Whether the tile has all of M because B comes from DRAM.
    is_tall: bool,
    /// Pixels of a line, where tiles are parts of lines that are read in place.
    line: Option<i64>,
    /// Whether L1 holds the rows of A of a tile where they lie.
    a_stays: bool,
    /// Whether few register tiles wait for a constant B to come from DRAM.
    b_waits: bool,
    /// Whether a matrix unit multiplies groups.
    matrix_tiles: bool,
}

/// The plan of a GEMM of so many matrices, whose B may be constant, and what it costs.
///
/// # Errors
///
/// A sum is no part of a tile: there is one result, or one row whose columns are apart in memory.
pub(crate) fn choose(
    c: &Contraction,
    batch: Option<i64>,
    constant: bool,
    target: &Target,
) -> Result<(GemmPlan, Cost), Declined> {
    let p = Tiled::of(c, Extents::of(c, batch, target), constant, target)?;
    let kc = p.kc_of_a();
    let in_place = p.kc_in_place(kc);
    let pack_b = p.pack_b(in_place.is_some());
    let b_streams = p.is_streamed(pack_b);
    let pack_a = p.pack_a();
    let RegisterTile { mr, nr_vectors, lanes } = p.tile;
    let prefetch_b_to_l1 = p.waits_for_b(pack_b) && target.reads_once_into_first_level();
    let prefetch = target.prefetch;
    let mut plan = GemmPlan {
        mr,
        nr_vectors,
        lanes,
        kc: p.kc(in_place.unwrap_or(kc), pack_a, b_streams),
        mc: 0,
        nc: 0,
        pack_a,
        pack_b,
        conversion: if p.grouping.is_some() { Conversion::DotProduct } else { Conversion::InTile },
        matrix_tiles: p.matrix_tiles,
        k_outermost: false,
        prefetch_b_to_l1,
        prefetch_b_bytes: signed(if prefetch_b_to_l1 { prefetch.panel_l1_bytes } else { prefetch.panel_bytes }),
    };
    let blocks = Blocks { machine: target, e: &p.e, traffic: Traffic { b_streams, b_waits: p.b_waits } };
    let cost = blocks.choose(&mut plan);
    if p.grouping.is_none() && c.b_is_narrow() && plan.widening_pays() {
        plan.conversion = Conversion::InPanel;
        if !c.needs_im2col() {
            plan.kc = k_block::of_widened_panels(&plan, &p.e, target);
        }
    }
    plan.k_outermost = p.shares_a(&plan);
    Ok((plan, cost))
}

impl<'a> Tiled<'a> {
    fn of(c: &'a Contraction, e: Extents, constant: bool, target: &'a Target) -> Result<Self, Declined> {
        if e.m == Some(1) && e.n == Some(1) {
            return Err(Declined::because("each sum is a result of its own: there is no tile of them"));
        }
        if e.m == Some(1) && !constant && (c.needs_im2col() || !b_runs_along_n(c)) {
            return Err(Declined::because("there is one row, and its columns are not neighbours in memory"));
        }
        // One row of bfloat16 is read from memory no faster in pairs; float32 sums of it are exact for denormal
        // numbers, too.
        let pays = |grouping: &Grouping| *grouping != Grouping::Bfloat16 || e.m != Some(1);
        let grouping = Grouping::of(c).filter(pays);
        let matrix_tiles = grouping.is_some_and(|grouping| has_matrix_tiles(grouping, &e, target)) && !c.needs_im2col();
        let grouping = grouping.filter(|grouping| matrix_tiles || is_dot_product_fast(*grouping, target));
        let lanes = lane_counts(target, u32::from(c.out.dtype.bits), grouping.is_some() || constant);
        let line = line_of_a(c, target);
        let registers = Registers::of(target, c, lanes, line);
        let may_be_tall = constant && grouping.is_none() && !c.needs_im2col();
        let tall = if may_be_tall { registers.tall_tile(&e) } else { None };
        let tile = match matrix_tiles {
            true => MATRIX_TILE,
            false => tall.unwrap_or_else(|| registers.tile(&e)),
        };
        let few = e.m_at_most(MAX_M_UNPACKED) && !e.m_at_most(tile.mr);
        let b_waits = constant && grouping.is_none() && few && e.b_size() > Some(core_cache(target));
        // M that is small, or planned for as such, has many tasks, each of which would pack what others pack as well.
        let most = if b_waits || e.m.is_none() { max_conflicts_in_l1(target) } else { MAX_SET_CONFLICTS };
        let a_stays = grouping.is_none() && a_stays(c, tile.mr, most, target);
        Ok(Self {
            c,
            target,
            constant,
            e,
            grouping,
            tile,
            is_tall: tall.is_some(),
            line,
            a_stays,
            b_waits,
            matrix_tiles,
        })
    }

    /// Whether one register tile has all of M.
    fn is_single_tile(&self) -> bool {
        self.e.m_at_most(self.tile.mr)
    }

    /// Whether B is read once, by a tile that waits for it to come from memory.
    fn waits_for_b(&self, pack_b: PackB) -> bool {
        pack_b == PackB::Ahead && self.is_single_tile() && self.tile.mr <= MAX_MR_WAITING
    }

    /// All of K, or what is planned for in its stead.
    fn all_of_k(&self) -> i64 {
        self.e.k.unwrap_or(K_BLOCK).max(1)
    }

    fn pack_a(&self) -> PackA {
        let along_k = || runs_along(&self.c.a, self.c.k.axes.last().map(|axis| &axis.var));
        if self.matrix_tiles {
            PackA::Tiles
        } else if self.grouping.is_some() {
            PackA::RowMajor
        } else if self.e.m_at_most(MAX_M_IN_PLACE) || self.a_stays {
            PackA::InPlace
        } else if !self.is_tall && along_k() {
            PackA::RowMajor
        } else {
            PackA::ColumnMajor
        }
    }

    /// KC as far as A decides.
    fn kc_of_a(&self) -> i64 {
        let all = self.all_of_k();
        let unpacked = self.a_stays || self.is_tall || self.e.m_at_most(MAX_M_IN_PLACE);
        if self.b_waits {
            return even_blocks(all, self.tile.lanes, MIN_K_BLOCK);
        }
        match unpacked && (self.is_single_tile() || all <= MAX_WHOLE_K) {
            true => all.min(MAX_K_BLOCK),
            false => even_blocks(all, self.tile.lanes, K_BLOCK),
        }
    }

    /// KC where B is read in place; `None` where it is packed.
    fn kc_in_place(&self, kc: i64) -> Option<i64> {
        let c = self.c;
        let few_tiles = !c.b_is_narrow() || self.e.m_at_most(2 * self.tile.mr);
        if !b_runs_along_n(c) || c.needs_im2col() || self.grouping.is_some() || !few_tiles {
            return None;
        }
        match self.is_single_tile() {
            true => Some(kc),
            false => k_block::in_place(c, &self.e, kc, &self.tile, self.target),
        }
    }

    fn pack_b(&self, in_place: bool) -> PackB {
        // Packing all of B pays where several M blocks use it.
        let is_shared = match self.c.needs_im2col() {
            true => {
                let most = signed(self.target.plan.shared_pack_elements);
                self.e.b_elements().is_some_and(|count| count <= most)
            }
            false => self.e.m > Some(MIN_M_TO_PACK_B),
        };
        if self.constant {
            PackB::Ahead
        } else if in_place {
            PackB::InPlace
        } else if self.e.batch == Some(1) && self.e.m.is_some() && is_shared {
            PackB::Ahead
        } else {
            PackB::PerTask
        }
    }

    /// Whether one register tile reads B in place from DRAM, in several panels for each step of K.
    fn is_streamed(&self, pack_b: PackB) -> bool {
        let several = !self.e.n_at_most(self.tile.panel());
        let in_place = self.is_single_tile() && pack_b == PackB::InPlace;
        several && in_place && self.e.b_size() > Some(core_cache(self.target))
    }

    /// Whether tasks have few columns each and all of A, which would come from memory again for each task if it did all
    /// K blocks.
    fn shares_a(&self, plan: &GemmPlan) -> bool {
        let (Some(m), Some(k)) = (self.e.m, self.e.k) else { return false };
        let is_large = m.saturating_mul(k).saturating_mul(self.e.b_bytes) > packed_a_bytes(self.target);
        let packs = plan.pack_a != PackA::InPlace || plan.pack_b == PackB::PerTask;
        let packs = packs || plan.conversion == Conversion::InPanel;
        let few = m <= plan.mc && plan.nc <= FEW_PANELS * plan.panel() && self.e.batch == Some(1);
        is_large && few && k > plan.kc && !packs && !self.is_single_tile() && !self.c.needs_im2col()
    }

    /// KC, where `kc` suits A and B.
    fn kc(&self, kc: i64, pack_a: PackA, b_streams: bool) -> i64 {
        if self.c.needs_im2col() || (self.line.is_some() && pack_a == PackA::InPlace) {
            self.kc_of_windows(kc)
        } else if b_streams {
            kc.min(STREAMED_KC)
        } else if let Some(group) = self.grouping.map(Grouping::size) {
            if self.matrix_tiles {
                let (depth, all) = (MATRIX_DEPTH * group, self.all_of_k());
                return ceil_div(ceil_div(all, ceil_div(all, MATRIX_K_BLOCK * group)), depth) * depth;
            }
            // A group takes the space of one float32.
            let grouped = || even_blocks(self.all_of_k(), self.tile.lanes, group * K_BLOCK);
            let kc = if self.is_single_tile() { kc } else { grouped() };
            ceil_div(kc, group) * group
        } else {
            kc
        }
    }
}

impl Tiled<'_> {
    /// KC of whole windows; of whole groups at least.
    fn kc_of_windows(&self, kc: i64) -> i64 {
        let Some(group) = self.grouping.map(Grouping::size) else { return k_block::of_whole_windows(kc, self.c) };
        let (all, about) = (self.all_of_k(), group * K_BLOCK);
        let of_windows = k_block::of_whole_windows(about, self.c);
        if of_windows % group == 0 {
            of_windows
        } else if all <= about + about / 3 {
            ceil_div(all, group) * group
        } else {
            about
        }
    }
}

fn b_runs_along_n(c: &Contraction) -> bool {
    runs_along(&c.b, c.n.axes.last().map(|axis| &axis.var))
}

/// Rows of A that may share a set of the target's L1: its ways but one.
fn max_conflicts_in_l1(target: &Target) -> i64 {
    (l1_bytes(target) / signed(target.plan.l1_set_stride_bytes).max(1) - 1).max(MAX_SET_CONFLICTS)
}

/// Whether the rows of A of a register tile are runs of memory, or pixels of a line, that L1 holds together, where so
/// many may share one of its sets. Dilated windows leave out pixels between theirs, which other windows use.
fn a_stays(c: &Contraction, mr: i64, max_conflicts: i64, target: &Target) -> bool {
    let along = |axis: Option<&Axis>| byte_stride(&c.a, axis.map(|axis| &axis.var));
    let last = |axes: &[Axis]| axes.iter().rfind(|axis| axis.extent.as_int() != Some(1)).cloned();
    let (row, inner) = (last(&c.m.axes), last(&c.k.axes));
    let element = i64::from(c.a.dtype.bits / 8);
    let are_pixels = || along(row.as_ref()) == Some(element) && line(c).is_some();
    let runs = inner.is_none() || along(inner.as_ref()) == Some(element) || are_pixels();
    let set_stride = signed(target.plan.l1_set_stride_bytes);
    runs && along(row.as_ref()).is_some_and(|stride| max_set_conflicts(stride, mr, set_stride) <= max_conflicts)
}

/// M along the last of its axes, where it is the pixels of a padded image, and B has an element in memory for each of
/// them: parts of such a line are read in place, without a division for each pixel.
fn line_of_a(c: &Contraction, target: &Target) -> Option<i64> {
    line(c).filter(|_| !c.needs_im2col() && a_stays(c, 1, MAX_SET_CONFLICTS, target))
}

/// M along the last of its axes, where the next one of the axis around it does not follow in memory.
fn line(c: &Contraction) -> Option<i64> {
    let long: Vec<&Axis> = c.m.axes.iter().filter(|axis| axis.extent.as_int() != Some(1)).collect();
    let [.., outer, inner] = long.as_slice() else { return None };
    let apart = !is_dense(&c.a, outer, inner);
    apart.then(|| inner.extent.as_int()).flatten().filter(|&line| line > 0)
}

/// Whether neighbours along the axis are neighbours in memory.
fn runs_along(operand: &Expr, axis: Option<&Var>) -> bool {
    let Some(axis) = axis.map(std::slice::from_ref) else { return false };
    let known = Analyzer::new();
    let is_apart = |index: &Expr| known.linear_in(index, axis).is_some_and(|linear| linear.coefficients != [1]);
    let mut along = false;
    walk(operand, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            let last = indices.iter().rev().find(|index| index.as_int().is_none());
            along |= last.is_some_and(|index| mentions(index, axis) && !is_apart(index));
        }
    });
    along
}

/// Whether a processor has a matrix unit for a group, K is whole tiles of it, and there are rows enough for one.
fn has_matrix_tiles(grouping: Grouping, e: &Extents, target: &Target) -> bool {
    let (unit, edges) = match grouping {
        Grouping::Bfloat16 => ("amx-bf16", "avx512bf16"),
        Grouping::Bytes { .. } => ("amx-int8", "avx512vnni"),
    };
    let whole = e.k.is_some_and(|k| k > 0 && k % (MATRIX_DEPTH * grouping.size()) == 0);
    target.has_unit(unit) && target.has(edges) && whole && e.m.is_none_or(|m| m >= MIN_MATRIX_M)
}

/// Whether a processor has the dot-product instruction of a group, and does more with it than with fused multiply-adds.
fn is_dot_product_fast(grouping: Grouping, target: &Target) -> bool {
    match grouping {
        Grouping::Bfloat16 => target.has_fast_bf16_dots(),
        Grouping::Bytes { .. } => multiplies_bytes(target),
    }
}

/// Whether a processor has dot products of bytes, which are faster than multiply-adds of float32.
pub(crate) fn multiplies_bytes(target: &Target) -> bool {
    target.has("avx512vnni")
}
