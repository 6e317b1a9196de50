//! The register tile of a GEMM: of all MR x NR that fit into the vector registers the one whose tiles waste least.
//!
//! The accumulators of a tile, a row of vectors of B and one broadcast element of A are in registers together. Waste
//! are the lanes after the last column, registers without an accumulator, and cycles that wait for B to come from a
//! cache.

use tilewright_target::{Machine, Target};

use super::extents::{Extents, K_BLOCK, PLANNED_EXTENT};
use crate::families::contraction::Contraction;
use crate::units::{LINE, ceil_div, signed};

/// M up to which A is read in place, however far apart its rows are: so few do not conflict in the cache.
pub(crate) const MAX_M_IN_PLACE: i64 = 4;
/// Vectors along N of a register tile, at most.
pub(crate) const MAX_NR_VECTORS: i64 = 8;
/// Cost ratio of tiles of pixels at uneven distances, each of which needs a register for its address.
const UNEVEN_ADDRESSES: f64 = 1.06;
/// Cost ratio of few tiles that are not all of one size.
const UNEVEN_TILES: f64 = 1.02;
const FEW_TILES: i64 = 3;
/// Accumulators of a tile with a part of a line of pixels: fewer would wait for each other longer than finding pixels
/// takes.
const MIN_LINE_ACCUMULATORS: i64 = 12;

/// The sizes of a register tile.
#[derive(Clone, Copy)]
pub(crate) struct RegisterTile {
    pub(crate) mr: i64,
    pub(crate) nr_vectors: i64,
    pub(crate) lanes: i64,
}

impl RegisterTile {
    /// NR, columns of the tile.
    pub(crate) fn panel(&self) -> i64 {
        self.nr_vectors * self.lanes
    }
}

/// The lanes of vectors that a GEMM may be computed in, the most first: fewer than a register has where that costs no
/// time and B is not packed once and for all.
pub(crate) fn lane_counts(machine: &Machine, bits: u32, widest_only: bool) -> Vec<i64> {
    let of = |width: u32| i64::from((width / bits.max(1)).clamp(1, 64));
    let (wide, narrow) = (of(machine.vector_bits), of(machine.full_rate_bits()));
    if widest_only || narrow == wide { vec![wide] } else { vec![wide, narrow] }
}

/// What register tiles are chosen by.
pub(crate) struct Registers<'a> {
    machine: &'a Machine,
    /// Vector registers of a tile.
    count: i64,
    /// The lanes of a vector, the most first.
    lane_counts: Vec<i64>,
    /// Vectors of 512 bits whose multiply-adds begin in a cycle.
    fma_rate: f64,
    /// Lanes of such vectors.
    full_lanes: f64,
    /// Pixels of a line, where not all pixels lie at even distances: tiles have even parts of a line.
    line: Option<i64>,
}

impl<'a> Registers<'a> {
    /// An im2col operand that is packed next to a tile needs constants, which are so deep in loops that LLVM would
    /// rather spill accumulators: some registers are left to them.
    pub(crate) fn of(target: &'a Target, c: &Contraction, lane_counts: Vec<i64>, line: Option<i64>) -> Self {
        let all = i64::from(target.limits.vector_registers);
        Self {
            machine: target,
            count: if c.needs_im2col() { all - all / 16 } else { all },
            lane_counts,
            fma_rate: f64::from(target.full_rate_bits()) / 256.0,
            full_lanes: 512.0 / f64::from(c.out.dtype.bits.max(1)),
            line,
        }
    }

    fn widest(&self) -> i64 {
        self.lane_counts.first().copied().unwrap_or(1)
    }

    /// Of all register tiles the one that wastes least.
    pub(crate) fn tile(&self, e: &Extents) -> RegisterTile {
        let most = |lanes: i64| e.n.map_or(MAX_NR_VECTORS, |n| ceil_div(n, lanes).clamp(1, MAX_NR_VECTORS));
        let of_lanes = |&lanes: &i64| (1..=most(lanes)).map(move |vectors| self.tallest(e, vectors, lanes));
        let all = self.lane_counts.iter().flat_map(of_lanes);
        let least = all.min_by(|a, b| self.cost(e, a).total_cmp(&self.cost(e, b)));
        least.unwrap_or(RegisterTile { mr: 1, nr_vectors: 1, lanes: self.widest() })
    }

    /// The tile with so many vectors that fills the registers, with rows that make even parts of all of M.
    fn tallest(&self, e: &Extents, nr_vectors: i64, lanes: i64) -> RegisterTile {
        let most = ((self.count - 1 - nr_vectors) / nr_vectors).max(1);
        let part = self.line.map(|line| even_part(line, most));
        let mr = match e.m {
            _ if let Some(part) = part.filter(|part| part * nr_vectors >= MIN_LINE_ACCUMULATORS) => part,
            Some(all) if all > 0 => ceil_div(all, ceil_div(all, most)),
            // With a power of two the tail along M needs fewer sizes of tiles.
            _ => 1 << most.ilog2(),
        };
        RegisterTile { mr, nr_vectors, lanes }
    }

    /// Cost of a multiply-add, relative to its cost in tiles that waste nothing.
    fn cost(&self, e: &Extents, tile: &RegisterTile) -> f64 {
        let &RegisterTile { mr, nr_vectors, lanes } = tile;
        let panel = tile.panel();
        let waste = match e.n {
            Some(n) => (ceil_div(n, panel) * panel).max(1) as f64 / n.max(1) as f64,
            // Of the last panel half is empty.
            None => 1.0 + panel as f64 / 2.0 / PLANNED_EXTENT as f64,
        };
        let more_instructions = if lanes < self.widest() { self.machine.plan.narrow_vector_cost } else { 1.0 };
        let addresses = match self.line {
            Some(line) if line % mr != 0 => UNEVEN_ADDRESSES,
            _ => 1.0,
        };
        let uneven = match e.m.map(|all| (all, ceil_div(all, mr))) {
            Some((all, tiles)) if (2..=FEW_TILES).contains(&tiles) && all % tiles != 0 => UNEVEN_TILES,
            _ => 1.0,
        };
        let in_cache = e.b_size().is_some_and(|bytes| bytes <= core_cache(self.machine));
        let has_all_of_m = e.m.is_some_and(|all| (1..=mr).contains(&all));
        let cycles = match has_all_of_m && in_cache {
            true => self.cycles_of_stream(tile),
            false => self.cycles_of_panel(e, tile),
        };
        waste * more_instructions * addresses * uneven * cycles / (mr * nr_vectors) as f64
    }

    /// Cycles of a tile for a step of K, in which a vector's multiply-add takes one, where other tiles read the panel
    /// again: L1 holds it, or it comes from L2.
    fn cycles_of_panel(&self, e: &Extents, tile: &RegisterTile) -> f64 {
        let plan = &self.machine.plan;
        // Cycles until a row of the panel has come from L2, relative to those of its multiply-adds.
        let load = plan.l2_load_cycles * self.fma_rate / tile.mr as f64;
        let in_l1 = tile.panel() * e.b_bytes * e.k.unwrap_or(K_BLOCK).min(K_BLOCK) <= l1_bytes(self.machine);
        let waiting = if in_l1 { 1.0 } else { 1.0 + (load - plan.hidden_load_cycles).max(0.0) };
        waiting * tile_cycles(self.machine, tile.mr, tile.nr_vectors)
    }

    /// The same, where the tile has all of M, so that each panel is read once, from L2. Of tiles that only wait for
    /// that the narrowest is taken: more panels can be shared.
    fn cycles_of_stream(&self, &RegisterTile { mr, nr_vectors, lanes }: &RegisterTile) -> f64 {
        let plan = &self.machine.plan;
        // Of vectors as wide as registers no processor begins more than two in a cycle, and of narrower ones neither.
        let wide = lanes as f64 / self.full_lanes;
        let begun = (self.fma_rate / wide).min(2.0);
        let computed = (mr * nr_vectors) as f64 + load_cycles(self.machine, mr, nr_vectors);
        computed.max(begun * plan.sum_latency_cycles).max(begun * wide * plan.l2_stream_cycles * nr_vectors as f64)
    }

    /// A tile with all of M, where B comes from DRAM: it is read once, as one stream, and not again from a cache for
    /// each further tile.
    pub(crate) fn tall_tile(&self, e: &Extents) -> Option<RegisterTile> {
        let (m, k) = (e.m?, e.k?);
        let nr_vectors = (self.count - 1) / (m + 1);
        let from_memory = e.b_size()? > core_cache(self.machine);
        let row = ceil_div(m.saturating_mul(e.b_bytes), LINE).saturating_mul(LINE);
        let packed_a_stays = row.saturating_mul(k) <= packed_a_bytes(self.machine);
        let lanes = self.lane_counts.first().copied()?;
        let fits = from_memory && packed_a_stays && m > MAX_M_IN_PLACE && nr_vectors > 1;
        fits.then_some(RegisterTile { mr: m, nr_vectors, lanes })
    }
}

/// Bytes of the first-level cache.
pub(crate) fn l1_bytes(machine: &Machine) -> i64 {
    signed(machine.limits.l1_bytes)
}

/// Bytes that the caches of a core are counted on to hold.
pub(crate) fn core_cache(machine: &Machine) -> i64 {
    signed(machine.limits.core_cache_bytes)
}

/// Bytes of packed A that stay in the caches of a core while B streams through: half of them.
pub(crate) fn packed_a_bytes(machine: &Machine) -> i64 {
    core_cache(machine) / 2
}

/// Cycles of what a register tile loads for a step of K.
pub(crate) fn load_cycles(machine: &Machine, mr: i64, nr_vectors: i64) -> f64 {
    machine.plan.tile_load_cycles * (mr + nr_vectors) as f64
}

/// Cycles of one register tile for a step of K: too few independent accumulators wait for each other.
pub(crate) fn tile_cycles(machine: &Machine, mr: i64, nr_vectors: i64) -> f64 {
    ((mr * nr_vectors) as f64).max(machine.plan.independent_sums) + load_cycles(machine, mr, nr_vectors)
}

/// The longest part of a line, no longer than that, of which it has a whole number.
pub(crate) fn even_part(line: i64, most: i64) -> i64 {
    (1..=most).rev().find(|part| line % part == 0).unwrap_or(1)
}
