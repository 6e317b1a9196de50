//! The memory of temporaries that are computed and used within a row: as much as the rows of one block of threads need,
//! of a constant size.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, Block, Buffer, BufferRegion, Expr, PrimFunc, Range, Scope, Stmt, StmtKind};

use crate::analysis::guard::known_inside;
use crate::build::exprs::{binary, mentions_var, stored, substituted, typed};
use crate::build::rewrite::with_loads_replaced;
use crate::fault::Fault;
use crate::primitive::call::{Call, Default, Outcome, Primitive, Results};
use crate::site::{Site, axis_values, loop_of};

pub(crate) const ROW_MEMORY: Primitive = Primitive {
    name: "RowMemory",
    method: "row_memory",
    doc: "Gives a temporary, all of whose uses are in a loop over rows, memory for `rows` rows, which a block of threads \
          has at once: registers of each thread (`local`), or shared memory.",
    params: &[
        ("block", Default::Required),
        ("loop", Default::Required),
        ("rows", Default::Required),
        ("storage_scope", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run,
};

/// Rows of a block of threads at most.
const MAX_ROWS: i64 = 1024;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, row) = (call.block(0)?, call.loop_at(1)?);
    let (rows, name) = (call.size(2, "rows", 1..=MAX_ROWS)?, call.text(3)?);
    let scope = match Scope::named(name) {
        Some(scope @ (Scope::Local | Scope::Shared)) => scope,
        _ => return Err(Fault::at(&site, format!("expected \"local\" or \"shared\", found \"{name}\""))),
    };
    let buffer = call.written(&site, 0)?;
    let around = site.expect_scope()?;
    if !around.expect_block()?.alloc_buffers.contains(&buffer) {
        return Err(Fault::at(&site, format!("`{}` is no temporary of the block around", buffer.name)));
    }
    let places = Places::of(call.function, &site, &row, &buffer, rows, &scope)?;
    let made = places.memory(&buffer, scope, name);
    let inner = places.replaced(&row.stmt, &buffer, &made)?;
    let body = row.replaced(inner);
    let body = rewrite(&body, |stmt: &Stmt| in_root(stmt, &buffer, &made)).unwrap_or(body);
    let mut left = false;
    walk(&body, |other: &Buffer| left |= other.data == buffer.data);
    if left {
        return Err(Fault::at(&site, format!("`{}` is used outside of the loop over rows", buffer.name)));
    }
    Ok(Outcome::changed(PrimFunc { body, ..call.function.clone() }, Results::Nothing))
}

/// The block that has the buffer, with the other one.
fn in_root(stmt: &Stmt, buffer: &Buffer, made: &Buffer) -> Option<Stmt> {
    let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
    let at = block.alloc_buffers.iter().position(|own| own == buffer)?;
    let mut block = block.clone();
    block.alloc_buffers.splice(at..=at, [made.clone()]);
    Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
}

/// Where elements are in the memory: the dimensions that name a row become one, its number in the block of threads.
struct Places {
    of_row: Vec<bool>,
    shape: Vec<Expr>,
    rows: i64,
}

impl Places {
    fn of(
        function: &PrimFunc,
        site: &Site,
        row: &Site,
        buffer: &Buffer,
        rows: i64,
        scope: &Scope,
    ) -> Result<Self, Fault> {
        let block = site.expect_block()?;
        let (values, _) = site.expect_binding()?;
        let l = loop_of(&row.stmt).ok_or_else(|| Fault::at(row, "expected a loop"))?;
        let written = block.writes.iter().find(|region| region.buffer == *buffer);
        let written = written.ok_or_else(|| Fault::at(site, "the block does not write the temporary"))?;
        let values = axis_values(block, values);
        let at: Vec<Expr> = written.region.iter().map(|range| substituted(&range.min, &values)).collect();
        let is_unit = |extent: &Expr| extent.as_int() == Some(1);
        let dims = at.iter().zip(&buffer.shape);
        let of_row = dims.map(|(index, extent)| mentions_var(index, &l.var) || is_unit(extent)).collect();
        let places = Self { of_row, shape: buffer.shape.clone(), rows };
        if places.kept().any(|extent| extent.as_int().is_none()) {
            return Err(Fault::at(site, format!("rows of `{}` have no constant length", buffer.name)));
        }
        // Rows of a block of threads are different places only if they are numbered as the loop numbers them.
        let number = places.number(&at)?;
        let known = known_inside(function, site);
        if rows > 1
            && *scope != Scope::Local
            && !known.prove_equal(&number, &typed(Expr::var(&l.var).cast(number.dtype))?)
        {
            return Err(Fault::at(site, format!("`{}` has not a row for each of the loop's", buffer.name)));
        }
        Ok(places)
    }

    fn kept(&self) -> impl Iterator<Item = &Expr> {
        self.shape.iter().zip(&self.of_row).filter(|(_, of_row)| !**of_row).map(|(extent, _)| extent)
    }

    fn memory(&self, buffer: &Buffer, scope: Scope, name: &str) -> Buffer {
        let rows = (self.rows > 1 && scope != Scope::Local).then(|| Expr::i64(self.rows));
        let mut shape: Vec<Expr> = rows.into_iter().chain(self.kept().cloned()).collect();
        if shape.is_empty() {
            shape.push(Expr::i64(1));
        }
        buffer.derive(|node| {
            (node.scope, node.shape, node.name) = (scope, shape, format!("{}_{name}", buffer.name).into());
        })
    }

    /// The number of the row at these indices.
    fn number(&self, indices: &[Expr]) -> Result<Expr, Fault> {
        let mut number = Expr::i64(0);
        for ((index, extent), _) in indices.iter().zip(&self.shape).zip(&self.of_row).filter(|(_, of_row)| **of_row) {
            let (index, extent) = (typed(index.cast(number.dtype))?, typed(extent.cast(number.dtype))?);
            number = binary(BinOp::Add, &binary(BinOp::Mul, &number, &extent)?, &index)?;
        }
        Ok(number)
    }

    fn indices(&self, indices: &[Expr], made: &Buffer) -> Result<Vec<Expr>, Fault> {
        let mut at = Vec::with_capacity(made.rank());
        let kept = indices.iter().zip(&self.of_row).filter(|(_, of_row)| !**of_row).map(|(index, _)| index.clone());
        if self.rows > 1 && made.scope != Scope::Local {
            at.push(binary(BinOp::FloorMod, &self.number(indices)?, &Expr::i64(self.rows))?);
        }
        at.extend(kept);
        if at.is_empty() {
            at.push(Expr::i64(0));
        }
        Ok(at)
    }

    /// The statement with the other memory.
    fn replaced(&self, stmt: &Stmt, buffer: &Buffer, made: &Buffer) -> Result<Stmt, Fault> {
        let mut failed = None;
        let mut kept = |fault| {
            failed = Some(fault);
            None
        };
        let loads = with_loads_replaced(stmt, buffer, &|indices| {
            let at = self.indices(indices, made).ok()?;
            typed(Expr::load(made, at)).ok()
        });
        let replaced = rewrite(&loads, |stmt: &Stmt| match &stmt.kind {
            StmtKind::Store { buffer: own, indices, value, predicate: None } if own == buffer => {
                let store = self.indices(indices, made).and_then(|at| stored(made, at, value));
                store.map_or_else(&mut kept, Some)
            }
            StmtKind::Block { values, predicate, block } => {
                let uses = |regions: &[BufferRegion]| regions.iter().any(|region| region.buffer == *buffer);
                if !uses(&block.reads) && !uses(&block.writes) {
                    return None;
                }
                let regions = |all: &[BufferRegion]| -> Result<Vec<BufferRegion>, Fault> {
                    all.iter().map(|region| self.region(region, buffer, made)).collect()
                };
                match (regions(&block.reads), regions(&block.writes)) {
                    (Ok(reads), Ok(writes)) => {
                        let block = Block { reads, writes, ..block.clone() };
                        Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
                    }
                    (Err(fault), _) | (_, Err(fault)) => kept(fault),
                }
            }
            _ => None,
        });
        match failed {
            Some(fault) => Err(fault),
            None => Ok(replaced.unwrap_or(loads)),
        }
    }

    fn region(&self, region: &BufferRegion, buffer: &Buffer, made: &Buffer) -> Result<BufferRegion, Fault> {
        if region.buffer != *buffer {
            return Ok(region.clone());
        }
        let mins: Vec<Expr> = region.region.iter().map(|range| range.min.clone()).collect();
        let mut extents: Vec<Expr> = region
            .region
            .iter()
            .zip(&self.of_row)
            .filter(|(_, of_row)| !**of_row)
            .map(|(r, _)| r.extent.clone())
            .collect();
        let at = self.indices(&mins, made)?;
        while extents.len() < at.len() {
            extents.insert(0, Expr::i64(1));
        }
        let ranges = at.into_iter().zip(extents).map(|(min, extent)| Range::new(min, extent)).collect();
        Ok(BufferRegion { buffer: made.clone(), region: ranges })
    }
}
