//! `tile_product(block, rows, vectors, lanes, depth, row_block, column_block, pack_rows, pack_columns, grouped,
//! widened, outer_steps, ask_near)`: a sum of products runs as a blocked product with a register tile, whatever its
//! factors are, and what follows it is computed on finished tiles.
//!
//! A block `out[f(s)] += a(s, k) * b(s, k)` is a product of matrices in disguise (`contraction`): rows stand in one
//! factor only, columns in the other one only, the batch in both, and the depth is what is reduced. A convolution is
//! one as well, whose columns are pixels. The loops are these, from outside inwards:
//!
//! ```text
//! for task in parallel(batch * column blocks * row blocks)
//!   for step over the depth, by `depth`
//!     rows of the block are copied, as they are used          pack_rows
//!     for panel of `vectors * lanes` columns in the block
//!       the panel is copied, as it is used                    pack_columns
//!       for tile of `rows` rows in the block
//!         the register tile: rows * vectors vectors of `lanes` sums, over the step's depth
//!         the tile goes to the result, or to partial sums; behind the last step what follows is computed on it
//! ```
//!
//! | `pack_rows` | the factor of the rows is |
//! |---|---|
//! | `"none"` | read in place |
//! | `"row_major"`, `"column_major"` | copied by each task, neighbours along the depth or along the rows beside each other |
//!
//! | `pack_columns` | the factor of the columns is |
//! |---|---|
//! | `"none"` | read in place |
//! | `"task"` | copied by each task, panel by panel |
//! | `"ahead"` | copied into panels before the product runs; of a constant, once and for all |
//!
//! With `grouped`, both factors are bfloat16 and their sum is float32, or both are bytes and their sum is int32:
//! neighbours along the depth are copied as words of two or four, whose products the processor adds in one instruction
//! (AVX512-BF16, AVX512-VNNI). The first takes denormal numbers for zero.
//!
//! Copies of columns have elements as they lie in memory, and register tiles widen them. With `widened`, each task does
//! so once for each panel instead, in front of its tiles.
//!
//! With `outer_steps`, all tasks make a step before any makes the next one, so that the rows of a step, which all of them
//! read, stay near. Tasks then copy nothing for a step, and the partial sums of all of them are kept.
//!
//! With `ask_near`, columns that were copied ahead and that a single tile reads are asked for into the first level of cache,
//! shortly before they are read, and not into the second.
//!
//! What follows stays as it is, behind the product, if something there does not read each sum once, at its own axes.
//!
//! Matrices of a batch that share their columns have their rows taken together as those of one (`joined` where only a
//! run knows how many there are).
//!
//! The last columns are masked where they do not fill a panel, the last rows get smaller register tiles. Tasks depend
//! on shapes alone, and each sums in one order.

mod contraction;
mod depth;
mod emit;
mod far;
mod grouped;
mod joined;
mod lines;
mod nest;
mod next;
mod pack;
mod turned;
mod widened;

use tilewright_ir::tir::{Expr, PrimFunc, Stmt};

use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::epilogue::{self, Outputs, Produced};
use crate::guard::known_around;
use crate::rewrite::{way, with_block};
use crate::stages::{nests_behind, own_nest, statements, touches};
use crate::tree::Site;

pub(crate) use contraction::{Contraction, divisor, with_groups};
pub(crate) use grouped::Grouping;
pub(crate) use lines::is_dense;

pub(in crate::primitive) const TILE_PRODUCT: Primitive = Primitive {
    name: "TileProduct",
    method: "tile_product",
    doc: "Computes a product tile by tile, each in registers.",
    params: &[
        ("block", Default::Required),
        ("rows", Default::Required),
        ("vectors", Default::Required),
        ("lanes", Default::Required),
        ("depth", Default::Required),
        ("row_block", Default::Required),
        ("column_block", Default::Required),
        ("pack_rows", Default::Str("row_major")),
        ("pack_columns", Default::Str("ahead")),
        ("grouped", Default::Bool(false)),
        ("widened", Default::Bool(false)),
        ("outer_steps", Default::Bool(false)),
        ("ask_near", Default::Bool(false)),
    ],
    gives_list: false,
    run,
};

/// How the factor of the rows gets to the register tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PackRows {
    InPlace,
    RowMajor,
    ColumnMajor,
}

/// How the factor of the columns gets to the register tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PackColumns {
    InPlace,
    Task,
    Ahead,
}

/// What becomes of factors whose elements are shorter than the sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Narrow {
    /// Register tiles widen them, if there are such.
    WidenedInTiles,
    /// Tasks widen each panel of the columns once.
    WidenedInPanels,
    /// They stay as they are: products of neighbours along the depth are summed by one instruction.
    Grouped,
}

impl PackRows {
    const ALL: [Self; 3] = [Self::InPlace, Self::RowMajor, Self::ColumnMajor];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::InPlace => "none",
            Self::RowMajor => "row_major",
            Self::ColumnMajor => "column_major",
        }
    }
}

impl PackColumns {
    const ALL: [Self; 3] = [Self::InPlace, Self::Task, Self::Ahead];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::InPlace => "none",
            Self::Task => "task",
            Self::Ahead => "ahead",
        }
    }
}

/// The sizes of tiles and blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tiling {
    /// Most rows of a register tile.
    pub(crate) rows: i64,
    /// Vectors of columns of a register tile.
    pub(crate) vectors: i64,
    /// Lanes of a vector.
    pub(crate) lanes: i64,
    /// The depth of a step.
    pub(crate) depth: i64,
    /// Rows of a task.
    pub(crate) row_block: i64,
    /// Columns of a task, whole panels.
    pub(crate) column_block: i64,
    pub(crate) pack_rows: PackRows,
    pub(crate) pack_columns: PackColumns,
    pub(crate) narrow: Narrow,
    /// Whether the loop over steps is outside of the one over tasks.
    pub(crate) outer_steps: bool,
    /// Whether columns that are read once are asked for into the first level of cache.
    pub(crate) ask_near: bool,
}

impl Tiling {
    /// Columns of a register tile.
    pub(crate) fn panel(&self) -> i64 {
        self.vectors * self.lanes
    }
}

/// The most sums of a register tile, and of rows, columns and depth of a block.
const MOST: i64 = 1 << 16;

fn tiling(call: &Call<'_>) -> Result<Tiling, Fault> {
    let found = Tiling {
        rows: call.size(1, "rows", 1..=64)?,
        vectors: call.size(2, "vectors", 1..=64)?,
        lanes: call.size(3, "lanes", 1..=64)?,
        depth: call.size(4, "depth", 1..=MOST)?,
        row_block: call.size(5, "row_block", 1..=MOST)?,
        column_block: call.size(6, "column_block", 1..=MOST)?,
        pack_rows: named(call.text(7)?, &PackRows::ALL.map(|way| (way.name(), way)))?,
        pack_columns: named(call.text(8)?, &PackColumns::ALL.map(|way| (way.name(), way)))?,
        narrow: match (call.flag(9)?, call.flag(10)?) {
            (false, false) => Narrow::WidenedInTiles,
            (false, true) => Narrow::WidenedInPanels,
            (true, false) => Narrow::Grouped,
            (true, true) => return Err(Fault::of_call("what is grouped is not widened")),
        },
        outer_steps: call.flag(11)?,
        ask_near: call.flag(12)?,
    };
    if found.column_block % found.panel() != 0 {
        let (block, panel) = (found.column_block, found.panel());
        return Err(Fault::of_call(format!(
            "`column_block` must be a multiple of the panel of {panel}, found {block}"
        )));
    }
    Ok(found)
}

fn named<T: Copy>(name: &str, all: &[(&str, T)]) -> Result<T, Fault> {
    let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let found = all.iter().find(|(known, _)| *known == name).map(|(_, way)| *way);
    found.ok_or_else(|| Fault::of_call(format!("expected one of {}, found \"{name}\"", known.join(", "))))
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let tiling = tiling(call)?;
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    let contraction = Contraction::of(call.function, &site)?;
    let place = own_nest(&site)?;
    let all = statements(&scope);
    let (outputs, on_tiles) = outputs_of(call.function, &site, &scope, &contraction)?;
    let behind = if on_tiles { all.len() } else { place + 1 };
    let cleared = contraction.cleared.as_ref().map(own_nest).transpose()?;
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let out = contraction.out.clone();
    let (contraction, grouping) = grouped_or_widened(contraction, &tiling, &site)?;
    let (contraction, outputs, views) =
        joined::joined_rows(call.function, &contraction, &outputs)?.unwrap_or((contraction, outputs, Vec::new()));
    let made = nest::product(call.function, &contraction, &tiling, (&outputs, views), grouping, &name)?;
    let before = all.iter().enumerate().take(place).filter(|(at, _)| Some(*at) != cleared);
    let before = before.map(|(_, site)| site.stmt.clone());
    let behind = all.iter().skip(behind).map(|site| site.stmt.clone());
    let body = Stmt::seq(before.chain([made.body]).chain(behind));
    let function = with_block(call.function, &way(&scope), |block| {
        block.alloc_buffers.retain(|buffer| *buffer != out || touches(&body, buffer));
        block.alloc_buffers.extend(made.temporaries);
        block.body = body;
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The contraction, of the bits of its factors where they are grouped.
fn grouped_or_widened(c: Contraction, tiling: &Tiling, site: &Site) -> Result<(Contraction, Option<Grouping>), Fault> {
    let copies_are_narrow = tiling.pack_columns != PackColumns::InPlace && c.columns_are_narrow();
    match tiling.narrow {
        Narrow::WidenedInTiles => Ok((c, None)),
        Narrow::WidenedInPanels if copies_are_narrow => Ok((c, None)),
        Narrow::WidenedInPanels => {
            Err(Fault::at(site, "what is widened are copies of columns that have shorter elements than the sums"))
        }
        Narrow::Grouped => {
            let grouping = Grouping::of(&c).ok_or_else(|| {
                Fault::at(site, "groups are of bfloat16 summed in float32, or of bytes summed in int32, side by side")
            })?;
            Ok((grouped::of_bits(c, grouping, tiling)?, Some(grouping)))
        }
    }
}

/// What is written of a product's sums, and whether that is all that stands behind it; else that stays as it is.
fn outputs_of(function: &PrimFunc, site: &Site, scope: &Site, c: &Contraction) -> Result<(Outputs, bool), Fault> {
    let produced = |stays: bool| Produced {
        out: &c.out,
        indices: &c.indices,
        read: vec![&c.of_rows, &c.of_columns],
        always: c.cleared.is_some() || known_around(function, site).bounds(&c.depth.size).at_least(1),
        stays,
    };
    let on_tiles =
        nests_behind(site).and_then(|after| epilogue::outputs(function, site, scope, &produced(false), &after));
    match on_tiles {
        Ok(outputs) => Ok((outputs, true)),
        Err(_) if statements(scope).len() > own_nest(site)? + 1 => {
            Ok((epilogue::outputs(function, site, scope, &produced(true), &[])?, false))
        }
        Err(fault) => Err(fault),
    }
}

/// How many matrices the product of a block is of, where their rows are taken together as far as they can be; `None`
/// where only a run knows.
pub(crate) fn matrices(function: &PrimFunc, site: &Site, c: &Contraction) -> Option<i64> {
    let joined = site.scope().and_then(|scope| {
        let (outputs, _) = outputs_of(function, site, &scope, c).ok()?;
        joined::joined_rows(function, c, &outputs).ok()?
    });
    joined.as_ref().map_or(&c.batch.size, |(joined, ..)| &joined.batch.size).as_int()
}

/// A function's body and the memory that it needs.
struct Made {
    body: Stmt,
    temporaries: Vec<tilewright_ir::tir::Buffer>,
}

/// Whether a size is the constant 1.
fn is_one(size: &Expr) -> bool {
    size.as_int() == Some(1)
}

/// Parameters that every caller binds to constants.
pub(crate) fn is_constant(function: &PrimFunc, expr: &Expr) -> bool {
    let numbers = function.attrs.get(LAYOUT_FREE).and_then(tilewright_ir::Attr::as_ints).unwrap_or_default();
    let free = |data: &tilewright_ir::tir::Var| {
        function.params.iter().enumerate().any(|(at, param)| {
            param.buffer.as_ref().is_some_and(|buffer| buffer.data == *data)
                && i64::try_from(at).is_ok_and(|at| numbers.contains(&at))
        })
    };
    let (mut all, mut any) = (true, false);
    tilewright_expr::node::walk(expr, |e: &Expr| {
        if let tilewright_ir::tir::ExprKind::Load { buffer, .. } = &e.kind {
            all &= free(&buffer.data);
            any = true;
        }
    });
    all && any
}

/// The attribute that names parameters which every caller binds to constants.
const LAYOUT_FREE: &str = "layout_free_buffers";
