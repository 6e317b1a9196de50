//! The elements that a block certainly writes: a copy from other memory that replaces them has all of them.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{Block, Buffer, CmpOp, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind, Var};

use crate::analysis::dependence::check_affine;
use crate::analysis::guard::{known_around, known_inside};
use crate::analysis::required::{boxed, loops_to};
use crate::build::exprs::{compare, mentions, mentions_var, substituted};
use crate::fault::Fault;
use crate::site::{Site, axis_values, loop_of};

/// The box of the elements that the block writes inside of the outermost loop, each of which it does write.
pub(crate) fn written_exactly(
    function: &PrimFunc,
    site: &Site,
    outer: &Site,
    buffer: &Buffer,
) -> Result<Vec<Range>, Fault> {
    check_affine(function, site)?;
    let refuse = || {
        Fault::at(site, format!("the elements of `{}` that the block writes are not known to be a box", buffer.name))
    };
    let (Some(block), Some((values, predicate))) = (site.block(), site.binding()) else { return Err(refuse()) };
    let write = block.writes.iter().find(|write| write.buffer == *buffer).ok_or_else(refuse)?;
    if !writes_all(&mut known_inside(function, site), block, buffer, &write.region) {
        let message = format!("the block is not known to write all elements of `{}` that it may write", buffer.name);
        return Err(Fault::at(site, message));
    }
    let axes = axis_values(block, values);
    let ranges: Vec<Range> = write.region.iter().map(|range| substituted(range, &axes)).collect();
    let mut known = known_around(function, outer);
    let loops = loops_to(outer, site);
    let region = boxed(&mut known, &ranges, &loops, predicate).ok_or_else(refuse)?;
    let inside: Vec<Var> = loops.into_iter().map(|(var, _)| var).collect();
    if mentions(&region, &inside) { Err(refuse()) } else { Ok(region) }
}

/// Whether an instance of the block writes every element of the region. What others do with memory whose address they
/// are given, or that the block has under another name, it says itself.
fn writes_all(known: &mut Analyzer, block: &Block, buffer: &Buffer, region: &[Range]) -> bool {
    let mut told = block.match_buffers.iter().any(|matched| matched.source.buffer == *buffer);
    walk(&block.body, |e: &Expr| {
        told |= matches!(&e.kind, ExprKind::AddressOf { buffer: other, .. } if other.data == buffer.data);
    });
    told || Search { known, buffer, region, loops: Vec::new() }.stmt(&block.body)
}

/// The search for a statement that certainly runs and writes the region.
struct Search<'a> {
    known: &'a mut Analyzer,
    buffer: &'a Buffer,
    region: &'a [Range],
    /// The loops around the statement, inside of the block.
    loops: Vec<(Var, Range)>,
}

impl Search<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, predicate: None, .. } if buffer == self.buffer => {
                let point = |index: &Expr| Range::new(index.clone(), Expr::int(1, index.dtype));
                let scalar = indices.iter().all(|index| index.dtype.is_scalar());
                scalar && self.covers(&indices.iter().map(point).collect::<Vec<_>>(), &Expr::bool(true))
            }
            StmtKind::For { body, .. } => {
                let Some(l) = loop_of(stmt) else { return false };
                self.loops.push((l.var, Range::new(l.min, l.extent)));
                let found = self.stmt(body);
                self.loops.pop();
                found
            }
            StmtKind::Seq(stmts) => stmts.iter().any(|stmt| self.stmt(stmt)),
            StmtKind::Let { var, value, body } => {
                let scope = self.known.enter();
                self.known.bind_value(var, value);
                let found = self.stmt(body);
                self.known.leave(scope);
                found
            }
            StmtKind::Allocate { body, .. } | StmtKind::AllocateConst { body, .. } | StmtKind::Attr { body, .. } => {
                self.stmt(body)
            }
            StmtKind::Block { values, predicate, block } => {
                let Some(write) = block.writes.iter().find(|write| write.buffer == *self.buffer) else { return false };
                let scope = self.known.enter();
                block.iters.iter().for_each(|iter| self.known.bind(&iter.var, &iter.domain));
                let all = writes_all(self.known, block, self.buffer, &write.region);
                self.known.leave(scope);
                all && self.covers(&substituted(&write.region, &axis_values(block, values)), predicate)
            }
            _ => false,
        }
    }

    /// Whether the ranges, over the loops around, are the region. A loop that says nothing of where runs at least once.
    fn covers(&mut self, ranges: &[Range], predicate: &Expr) -> bool {
        let ranges: Vec<Range> = ranges
            .iter()
            .map(|range| Range::new(self.known.simplify(&range.min), self.known.simplify(&range.extent)))
            .collect();
        for (var, range) in &self.loops {
            let runs = compare(CmpOp::Gt, &range.extent, &Expr::int(0, range.extent.dtype));
            let says = ranges.iter().any(|range| mentions_var(range, var));
            if !says && !runs.is_ok_and(|runs| self.known.prove(&runs)) {
                return false;
            }
        }
        let Some(found) = boxed(self.known, &ranges, &self.loops, predicate) else { return false };
        let same = |a: &Range, b: &Range| {
            self.known.prove_equal(&a.min, &b.min) && self.known.prove_equal(&a.extent, &b.extent)
        };
        found.len() == self.region.len() && found.iter().zip(self.region).all(|(a, b)| same(a, b))
    }
}
