//! Loops for code that runs once, over large data: outermost loops in parallel, and moves of data in tiles.
//!
//! A transposition that walks along the rows of its result jumps from row to row of its argument: each element costs a
//! line of the cache, and each line is fetched many times. In tiles of both directions a line is used up while it is
//! there.

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Var};
use tilewright_ir::nest::{Loop, Nest, same_indices};
use tilewright_ir::node::{rewrite, walk};
use tilewright_ir::tir::{Buffer, ForKind, IterKind, IterVar, PrimFunc, Stmt, StmtKind};

/// The side of a tile: its lines of both directions fit into the first cache.
const TILE: i64 = 32;

/// The function with its loops in tiles and in parallel, as far as it is made of perfect nests.
pub(super) fn scheduled(function: &PrimFunc) -> PrimFunc {
    let mut function = function.clone();
    function.body = match &function.body.kind {
        StmtKind::Block { values, predicate, block } if block.iters.is_empty() => {
            let mut block = block.clone();
            block.body = statements(&block.body);
            StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into()
        }
        _ => statements(&function.body),
    };
    function
}

fn statements(body: &Stmt) -> Stmt {
    match &body.kind {
        StmtKind::Seq(statements) => Stmt::seq(statements.iter().map(statement)),
        _ => statement(body),
    }
}

fn statement(stmt: &Stmt) -> Stmt {
    let Some(nest) = Nest::of(stmt).filter(|nest| nest.loops.iter().all(is_plain)) else { return stmt.clone() };
    parallel(tiled(nest)).into_stmt()
}

fn is_plain(l: &Loop) -> bool {
    l.kind == ForKind::Serial && l.annotations.is_empty()
}

/// The outermost loop that runs more than once in parallel, if it is for spatial axes alone and no instance reads what
/// another one writes.
fn parallel(mut nest: Nest) -> Nest {
    let Some(outer) = nest.loops.iter().position(|l| l.extent.as_int() != Some(1)) else { return nest };
    let var = &nest.loops[outer].var;
    let depends = |value: &Expr| {
        let mut mentions = false;
        walk(value, |v: &Var| mentions |= v == var);
        mentions
    };
    let axes = nest.block.iters.iter().zip(&nest.values);
    let dependent: Vec<_> = axes.filter(|(_, value)| depends(value)).map(|(iter, _)| iter).collect();
    // A loop that no axis follows repeats instances.
    let spatial = !dependent.is_empty() && dependent.iter().all(|iter| iter.kind == IterKind::Spatial);
    if spatial && keeps_to_itself(&nest) && stores_apart(&nest, &dependent) {
        nest.loops[outer].kind = ForKind::Parallel;
    }
    nest
}

/// Whether an instance reads nothing that is written but the element that it writes itself.
fn keeps_to_itself(nest: &Nest) -> bool {
    let parts: Vec<Stmt> = nest.block.init.iter().chain([&nest.block.body]).cloned().collect();
    let mut stores: Vec<(Buffer, Vec<Expr>)> = Vec::new();
    walk(&parts, |stmt: &Stmt| {
        if let StmtKind::Store { buffer, indices, .. } = &stmt.kind {
            stores.push((buffer.clone(), indices.clone()));
        }
    });
    let mut itself = nest.block.match_buffers.is_empty();
    walk(&parts, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, .. } => {
            let mut of_this = stores.iter().filter(|(stored, _)| same_memory(stored, buffer));
            itself &= of_this.all(|(stored, at)| stored == buffer && same_indices(at, indices));
        }
        ExprKind::AddressOf { .. } | ExprKind::Foreign { .. } => itself = false,
        _ => {}
    });
    itself
}

/// Whether instances that differ in one of the axes store to different elements: each axis is an index of every store.
fn stores_apart(nest: &Nest, axes: &[&IterVar]) -> bool {
    let parts: Vec<Stmt> = nest.block.init.iter().chain([&nest.block.body]).cloned().collect();
    let mut disjoint = true;
    walk(&parts, |stmt: &Stmt| {
        if let StmtKind::Store { indices, .. } = &stmt.kind {
            disjoint &= axes.iter().all(|axis| indices.iter().any(|index| index.as_var() == Some(&axis.var)));
        }
    });
    disjoint
}

/// The nest in tiles, where it reads along one loop and writes along another.
fn tiled(nest: Nest) -> Nest {
    let Some((write, read)) = directions(&nest) else { return nest };
    let Nest { loops, values, predicate, block } = nest;
    let mut tiles: Vec<Loop> = Vec::new();
    let mut inside: Vec<Loop> = Vec::new();
    let (mut values, mut predicate) = (values, predicate);
    for at in [write, read] {
        let l = &loops[at];
        let Some(split) = Split::of(l) else { return Nest { loops, values, predicate, block } };
        values =
            rewrite(&values, |e: &Expr| (e.as_var() == Some(&l.var)).then(|| split.value.clone())).unwrap_or(values);
        if let Some(inside) = &split.inside {
            predicate = Expr::binary(BinOp::And, &predicate, inside).unwrap_or(predicate);
        }
        tiles.push(split.tiles);
        inside.push(split.inner);
    }
    // The lines that are written are filled along the innermost loop.
    inside.reverse();
    let others = loops.iter().enumerate().filter(|(i, _)| *i != write && *i != read).map(|(_, l)| l.clone());
    let loops = others.chain(tiles).chain(inside).collect();
    Nest { loops, values, predicate, block }
}

/// The loops along which memory is written and read without gaps, where they differ and are long.
fn directions(nest: &Nest) -> Option<(usize, usize)> {
    let (stored, indices, value) = nest.single_store().filter(|_| nest.runs_each_instance_once())?;
    let loop_of = |axis: &Var| {
        let at = nest.block.iters.iter().position(|iter| iter.var == *axis)?;
        let var = nest.values[at].as_var()?;
        nest.loops.iter().position(|l| l.var == *var)
    };
    let write = loop_of(indices.last()?.as_var()?)?;
    let axes: Vec<Var> = nest.block.iters.iter().map(|iter| iter.var.clone()).collect();
    let analyzer = Analyzer::new();
    let mut read = None;
    let mut reads_result = false;
    walk(value, |e: &Expr| {
        let ExprKind::Load { buffer, indices, .. } = &e.kind else { return };
        reads_result |= same_memory(buffer, stored);
        let last = indices.last().and_then(|index| analyzer.linear_in(index, &axes));
        let along = last.and_then(|linear| linear.coefficients.iter().position(|c| *c == 1));
        read = read.or_else(|| loop_of(&axes[along?]));
    });
    let read = read.filter(|read| *read != write && !reads_result)?;
    let long = |at: usize| nest.loops[at].extent.as_int().is_some_and(|extent| extent >= 2 * TILE);
    (long(write) && long(read)).then_some((write, read))
}

fn same_memory(a: &Buffer, b: &Buffer) -> bool {
    a == b || a.data == b.data
}

/// One loop as a loop over tiles and one inside a tile.
struct Split {
    tiles: Loop,
    inner: Loop,
    /// The value of the loop's variable.
    value: Expr,
    /// The condition of the loop's range, which the last tile exceeds.
    inside: Option<Expr>,
}

impl Split {
    fn of(l: &Loop) -> Option<Self> {
        let extent = l.extent.as_int()?;
        let dtype = l.var.dtype;
        let number = |value: i64| Expr::int(value, dtype);
        if l.min.as_int() != Some(0) {
            return None;
        }
        let part = |name: &str, extent: i64| Loop {
            var: Var::new(format!("{}_{name}", l.var.name), dtype),
            min: number(0),
            extent: number(extent),
            kind: ForKind::Serial,
            annotations: l.annotations.clone(),
        };
        let (tiles, inner) = (part("tile", (extent + TILE - 1) / TILE), part("inner", TILE));
        let start = Expr::binary(BinOp::Mul, &Expr::var(&tiles.var), &number(TILE)).ok()?;
        let value = Expr::binary(BinOp::Add, &start, &Expr::var(&inner.var)).ok()?;
        let inside = match extent % TILE {
            0 => None,
            _ => Some(Expr::compare(CmpOp::Lt, &value, &number(extent)).ok()?),
        };
        Some(Self { tiles, inner, value, inside })
    }
}
