//! Groups of neighbours along K in the registers of a matrix unit (AMX): a register tile is two tiles of 16 rows times
//! two of 16 columns, whose sums stay in registers over a K block.
//!
//! The operands are packed as for dot-product instructions: A row by row, and of B a word for each group and column. So
//! 16 groups of 16 rows of A, and of 16 columns of B, are a tile each, as they lie.

use tilewright_ir::tir::{Buffer, Expr, ForeignCallee, Scope, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::cx::{Gemm, Packed};
use super::micro_kernel::MicroKernel;
use super::register_tile::Tile;
use crate::build::exprs::{stored, typed};
use crate::build::loops::memory;
use crate::families::contraction::dot_groups::Grouping;
use crate::fault::Fault;
use crate::plan::cpu::gemm::PackB;

/// Rows of a tile, columns of a tile, and groups along K that one instruction sums.
const TILE: i64 = 16;
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
    /// The sums of a K block are added to accumulators in memory.
    pub(super) fn over_tiles(&self, tile: &Tile, accumulators: &Buffer) -> Result<Stmt, Fault> {
        let (p, o) = (self.o.p, &self.o);
        let (Some(a), Some(b)) = (&o.packed_a, &o.packed_b) else {
            return Err(Fault::of_call("a matrix unit needs both operands packed"));
        };
        let (down, across) = (tile.mr / TILE, p.plan.nr_vectors);
        let of_sums = |name: &str| -> Result<Vec<Stmt>, Fault> {
            let each = (0..down).flat_map(|i| (0..across).map(move |v| (i, v)));
            let sum = |(i, v)| {
                let at = vec![p.int(i * TILE), p.int(v), p.int(0)];
                copy(name, sums_of(i, v), accumulators, at, across * ROW_BYTES)
            };
            each.map(sum).collect()
        };
        let (a_row, b_row) = (row_bytes(a)?, row_bytes(b)?);
        let first = p.floor_div(&o.block.start, p.group())?;
        let steps = p.floor_div(&o.block.count, p.tile_depth())?;
        let products = p.serial("k", &steps, |k| {
            let mut stmts = Vec::new();
            for i in 0..down {
                let row = &tile.m_start + i * TILE;
                stmts.push(copy(
                    "tileloadd64",
                    A + i,
                    a,
                    vec![p.simple(&row), p.simple(&(k * p.tile_depth()))],
                    a_row,
                )?);
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
            for (i, v) in (0..down).flat_map(|i| (0..across).map(move |v| (i, v))) {
                stmts.push(instruction(
                    product_of(p.grouping),
                    vec![number(sums_of(i, v)), number(A + i), number(B + v)],
                )?);
            }
            Ok(Stmt::seq(stmts))
        })?;
        Ok(Stmt::seq(of_sums("tileloadd64")?.into_iter().chain([products]).chain(of_sums("tilestored64")?)))
    }
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
