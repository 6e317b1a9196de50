//! The memory of temporaries that are computed and used within a row: as much as the rows of one block of threads need,
//! of a constant size.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{BinOp, Block, Buffer, BufferRegion, Expr, PrimFunc, Range, Scope, Stmt, StmtKind};
use tilewright_tensor::DataType;

use crate::analysis::guard::known_inside;
use crate::build::exprs::{binary, mentions_var, stored, substituted, typed};
use crate::build::loops::task_block;
use crate::build::rewrite::with_loads_replaced;
use crate::fault::Fault;
use crate::primitive::call::{Call, Default, Outcome, Primitive, Results};
use crate::site::{Site, around, axis_values, below, loop_of};

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
    let written = site.expect_block()?.writes.first().map(|region| region.buffer.clone());
    let buffer = written.ok_or_else(|| Fault::at(&site, "the block writes nothing"))?;
    if !call.function.root_block().is_some_and(|root| root.alloc_buffers.contains(&buffer)) {
        return Err(Fault::at(&site, format!("`{}` is no temporary of the function", buffer.name)));
    }
    let places = Places::of(call.function, &site, &row, &buffer, rows)?;
    let made = places.memory(&buffer, scope, name);
    // What the threads of several rows share is that of the loop around.
    let outside = rows > 1 && made.scope != Scope::Local;
    let replaced = places.replaced(&row.stmt, &buffer, &made)?;
    let inner = if outside { replaced } else { with_memory(&replaced, &made)? };
    let body = match row.above.iter().rposition(|(stmt, _)| loop_of(stmt).is_some()) {
        Some(at) if outside => {
            let inner = Site { above: row.above[at..].to_vec(), stmt: row.stmt.clone() }.replaced(inner);
            let around = Site { above: row.above[..at].to_vec(), stmt: inner.clone() };
            around.replaced(with_memory(&inner, &made)?)
        }
        _ => row.replaced(inner),
    };
    let body = rewrite(&body, |stmt: &Stmt| without_memory(stmt, &buffer)).unwrap_or(body);
    let mut left = false;
    walk(&body, |other: &Buffer| left |= other == &buffer);
    if left {
        return Err(Fault::at(&site, format!("`{}` is used outside of the loop over rows", buffer.name)));
    }
    Ok(Outcome::changed(PrimFunc { body, ..call.function.clone() }, Results::Nothing))
}

/// The block that has the buffer, without it.
fn without_memory(stmt: &Stmt, buffer: &Buffer) -> Option<Stmt> {
    let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
    if !block.alloc_buffers.contains(buffer) {
        return None;
    }
    let mut block = block.clone();
    block.alloc_buffers.retain(|own| own != buffer);
    Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
}

/// The name of the block that has the memory of an iteration.
const OF_ROW: &str = "row";

/// The loop with the memory in a block of each iteration.
fn with_memory(stmt: &Stmt, made: &Buffer) -> Result<Stmt, Fault> {
    let (Some(l), Some(body)) = (loop_of(stmt), below(stmt).first().map(|body| (*body).clone())) else {
        return Err(Fault::of_call("expected a loop"));
    };
    if let StmtKind::Block { values, predicate, block } = &body.kind
        && &*block.name == OF_ROW
        && values.is_empty()
    {
        let mut block = block.clone();
        block.alloc_buffers.push(made.clone());
        let inner = StmtKind::Block { values: Vec::new(), predicate: predicate.clone(), block };
        return Ok(around(l, inner.into()));
    }
    Ok(around(l, task_block(OF_ROW, &[], Vec::new(), vec![made.clone()], body)))
}

/// The blocks with axes at or below a site.
fn inner_blocks(site: &Site, found: &mut Vec<Site>) {
    if site.block().is_some_and(|block| !block.iters.is_empty()) {
        found.push(site.clone());
        return;
    }
    for at in 0..below(&site.stmt).len() {
        if let Some(child) = site.child(at) {
            inner_blocks(&child, found);
        }
    }
}

/// Where elements are in the memory: the dimensions that name a row become one, its number in the block of threads.
struct Places {
    of_row: Vec<bool>,
    shape: Vec<Expr>,
    rows: i64,
}

/// The number of the row of an iteration: several rows of a block of threads are those of a loop around.
fn row_number(row: &Site, rows: i64) -> Result<Expr, Fault> {
    let wide = |l: &Loop| typed(Expr::var(&l.var).cast(DataType::I64));
    let own = loop_of(&row.stmt).ok_or_else(|| Fault::at(row, "expected a loop"))?;
    match (rows, row.above.iter().rev().find_map(|(stmt, _)| loop_of(stmt))) {
        (1, _) => wide(&own),
        (_, Some(blocks)) if own.extent.as_int() == Some(rows) => Ok(&(&wide(&blocks)? * rows) + &wide(&own)?),
        _ => Err(Fault::at(row, format!("expected a loop over {rows} rows inside of another one"))),
    }
}

impl Places {
    fn of(function: &PrimFunc, site: &Site, row: &Site, buffer: &Buffer, rows: i64) -> Result<Self, Fault> {
        let block = site.expect_block()?;
        let (values, _) = site.expect_binding()?;
        let l = loop_of(&row.stmt).ok_or_else(|| Fault::at(row, "expected a loop"))?;
        let written = block.writes.iter().find(|region| region.buffer == *buffer);
        let written = written.ok_or_else(|| Fault::at(site, "the block does not write the temporary"))?;
        let values = axis_values(block, values);
        let is_of_row = |(range, extent): (&Range, &Expr)| {
            mentions_var(&substituted(&range.min, &values), &l.var) || extent.as_int() == Some(1)
        };
        let of_row = written.region.iter().zip(&buffer.shape).map(is_of_row).collect();
        let places = Self { of_row, shape: buffer.shape.clone(), rows };
        if places.kept().any(|extent| extent.as_int().is_none()) {
            return Err(Fault::at(site, format!("rows of `{}` have no constant length", buffer.name)));
        }
        let number = row_number(row, rows)?;
        let mut blocks = Vec::new();
        inner_blocks(row, &mut blocks);
        blocks.iter().try_for_each(|block| places.check(function, block, buffer, &number))?;
        Ok(places)
    }

    /// Refuses a block that uses elements of another row than the loop's own. Where none does, each row is used in its
    /// own iteration alone, so that what another one left in the memory is never read.
    fn check(&self, function: &PrimFunc, site: &Site, buffer: &Buffer, number: &Expr) -> Result<(), Fault> {
        let (block, (values, _)) = (site.expect_block()?, site.expect_binding()?);
        let known = known_inside(function, site);
        let values = axis_values(block, values);
        for region in block.reads.iter().chain(&block.writes).filter(|region| region.buffer == *buffer) {
            let mins: Vec<Expr> = region.region.iter().map(|range| substituted(&range.min, &values)).collect();
            let wide =
                region.region.iter().zip(&self.of_row).any(|(r, of_row)| *of_row && r.extent.as_int() != Some(1));
            if wide || !known.prove_equal(&self.number(&mins)?, number) {
                let message = format!("block `{}` uses other rows of `{}` than the loop's", block.name, buffer.name);
                return Err(Fault::at(site, message));
            }
        }
        Ok(())
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
        let mut number: Option<Expr> = None;
        let wide = |e: &Expr| typed(e.cast(DataType::I64));
        for ((index, extent), _) in indices.iter().zip(&self.shape).zip(&self.of_row).filter(|(_, of_row)| **of_row) {
            number = Some(match number {
                None => wide(index)?,
                Some(outer) => binary(BinOp::Add, &binary(BinOp::Mul, &outer, &wide(extent)?)?, &wide(index)?)?,
            });
        }
        Ok(number.unwrap_or_else(|| Expr::i64(0)))
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
