//! Groups of neighbours along K in the registers of a matrix unit (AMX): a register tile is two tiles of 16 rows times
//! two of 16 columns, whose sums stay in registers over a K block.
//!
//! B is packed as for dot-product instructions, a word for each group and column: 16 groups of 16 columns are a tile as
//! they lie. Of A 16 rows of 16 groups are packed next to each other, as the unit reads them: so A, which comes from L2
//! for each panel, is one stream. Partial sums of K blocks go from tiles to memory and back without other registers.

use tilewright_ir::tir::{Buffer, CmpOp, Expr, ForeignCallee, Scope, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::cx::{Gemm, KBlock, Packed, Task};
use super::micro_kernel::MicroKernel;
use super::register_tile::Tile;
use super::tile_store::TileStore;
use crate::build::exprs::{compare, stored, substituted, typed};
use crate::build::loops::{memory, serial};
use crate::families::contraction::dot_groups::Grouping;
use crate::fault::Fault;
use crate::plan::cpu::gemm::{PackA, PackB};
use crate::units::ceil_div;

/// Rows of a tile, columns of a tile, and groups along K that one instruction sums.
pub(super) const TILE: i64 = 16;
/// Bytes of a row of a tile.
const ROW_BYTES: i64 = 64;
/// Bytes of the description of all tiles, and how many of them are used.
const CONFIG_BYTES: i64 = 64;
const TILES: i64 = 8;
/// The first of two tiles of A, and of B; those of sums are before them, two for each tile of A.
const A: i64 = 4;
const B: i64 = 6;

/// An instruction without a result.
fn instruction(name: &str, args: Vec<Expr>) -> Result<Stmt, Fault> {
    let call = Expr::foreign(DataType::VOID, ForeignCallee::Llvm(format!("llvm.x86.{name}").into()), args);
    Ok(StmtKind::Evaluate(call).into())
}

fn number(tile: i64) -> Expr {
    Expr::int(tile, DataType::I8)
}

/// Copies between a tile and rows in memory.
fn copy(name: &str, tile: i64, buffer: &Buffer, indices: Vec<Expr>, row_bytes: i64) -> Result<Stmt, Fault> {
    let address = typed(Expr::address_of(buffer, indices))?;
    instruction(name, vec![number(tile), address, Expr::i64(row_bytes)])
}

/// The distance of rows of a buffer along the dimension before its last one, in bytes.
fn row_bytes(buffer: &Buffer) -> Result<i64, Fault> {
    let bytes = i64::from(buffer.dtype.bits) / 8;
    let last = buffer.shape.last().and_then(Expr::as_int);
    last.and_then(|last| last.checked_mul(bytes))
        .ok_or_else(|| Fault::of_call(format!("rows of `{}` are not of a known size", buffer.name)))
}

impl Gemm<'_> {
    /// The statements that describe the tiles to the unit, and those that give them back.
    pub(super) fn tile_setup(&self) -> Result<(Packed, Stmt), Fault> {
        let t = self.plan;
        let fits = t.mr <= 2 * TILE && t.nr_vectors <= 2 && t.lanes == TILE && t.kc % self.tile_depth() == 0;
        if self.grouping.is_none() || !fits || !self.divides(self.tile_depth(), &self.c.k.size)? {
            return Err(Fault::of_call(format!(
                "a matrix unit multiplies groups of dot products, in register tiles of at most 32 rows and 2 vectors of \
                 16 columns, with K and `kc` multiples of {}",
                self.tile_depth()
            )));
        }
        let buffer = memory("tile_config", vec![self.int(CONFIG_BYTES)], DataType::U8, Scope::Global);
        // Palette 1; bytes of a row of each tile from byte 16 on, 16 bits each; rows from byte 48 on.
        let mut bytes = [0_i64; CONFIG_BYTES as usize];
        bytes[0] = 1;
        for tile in 0..TILES {
            bytes[(16 + 2 * tile) as usize] = ROW_BYTES;
            bytes[(48 + tile) as usize] = TILE;
        }
        let byte =
            |(at, value): (usize, &i64)| stored(&buffer, vec![self.int(at as i64)], &Expr::int(*value, DataType::U8));
        let mut stmts = bytes.iter().enumerate().map(byte).collect::<Result<Vec<_>, _>>()?;
        let address = typed(Expr::address_of(&buffer, vec![self.int(0)]))?;
        stmts.push(instruction("ldtilecfg", vec![address])?);
        Ok((Packed { buffer, stmt: Stmt::seq(stmts) }, instruction("tilerelease", Vec::new())?))
    }

    /// The block of A of a task and a K block in tiles; `value` is the element of a row `i` and `k` of the block.
    pub(super) fn tiles_of_a(
        &self,
        task: &Task,
        block: &KBlock,
        value: &Expr,
        (i, k): (&Var, &Var),
    ) -> Result<Packed, Fault> {
        let depth = self.tile_depth();
        let rows = self.c.m.size.as_int().unwrap_or(self.plan.mc).min(self.plan.mc);
        let shape = [ceil_div(rows.max(1), TILE), ceil_div(self.longest_k_block().max(1), depth), TILE, depth];
        let buffer = memory("packed_a", shape.map(|n| self.int(n)).to_vec(), value.dtype, Scope::Global);
        let body = self.serial("step", &self.floor_div(&block.count, depth)?, |step| {
            self.vector("part", depth, |part| {
                let value = substituted(value, &[(k.clone(), &(step * depth) + part)]);
                let row = Expr::var(i);
                let at = [self.floor_div(&row, TILE)?, step.clone(), self.floor_mod(&row, TILE)?, part.clone()];
                stored(&buffer, at.to_vec(), &value)
            })
        })?;
        Ok(Packed { buffer, stmt: serial(i, &task.m_count, body) })
    }

    /// Whether tiles of so many rows are multiplied by the matrix unit.
    pub(super) fn is_of_matrix_unit(&self, mr: i64) -> bool {
        self.plan.matrix_tiles && mr % TILE == 0
    }

    /// Elements along K that one instruction sums.
    pub(super) fn tile_depth(&self) -> i64 {
        TILE * self.group()
    }
}

impl MicroKernel<'_> {
    /// A tile's sums over a K block, from zero or the compensation on, to `accumulators`, or added to partial sums in
    /// memory; then the epilogue.
    pub(super) fn with_matrix_unit(&self, tile: &Tile, accumulators: &Buffer, init: Stmt) -> Result<Stmt, Fault> {
        let store = TileStore { o: &self.o, partial_sums: &self.partial_sums };
        let p = self.o.p;
        let in_accumulators = |i, v| {
            let at = vec![p.int(i * TILE), p.int(v), p.int(0)];
            Ok(Some(Sums { buffer: accumulators.clone(), at, row_bytes: p.plan.nr_vectors * ROW_BYTES }))
        };
        let in_memory = |i, v| {
            let sum = store.partial_sum(&(&tile.m_start + i * TILE), &p.int(v * TILE));
            let Some((buffer, at)) = sum else { return Ok(None) };
            let at = at.iter().map(|index| p.simple(index)).collect();
            Ok(Some(Sums { buffer: buffer.clone(), at, row_bytes: row_bytes(buffer)? }))
        };
        let products = self.over_tiles(tile)?;
        if self.compensation.is_some() {
            let start = self.each_sum(tile, "tileloadd64", in_accumulators)?;
            let end = self.each_sum(tile, "tilestored64", in_accumulators)?;
            return Ok(Stmt::seq([init, start, products, end, store.finish(tile, accumulators)?]));
        }
        let zero = self.each_sum(tile, "tilezero", |_, _| Ok(None))?;
        if in_memory(0, 0)?.is_none() {
            let end = self.each_sum(tile, "tilestored64", in_accumulators)?;
            return Ok(Stmt::seq([zero, products, end, store.finish(tile, accumulators)?]));
        }
        let is_first = compare(CmpOp::Eq, &self.o.block.number, &p.int(0))?;
        let again = self.each_sum(tile, "tileloadd64", in_memory)?;
        let start = StmtKind::If { condition: is_first, then: zero, otherwise: Some(again) }.into();
        let end = self.each_sum(tile, "tilestored64", in_memory)?;
        Ok(Stmt::seq([start, products, end, store.finish_in_memory(tile)?]))
    }

    /// An instruction for each tile of sums, of which `at` says where it is in memory.
    fn each_sum(
        &self,
        tile: &Tile,
        name: &str,
        at: impl Fn(i64, i64) -> Result<Option<Sums>, Fault>,
    ) -> Result<Stmt, Fault> {
        let one = |(i, v)| match at(i, v)? {
            Some(sums) => copy(name, sums_of(i, v), &sums.buffer, sums.at, sums.row_bytes),
            None => instruction(name, vec![number(sums_of(i, v))]),
        };
        Ok(Stmt::seq(self.tiles_across(tile).into_iter().map(one).collect::<Result<Vec<_>, _>>()?))
    }

    /// The tiles of sums, by tile of A and of B.
    fn tiles_across(&self, tile: &Tile) -> Vec<(i64, i64)> {
        let across = self.o.p.plan.nr_vectors;
        (0..tile.mr / TILE).flat_map(|i| (0..across).map(move |v| (i, v))).collect()
    }

    /// The products of a K block.
    fn over_tiles(&self, tile: &Tile) -> Result<Stmt, Fault> {
        let (p, o) = (self.o.p, &self.o);
        let (Some(a), Some(b), PackA::Tiles) = (&o.packed_a, &o.packed_b, p.plan.pack_a) else {
            return Err(Fault::of_call("a matrix unit needs both operands packed, A in tiles"));
        };
        let (down, across) = (tile.mr / TILE, p.plan.nr_vectors);
        let b_row = row_bytes(b)?;
        let first = p.floor_div(&o.block.start, p.group())?;
        let first_tile = p.floor_div(&tile.m_start, TILE)?;
        let steps = p.floor_div(&o.block.count, p.tile_depth())?;
        p.serial("k", &steps, |k| {
            let mut stmts = Vec::new();
            for i in 0..down {
                let at = vec![p.simple(&(&first_tile + i)), k.clone(), p.int(0), p.int(0)];
                stmts.push(copy("tileloadd64", A + i, a, at, ROW_BYTES)?);
            }
            for v in 0..across {
                let group = k * TILE;
                let lane = p.int(v * TILE);
                let indices = match p.plan.pack_b {
                    PackB::PerTask => vec![p.simple(&group), lane],
                    PackB::Ahead | PackB::InPlace => {
                        let panel = p.simple(&(&o.task.panel_start + &o.panel));
                        o.batch_of_packed_b().chain([panel, p.simple(&(&first + &group)), lane]).collect()
                    }
                };
                stmts.push(copy("tileloadd64", B + v, b, indices, b_row)?);
            }
            for (i, v) in self.tiles_across(tile) {
                stmts.push(instruction(
                    product_of(p.grouping),
                    vec![number(sums_of(i, v)), number(A + i), number(B + v)],
                )?);
            }
            Ok(Stmt::seq(stmts))
        })
    }
}

/// Where a tile of sums is in memory: its first element, and the distance of its rows.
struct Sums {
    buffer: Buffer,
    at: Vec<Expr>,
    row_bytes: i64,
}

/// The tile of sums of a tile of A and one of B.
fn sums_of(i: i64, v: i64) -> i64 {
    2 * i + v
}

/// The instruction that multiplies and sums: of bytes, those of A have been made unsigned where those of B are signed.
fn product_of(grouping: Option<Grouping>) -> &'static str {
    match grouping {
        Some(Grouping::Bytes { b_signed: true, .. }) => "tdpbusd",
        Some(Grouping::Bytes { b_signed: false, .. }) => "tdpbsud",
        Some(Grouping::Bfloat16) | None => "tdpbf16ps",
    }
}
