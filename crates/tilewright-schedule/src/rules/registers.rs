//! The register tile of a product: of all numbers of rows and vectors the one whose tiles waste least.
//!
//! All sums of a tile, a row of vectors of the columns and one factor of the rows fit into the registers of the target. What is
//! wasted are places behind the last column, registers, and cycles that wait for columns to come from a cache.

use tilewright_target::{NEAR_BYTES, Target};

use super::depths::STEP;
use super::tasks::{UNKNOWN, loads_cost, tile_cost};
use super::tiling::{FEW_ROWS, Sizes};
use crate::facts::size::{LINE, ceil_div};
use crate::families::contraction::Contraction;

/// Cycles until a vector of 512 bits has come from the second-level cache, and that part of a tile's own cycles which it may take
/// without being waited for.
const FROM_CACHE: f64 = 2.3;
const COVERED: f64 = 0.8;
/// Cycles until a vector of 512 bits of a run that is read once has come from the second-level cache, and until a sum is there
/// that the next one waits for.
const NEXT_OF_RUN: f64 = 1.5;
const SUM: f64 = 4.0;
/// What a tile of rows costs that lie at uneven distances, each of which needs a register for its place.
const DIVIDES: f64 = 1.06;
/// What tiles cost that are few and not all of one size.
const UNEVEN: f64 = 1.02;
const FEW_TILES: i64 = 3;
/// What a vector costs that is narrower than a register, to that part of what a whole one costs.
const NARROW: f64 = 1.03;
/// Bytes of columns that no cache near by holds.
pub(super) const FAR: i64 = NEAR_BYTES.cast_signed();
/// Bytes of rows' copies that stay in the second-level cache while the columns go by.
pub(super) const NEAR_ROWS: i64 = FAR / 2;
/// Sums of a register tile with a part of a line of rows: fewer would wait for each other longer than finding rows takes.
const LEAST_PART: i64 = 12;

/// The sizes of a register tile.
#[derive(Clone, Copy)]
pub(super) struct RegisterTile {
    pub(super) rows: i64,
    pub(super) vectors: i64,
    pub(super) lanes: i64,
}

impl RegisterTile {
    /// Columns of the tile.
    pub(super) fn panel(&self) -> i64 {
        self.vectors * self.lanes
    }
}

/// The lanes of vectors that a product may be computed in, the most first: fewer than a register has where that costs no time
/// and the columns are not copied once and for all.
pub(super) fn lane_counts(target: &Target, bits: u32, widest_only: bool) -> Vec<i64> {
    let of = |width: u32| i64::from((width / bits.max(1)).clamp(1, 64));
    let (wide, narrow) = (of(target.vector_bits), of(target.full_rate_bits()));
    if widest_only || narrow == wide { vec![wide] } else { vec![wide, narrow] }
}

/// What register tiles are chosen by.
pub(super) struct Registers {
    count: i64,
    /// The lanes of a vector, the most first.
    lane_counts: Vec<i64>,
    /// Vectors of 512 bits whose products with a number the processor adds up in a cycle.
    rate: f64,
    /// Lanes of such vectors.
    full: f64,
    /// Bytes of the first-level cache.
    l1: i64,
    /// Rows that lie at even distances, where not all do: tiles have even parts of so many.
    line: Option<i64>,
}

impl Registers {
    /// Copies of lines beside a tile have constants, which are so deep in loops that LLVM would rather keep sums in memory.
    pub(super) fn of(target: &Target, c: &Contraction, lane_counts: Vec<i64>, line: Option<i64>) -> Self {
        let all = i64::from(target.limits.vector_registers);
        Self {
            count: if c.needs_im2col() { all - all / 16 } else { all },
            lane_counts,
            rate: f64::from(target.full_rate_bits()) / 256.0,
            full: 512.0 / f64::from(c.out.dtype.bits.max(1)),
            l1: l1(target),
            line,
        }
    }

    fn widest(&self) -> i64 {
        self.lane_counts.first().copied().unwrap_or(1)
    }

    /// Of all register tiles the one that wastes least.
    pub(super) fn tile(&self, sizes: &Sizes) -> RegisterTile {
        let most_vectors = |lanes: i64| sizes.columns.map_or(8, |columns| ceil_div(columns, lanes).clamp(1, 8));
        let of_lanes =
            |&lanes: &i64| (1..=most_vectors(lanes)).map(move |vectors| self.most_rows(sizes, vectors, lanes));
        let all = self.lane_counts.iter().flat_map(of_lanes);
        let least = all.min_by(|a, b| self.cost(sizes, a).total_cmp(&self.cost(sizes, b)));
        least.unwrap_or(RegisterTile { rows: 1, vectors: 1, lanes: self.widest() })
    }

    /// The tile with so many vectors that fills the registers, with rows that make even parts of all of them.
    fn most_rows(&self, sizes: &Sizes, vectors: i64, lanes: i64) -> RegisterTile {
        let most = ((self.count - 1 - vectors) / vectors).max(1);
        let part = self.line.map(|line| even_part(line, most));
        let rows = match sizes.rows {
            _ if let Some(part) = part.filter(|part| part * vectors >= LEAST_PART) => part,
            Some(all) if all > 0 => ceil_div(all, ceil_div(all, most)),
            // With a power of two the last rows need fewer sorts of tiles.
            _ => 1 << most.ilog2(),
        };
        RegisterTile { rows, vectors, lanes }
    }

    /// What a sum costs, to what it would cost in tiles that waste nothing.
    fn cost(&self, sizes: &Sizes, tile: &RegisterTile) -> f64 {
        let &RegisterTile { rows, vectors, lanes } = tile;
        let panel = tile.panel();
        let waste = match sizes.columns {
            Some(n) => (ceil_div(n, panel) * panel).max(1) as f64 / n.max(1) as f64,
            // Of the last panel half is empty.
            None => 1.0 + panel as f64 / 2.0 / UNKNOWN as f64,
        };
        let more_instructions = if lanes < self.widest() { NARROW } else { 1.0 };
        let divides = match self.line {
            Some(line) if line % rows != 0 => DIVIDES,
            _ => 1.0,
        };
        let uneven = match sizes.rows.map(|all| (all, ceil_div(all, rows))) {
            Some((all, tiles)) if (2..=FEW_TILES).contains(&tiles) && all % tiles != 0 => UNEVEN,
            _ => 1.0,
        };
        let near = sizes.bytes_of_columns().is_some_and(|bytes| bytes <= FAR);
        let all = sizes.rows.is_some_and(|all| (1..=rows).contains(&all));
        let sums = match all && near {
            true => self.cost_of_run(tile),
            false => self.cost_of_panel(sizes, tile),
        };
        waste * more_instructions * divides * uneven * sums / (rows * vectors) as f64
    }

    /// Cycles of a tile at a place of the depth, in which a vector's products take one, where other tiles read the panel again:
    /// it is near where the first-level cache holds it.
    fn cost_of_panel(&self, sizes: &Sizes, tile: &RegisterTile) -> f64 {
        // What a row of the panel takes to come from the cache, to what its products take.
        let coming = FROM_CACHE * self.rate / tile.rows as f64;
        let is_near = tile.panel() * sizes.bytes * sizes.depth.unwrap_or(STEP).min(STEP) <= self.l1;
        let waiting = if is_near { 1.0 } else { 1.0 + (coming - COVERED).max(0.0) };
        waiting * tile_cost(tile.rows, tile.vectors)
    }

    /// The same, where the tile has all rows, so that each panel is read once, from the second-level cache. Of tiles that only
    /// wait for that the narrowest is taken: more panels can be shared.
    fn cost_of_run(&self, &RegisterTile { rows, vectors, lanes }: &RegisterTile) -> f64 {
        // Of vectors as wide as registers no processor begins more than two in a cycle, and of narrower ones neither.
        let wide = lanes as f64 / self.full;
        let begun = (self.rate / wide).min(2.0);
        let computed = (rows * vectors) as f64 + loads_cost(rows, vectors);
        computed.max(begun * SUM).max(begun * wide * NEXT_OF_RUN * vectors as f64)
    }

    /// A tile with all rows, where columns come from memory: they are read once, as one run of memory, and not again from a
    /// cache for each further tile.
    pub(super) fn tall_tile(&self, sizes: &Sizes) -> Option<RegisterTile> {
        let (rows, depth) = (sizes.rows?, sizes.depth?);
        let vectors = (self.count - 1) / (rows + 1);
        let far = sizes.bytes_of_columns()? > FAR;
        let row = ceil_div(rows.saturating_mul(sizes.bytes), LINE).saturating_mul(LINE);
        let near_rows = row.saturating_mul(depth) <= NEAR_ROWS;
        let lanes = self.lane_counts.first().copied()?;
        (far && near_rows && rows > FEW_ROWS && vectors > 1).then_some(RegisterTile { rows, vectors, lanes })
    }
}

/// Bytes of the first-level cache.
pub(super) fn l1(target: &Target) -> i64 {
    i64::try_from(target.limits.l1_bytes).unwrap_or(0)
}

/// The longest part of a line, no longer than that, of which it has a whole number.
pub(super) fn even_part(line: i64, most: i64) -> i64 {
    (1..=most).rev().find(|part| line % part == 0).unwrap_or(1)
}
