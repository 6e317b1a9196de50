//! Tasks of many queries, which are the lanes of vectors.
//!
//! The sums of a block begin with zero, so that they do not grow with the number of keys before errors of rounding are
//! added up.
//!
//! A tail of queries that does not fill a task's vectors has tasks of fewer vectors: where their number is constant one
//! task, and one more where at most half of a vector is left, whose queries have several lanes each
//! (`lanes_per_query`); else as many of one vector as there are.

mod block;
mod causal;
mod load;
mod store;
mod task;

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Stmt, StmtKind, Var};

use super::cx::{Flash, KeyBlock, Tiling};
use crate::build::exprs::compare;
use crate::fault::Fault;
use task::{Queries, Task, TaskKind};

impl Flash<'_> {
    /// The parallel loop over blocks of queries.
    pub(super) fn query_lanes(&self) -> Result<Stmt, Fault> {
        let bound = self.a.causal_bound(&self.known);
        let masked_columns = bound.as_ref().map(|_| self.masked_columns());
        let kinds = self.task_kinds(masked_columns.as_ref())?;
        let mut buffers: Vec<Buffer> = kinds.iter().flat_map(TaskKind::buffers).collect();
        buffers.extend(masked_columns);
        let count = kinds.iter().fold(self.int(0), |count, kind| &count + &kind.queries.tasks);
        self.tasks(&self.simple(&count), &buffers, |batch, number| {
            self.one_of(&kinds, number, &|kind, number| self.task(kind, number, batch, bound.as_ref()))
        })
    }

    /// The task of that number: of the first kind, unless that has fewer.
    fn one_of(
        &self,
        kinds: &[TaskKind],
        number: &Expr,
        body: &dyn Fn(&TaskKind, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        match kinds {
            [] => Err(Fault::of_call("there are no queries")),
            [one] => body(one, number),
            [first, others @ ..] => {
                let condition = compare(CmpOp::Lt, number, &first.queries.tasks)?;
                let rest = self.simple(&(number - &first.queries.tasks));
                let (then, otherwise) = (body(first, number)?, self.one_of(others, &rest, body)?);
                Ok(StmtKind::If { condition, then, otherwise: Some(otherwise) }.into())
            }
        }
    }

    /// The sizes of tasks: those of all vectors, and those of the tail of queries.
    fn task_kinds(&self, masked_columns: Option<&Buffer>) -> Result<Vec<TaskKind>, Fault> {
        let (all, tiling, zero) = (&self.a.query.extent, self.tiling, self.int(0));
        let kind = |tiling: Tiling, queries: Queries| self.task_kind(tiling, queries, masked_columns);
        let whole = self.floor_div(all, tiling.queries())?;
        let done = self.simple(&(&whole * tiling.queries()));
        let left = self.simple(&(all - &done));
        if left.as_int() == Some(0) {
            return Ok(vec![kind(tiling, Queries { tasks: whole, first: zero, is_full: true })]);
        }
        let tail = self.tail_tilings(left.as_int());
        if let [(tail, _)] = tail.as_slice()
            && (tail.vectors, tail.lanes_per_query) == (tiling.vectors, tiling.lanes_per_query)
        {
            let tasks = self.ceil_div(all, tiling.queries())?;
            return Ok(vec![kind(tiling, Queries { tasks, first: zero, is_full: false })]);
        }
        let mut kinds = Vec::new();
        if whole.as_int() != Some(0) {
            kinds.push(kind(tiling, Queries { tasks: whole, first: zero, is_full: true }));
        }
        let mut first = done;
        for (tiling, own) in tail {
            let own = own.map_or_else(|| left.clone(), |own| self.int(own));
            let is_full = own.as_int().is_some_and(|own| own % tiling.queries() == 0);
            let queries = Queries { tasks: self.ceil_div(&own, tiling.queries())?, first: first.clone(), is_full };
            kinds.push(kind(tiling, queries));
            first = self.simple(&(&first + &own));
        }
        Ok(kinds)
    }

    /// The tilings of the tail of queries, fewer than a task has, and the queries of each; `None` is all of an unknown
    /// number.
    fn tail_tilings(&self, left: Option<i64>) -> Vec<(Tiling, Option<i64>)> {
        let (tiling, lanes) = (self.tiling, self.tiling.lanes);
        let Some(left) = left else { return vec![(tiling.with_vectors(1), None)] };
        let (vectors, tail) = (left / lanes, left % lanes);
        let lanes_per_query = self.lanes_per_query(tail);
        if tail == 0 || lanes_per_query == 1 {
            return vec![(tiling.with_vectors((left + lanes - 1) / lanes), Some(left))];
        }
        let whole = (vectors > 0).then(|| (tiling.with_vectors(vectors), Some(vectors * lanes)));
        whole.into_iter().chain([(tiling.with_lanes_per_query(lanes_per_query), Some(tail))]).collect()
    }

    /// The task of that number among those of a kind.
    fn task(&self, kind: &TaskKind, number: &Expr, batch: &[(Var, Expr)], bound: Option<&Expr>) -> Result<Stmt, Fault> {
        let first = self.simple(&(&kind.queries.first + &(number * kind.tiling.queries())));
        let mut task = Task { p: self, kind, batch, first, key_end: self.a.key.extent.clone() };
        let key_end = bound.map(|bound| task.causal_end(bound)).transpose()?;
        let var = self.var("key_end");
        if key_end.is_some() {
            task.key_end = Expr::var(&var);
        }
        let block = |keys: &KeyBlock| task.block(keys);
        let blocks = match task.key_end.as_int() {
            Some(end) => self.constant_key_blocks(end, block)?,
            None => self.key_blocks(&task.key_end, block)?,
        };
        let body = Stmt::seq([task.init()?, blocks, task.write()?]);
        Ok(key_end.into_iter().fold(body, |body, value| StmtKind::Let { var: var.clone(), value, body }.into()))
    }
}

impl Task<'_> {
    /// The end of the keys that the last of the task's queries sees.
    fn causal_end(&self, bound: &Expr) -> Result<Expr, Fault> {
        let (p, a) = (self.p, self.p.a);
        let last = self.clamped(&p.int(self.kind.tiling.queries() - 1))?;
        let end = p.at(bound, &[(&a.query.var, &last)], self.batch);
        p.binary(BinOp::Max, &p.min(&end, &a.key.extent)?, &p.int(0))
    }
}
