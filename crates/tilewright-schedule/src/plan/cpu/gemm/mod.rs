//! The plan of the blocked GEMM: register tile (MR x NR), blocks of M, N and K, and how both operands reach the tile.

pub(crate) mod block_scaled;
pub(crate) mod choose;
pub(crate) mod extents;
pub(crate) mod k_block;
pub(crate) mod packed_codes;
pub(crate) mod register_tile;
mod task_blocks;

use tilewright_macros::{Choice, Plan};

use crate::fault::Fault;
use crate::units::ceil_div;

/// How operand A, which depends on M, reaches the register tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Choice)]
pub(crate) enum PackA {
    /// Read where it lies.
    #[choice = "none"]
    InPlace,
    /// Packed by each task, neighbours along K adjacent.
    #[choice = "row_major"]
    RowMajor,
    /// Packed by each task, neighbours along M adjacent.
    #[choice = "column_major"]
    ColumnMajor,
    /// Packed by each task, for a matrix unit: 16 rows of 64 bytes are contiguous.
    #[choice = "tiles"]
    Tiles,
}

/// How operand B, which depends on N, reaches the register tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Choice)]
pub(crate) enum PackB {
    /// Read where it lies.
    #[choice = "none"]
    InPlace,
    /// Packed by each task, panel by panel.
    #[choice = "task"]
    PerTask,
    /// Packed into panels before the GEMM runs; a constant B once, at compile time.
    #[choice = "ahead"]
    Ahead,
}

/// Where operands whose elements are narrower than the accumulators are converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Choice)]
pub(crate) enum Conversion {
    /// In the register tile, after each load.
    #[choice = "in_tile"]
    InTile,
    /// In each packed panel of B, once per task.
    #[choice = "in_panel"]
    InPanel,
    /// Nowhere: dot-product instructions (AVX512-BF16, AVX512-VNNI) sum groups of neighbours along K.
    #[choice = "dot_product"]
    DotProduct,
    /// Nowhere: dot-product instructions sum the integers of each group of K that has scales of its own.
    #[choice = "block_scaled"]
    BlockScaled,
    /// In the panels of each task, whose elements are computed from words that neighbours along K share.
    #[choice = "of_codes"]
    OfCodes,
}

/// Register tiles along M from which on a panel of narrow elements is widened once per task: a copy costs as much as
/// widening the panel twice.
const MIN_TILES_TO_WIDEN: i64 = 3;

/// Sizes and choices of a blocked GEMM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
#[plan(check = GemmPlan::check)]
pub(crate) struct GemmPlan {
    /// Rows (M) of a register tile, at most.
    #[plan(range = 1..=64, alias = "rows")]
    pub(crate) mr: i64,
    /// Vectors along N of a register tile.
    #[plan(range = 1..=64, alias = "vectors")]
    pub(crate) nr_vectors: i64,
    /// Lanes of a vector.
    #[plan(range = 1..=64)]
    pub(crate) lanes: i64,
    /// K of a block: elements along K that a tile sums before it goes on.
    #[plan(range = 1..=65536, alias = "depth")]
    pub(crate) kc: i64,
    /// Rows (M) of a task.
    #[plan(range = 1..=65536, alias = "row_block")]
    pub(crate) mc: i64,
    /// Columns (N) of a task, a multiple of the panel.
    #[plan(range = 1..=65536, alias = "column_block")]
    pub(crate) nc: i64,
    /// How A reaches the register tile.
    #[plan(default = PackA::RowMajor, alias = "pack_rows")]
    pub(crate) pack_a: PackA,
    /// How B reaches the register tile.
    #[plan(default = PackB::Ahead, alias = "pack_columns")]
    pub(crate) pack_b: PackB,
    /// Where narrow operands are converted.
    #[plan(default = Conversion::InTile, alias = "narrow")]
    pub(crate) conversion: Conversion,
    /// Whether a matrix unit (AMX) multiplies groups of neighbours along K, in tiles of 16 x 16.
    #[plan(default = false)]
    pub(crate) matrix_tiles: bool,
    /// Whether the loop over K blocks is outside of the one over tasks, so that the A block of one K block stays in
    /// cache.
    #[plan(default = false, alias = "outer_steps")]
    pub(crate) k_outermost: bool,
    /// Whether a packed B that one register tile reads once is prefetched to L1 rather than to L2.
    #[plan(default = false, alias = "ask_near")]
    pub(crate) prefetch_b_to_l1: bool,
    /// Bytes from what is read of such a B to what is prefetched.
    #[plan(range = 64..=1_048_576, default = 32_768)]
    pub(crate) prefetch_b_bytes: i64,
}

impl GemmPlan {
    /// Columns (N) of a register tile, which are those of a packed panel of B: NR.
    pub(crate) fn panel(&self) -> i64 {
        self.nr_vectors * self.lanes
    }

    /// Whether a panel is read by enough register tiles that it pays to widen it once.
    pub(crate) fn widening_pays(&self) -> bool {
        self.pack_b != PackB::InPlace && ceil_div(self.mc, self.mr) >= MIN_TILES_TO_WIDEN
    }

    fn check(&self) -> Result<(), Fault> {
        let (nc, panel) = (self.nc, self.panel());
        if nc % panel == 0 {
            return Ok(());
        }
        Err(Fault::of_call(format!("`nc` must be a multiple of the panel of {panel}, found {nc}")))
    }
}
