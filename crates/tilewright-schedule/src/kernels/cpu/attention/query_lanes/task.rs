//! A task of queries as lanes: its temporaries, its queries and the elements that it reads.

use tilewright_ir::tir::{BinOp, Buffer, Expr, Stmt, Var};

use crate::analysis::axes::Axis;
use crate::build::exprs::binary;
use crate::build::loops::load;
use crate::fault::Fault;
use crate::kernels::cpu::attention::cx::{Flash, KeyBlock, Tiling, is_load};
use crate::units::ceil_div;

/// The temporaries of a task; the last axis of each of the first ones is the queries.
pub(super) struct Memory {
    /// One row for each head dimension.
    pub(super) queries: Buffer,
    /// One row for each key: products, then scores, then weights.
    pub(super) scores: Buffer,
    /// The weighted sums of values, one row for each of their columns.
    pub(super) weighted: Buffer,
    /// The maximum of the scores so far.
    pub(super) max: Buffer,
    /// The sum of the weights so far.
    pub(super) weight_sum: Buffer,
    /// The factor by which sums so far are multiplied after the maximum has grown.
    pub(super) rescale: Buffer,
    /// What is subtracted from scores before they are exponents.
    pub(super) shift: Buffer,
    /// One row for each query of a vector: results, and queries that are computed before.
    pub(super) rows: Buffer,
    /// Copies of a block of keys and values, where these are computed, or strided.
    pub(super) keys: Option<Buffer>,
    pub(super) values: Option<Buffer>,
    /// Where there is a causal bound: what the values of keys beyond it add to each column, and registers for some
    /// columns, which all kinds of task share.
    pub(super) masked_values: Option<Buffer>,
    pub(super) masked_columns: Option<Buffer>,
    /// A block of each mask, one row for each key, and rows of a mask before they are transposed.
    pub(super) masks: Vec<Buffer>,
    pub(super) mask_rows: Option<Buffer>,
    /// Register tiles: of columns of the values, of scores, and of sums.
    pub(super) weighted_tile: Buffer,
    pub(super) score_tile: Buffer,
    pub(super) sums: Buffer,
}

/// The queries of the tasks of a kind.
pub(super) struct Queries {
    /// The number of tasks for one index of the batch.
    pub(super) tasks: Expr,
    /// The first query of the first one.
    pub(super) first: Expr,
    /// Whether every lane is a query that exists.
    pub(super) is_full: bool,
}

/// Tasks of one size.
pub(super) struct TaskKind {
    pub(super) tiling: Tiling,
    pub(super) queries: Queries,
    pub(super) memory: Memory,
}

pub(super) struct Task<'a> {
    pub(super) p: &'a Flash<'a>,
    pub(super) kind: &'a TaskKind,
    pub(super) batch: &'a [(Var, Expr)],
    /// The first query.
    pub(super) first: Expr,
    /// The end of the keys that the task's queries see.
    pub(super) key_end: Expr,
}

/// Keys or values, and the copy of a block of them.
pub(super) struct Operand<'a> {
    pub(super) of: &'a Expr,
    /// The axis of the head dimension.
    pub(super) axis: &'a Axis,
    pub(super) copy: Option<&'a Buffer>,
}

impl Flash<'_> {
    pub(super) fn task_kind(&self, tiling: Tiling, queries: Queries, masked_columns: Option<&Buffer>) -> TaskKind {
        let (lanes, lanes_per_query) = (tiling.lanes * tiling.vectors, tiling.lanes_per_query);
        let (head_dim, value_dim, key_block) = (self.head_dim, self.value_dim, tiling.key_block);
        let copy = |name: &str, of: &Expr, copied: bool, along: &Axis, columns: i64| {
            let in_place = if lanes_per_query == 1 { is_load(of) } else { self.is_contiguous(of, along) };
            (copied || !in_place).then(|| self.memory(name, &[key_block, columns]))
        };
        let masks = self.masked().masks;
        let masks = masks.iter().map(|(var, _)| self.memory(&var.name, &[key_block, lanes])).collect::<Vec<_>>();
        let columns = if self.computes_queries() { value_dim.max(head_dim) } else { value_dim };
        let memory = Memory {
            queries: self.memory("queries", &[head_dim / lanes_per_query, lanes]),
            scores: self.memory("scores", &[key_block, lanes]),
            weighted: self.memory("weighted", &[value_dim / lanes_per_query, lanes]),
            max: self.memory("max", &[lanes]),
            weight_sum: self.memory("weight_sum", &[lanes]),
            rescale: self.memory("rescale", &[lanes]),
            shift: self.memory("shift", &[lanes]),
            rows: self.memory("rows", &[tiling.lanes, ceil_div(columns, tiling.lanes) * tiling.lanes]),
            keys: copy("keys", &self.a.k, tiling.copy_keys, &self.a.head_dim, head_dim),
            values: copy("values", &self.a.v, tiling.copy_values, &self.a.value_dim, value_dim),
            masked_values: masked_columns.map(|_| self.memory("masked_values", &[value_dim])),
            masked_columns: masked_columns.cloned(),
            mask_rows: (!masks.is_empty()).then(|| self.memory("mask_rows", &[tiling.lanes, key_block])),
            masks,
            weighted_tile: self.registers("weighted_tile", &[tiling.rows, lanes]),
            score_tile: self.registers("score_tile", &[tiling.rows, lanes]),
            sums: self.registers("sums", &[lanes]),
        };
        TaskKind { tiling, queries, memory }
    }
}

impl TaskKind {
    /// The temporaries of a task but for those that all kinds share.
    pub(super) fn buffers(&self) -> Vec<Buffer> {
        let m = &self.memory;
        let always = [&m.queries, &m.scores, &m.weighted, &m.max, &m.weight_sum, &m.rescale, &m.shift, &m.rows];
        let copies = m.keys.iter().chain(&m.values).chain(&m.masked_values).chain(&m.masks).chain(&m.mask_rows);
        always.into_iter().chain(copies).chain([&m.weighted_tile, &m.score_tile, &m.sums]).cloned().collect()
    }
}

impl Task<'_> {
    /// The query of a lane.
    pub(super) fn query(&self, lane: &Expr) -> Result<Expr, Fault> {
        match self.kind.tiling.lanes_per_query {
            1 => self.clamped(lane),
            lanes => self.clamped(&binary(BinOp::FloorDiv, lane, &self.p.int(lanes))?),
        }
    }

    /// The task's query of a number, clamped to the queries that exist.
    pub(super) fn clamped(&self, number: &Expr) -> Result<Expr, Fault> {
        let (query, all) = (&self.first + number, &self.p.a.query.extent);
        if self.kind.queries.is_full { Ok(query) } else { binary(BinOp::Min, &query, &(all - 1)) }
    }

    /// An element of a query.
    pub(super) fn q(&self, query: &Expr, d: &Expr) -> Expr {
        let a = self.p.a;
        self.p.at(&a.q, &[(&a.query.var, query), (&a.head_dim.var, d)], self.batch)
    }

    pub(super) fn keys(&self) -> Operand<'_> {
        let a = self.p.a;
        Operand { of: &a.k, axis: &a.head_dim, copy: self.kind.memory.keys.as_ref() }
    }

    pub(super) fn values(&self) -> Operand<'_> {
        let a = self.p.a;
        Operand { of: &a.v, axis: &a.value_dim, copy: self.kind.memory.values.as_ref() }
    }

    /// An element of the key or value `j` of a block.
    pub(super) fn element(
        &self,
        operand: &Operand<'_>,
        keys: &KeyBlock,
        j: &Expr,
        column: &Expr,
    ) -> Result<Expr, Fault> {
        match operand.copy {
            Some(copy) => load(copy, &[&binary(BinOp::Min, j, &(&keys.count - 1))?, column]),
            None => {
                let indices = [(&self.p.a.key.var, &self.p.key(keys, j)?), (&operand.axis.var, column)];
                Ok(self.p.at(operand.of, &indices, self.batch))
            }
        }
    }

    /// The statement for each lane of the queries.
    pub(super) fn lanes(&self, body: impl FnOnce(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let Tiling { lanes, vectors, .. } = self.kind.tiling;
        if vectors == 1 {
            return self.p.vector("i", lanes, body);
        }
        self.p.unrolled("v", vectors, |v| self.p.vector("i", lanes, |i| body(&(&(v * lanes) + i))))
    }
}
