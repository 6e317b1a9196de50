//! Tasks of one query, as in decoding: the head dimensions of keys and values are the lanes of vectors.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Stmt, Var};

use super::cx::{Flash, KeyBlock, exp, shift, weight};
use crate::build::exprs::{binary, compare, greater, typed};
use crate::build::loops::{load, store};
use crate::fault::Fault;

/// The temporaries of a task.
struct Memory {
    query: Buffer,
    /// Products, then scores, then weights of a block of keys.
    scores: Buffer,
    /// The weighted sum of values so far, and that of a block.
    weighted: Buffer,
    block: Buffer,
    /// Scalars of the online softmax: see `query_lanes`.
    max: Buffer,
    weight_sum: Buffer,
    rescale: Buffer,
    shift: Buffer,
    /// A vector, and its halves down to one element.
    halves: Vec<Buffer>,
}

struct Task<'a> {
    p: &'a Flash<'a>,
    memory: &'a Memory,
    batch: &'a [(Var, Expr)],
    query: Expr,
}

impl Flash<'_> {
    /// The parallel loop over queries.
    pub(super) fn single_query(&self) -> Result<Stmt, Fault> {
        let scalar = |name: &str| self.memory(name, &[1]);
        let steps = self.tiling.lanes.trailing_zeros();
        let memory = Memory {
            query: self.memory("query", &[self.head_dim]),
            scores: self.memory("scores", &[self.tiling.key_block]),
            weighted: self.registers("weighted", &[self.value_dim]),
            block: self.registers("weighted_block", &[self.value_dim]),
            max: scalar("max"),
            weight_sum: scalar("weight_sum"),
            rescale: scalar("rescale"),
            shift: scalar("shift"),
            halves: (0..=steps).map(|step| self.registers("half", &[self.tiling.lanes >> step])).collect(),
        };
        let Memory { query, scores, weighted, block, max, weight_sum, rescale, shift, halves } = &memory;
        let mut buffers: Vec<Buffer> =
            [query, scores, weighted, block, max, weight_sum, rescale, shift].map(Buffer::clone).to_vec();
        buffers.extend(halves.iter().cloned());
        self.tasks(&self.a.query.extent, &buffers, |batch, number| {
            let task = Task { p: self, memory: &memory, batch, query: number.clone() };
            let blocks = self.key_blocks(&self.a.key.extent, |keys| task.block(keys))?;
            Ok(Stmt::seq([task.init()?, blocks, task.write()?]))
        })
    }
}

impl Task<'_> {
    fn scalar(&self, of: &Buffer) -> Result<Expr, Fault> {
        load(of, &[&self.p.int(0)])
    }

    fn set(&self, of: &Buffer, value: &Expr) -> Result<Stmt, Fault> {
        store(of, &[&self.p.int(0)], value)
    }

    fn init(&self) -> Result<Stmt, Fault> {
        let (p, a, memory) = (self.p, self.p.a, self.memory);
        let query = p.elements("d", p.head_dim, |d| {
            let value = p.at(&a.q, &[(&a.query.var, &self.query), (&a.head_dim.var, d)], self.batch);
            store(&memory.query, &[d], &value)
        })?;
        let max = self.set(&memory.max, &p.float(f64::NEG_INFINITY))?;
        let weight_sum = self.set(&memory.weight_sum, &p.float(0.0))?;
        let weighted = p.elements("w", p.value_dim, |w| store(&memory.weighted, &[w], &p.float(0.0)))?;
        Ok(Stmt::seq([query, max, weight_sum, weighted]))
    }

    fn block(&self, keys: &KeyBlock) -> Result<Stmt, Fault> {
        let vectors = self.p.ceil_div(&keys.count, self.p.tiling.lanes)?;
        Ok(Stmt::seq([self.products(keys, &vectors)?, self.weights(keys, &vectors)?, self.weighted(keys)?]))
    }

    /// The horizontal reduction of the first vector of `halves`.
    fn fold(&self, op: BinOp) -> Result<Vec<Stmt>, Fault> {
        let mut stmts = Vec::new();
        for pair in self.memory.halves.windows(2) {
            let [from, to] = pair else { continue };
            let half = to.shape.first().and_then(Expr::as_int).unwrap_or(1);
            stmts.push(self.p.vector("c", half, |c| {
                let both = binary(op, &load(from, &[c])?, &load(from, &[&(c + half)])?)?;
                store(to, &[c], &both)
            })?);
        }
        Ok(stmts)
    }

    /// The vector and the scalar of a horizontal reduction.
    fn accumulators(&self) -> (&Buffer, &Buffer) {
        let halves = &self.memory.halves;
        (halves.first().unwrap_or(&self.memory.query), halves.last().unwrap_or(&self.memory.query))
    }

    /// The products with the keys of the block; those of the last vector that are of no key are of the last one.
    fn products(&self, keys: &KeyBlock, vectors: &Expr) -> Result<Stmt, Fault> {
        let (p, a, memory) = (self.p, self.p.a, self.memory);
        let (lanes, dim, (sums, sum)) = (p.tiling.lanes, p.head_dim, self.accumulators());
        p.serial("j", &(vectors * lanes), |j| {
            let key = p.key(keys, j)?;
            let term = |d: &Expr| {
                let key = p.at(&a.k, &[(&a.key.var, &key), (&a.head_dim.var, d)], self.batch);
                binary(BinOp::Mul, &load(&memory.query, &[d])?, &key)
            };
            let mut stmts = vec![p.vector("c", lanes, |c| store(sums, &[c], &p.float(0.0)))?];
            if dim >= lanes {
                stmts.push(p.unrolled("d", dim / lanes, |v| {
                    p.vector("c", lanes, |c| {
                        store(sums, &[c], &binary(BinOp::Add, &load(sums, &[c])?, &term(&(&(v * lanes) + c))?)?)
                    })
                })?);
            }
            stmts.extend(self.fold(BinOp::Add)?);
            let tail = dim % lanes;
            if tail != 0 {
                stmts.push(p.unrolled("d", tail, |d| {
                    let d = &p.int(dim - tail) + d;
                    self.set(sum, &binary(BinOp::Add, &self.scalar(sum)?, &term(&d)?)?)
                })?);
            }
            stmts.push(store(&memory.scores, &[j], &self.scalar(sum)?)?);
            Ok(Stmt::seq(stmts))
        })
    }

    /// Products become weights; the maximum and the sum take in the block.
    fn weights(&self, keys: &KeyBlock, vectors: &Expr) -> Result<Stmt, Fault> {
        let (p, a, memory) = (self.p, self.p.a, self.memory);
        let (lanes, (vector, one)) = (p.tiling.lanes, self.accumulators());
        let each = |body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>| {
            p.serial("v", vectors, |v| p.vector("c", lanes, |c| body(&(&(v * lanes) + c), c)))
        };
        let scores = each(&|j, c| {
            let (product, key) = (load(&memory.scores, &[j])?, p.key(keys, j)?);
            let indices = [(&a.product, &product), (&a.query.var, &self.query), (&a.key.var, &key)];
            let score = p.at(&a.scores, &indices, self.batch);
            let inside = compare(CmpOp::Lt, j, &keys.count)?;
            let score = typed(Expr::select(&inside, &score, &p.float(f64::NEG_INFINITY)))?;
            let set = store(&memory.scores, &[j], &score)?;
            let max = store(vector, &[c], &greater(&load(vector, &[c])?, &load(&memory.scores, &[j])?)?)?;
            Ok(Stmt::seq([set, max]))
        })?;
        let lowest = p.vector("c", lanes, |c| store(vector, &[c], &p.float(f64::NEG_INFINITY)))?;
        let mut stmts = vec![lowest, scores];
        stmts.extend(self.fold(BinOp::Max)?);
        stmts.push(self.set(one, &greater(&self.scalar(one)?, &self.scalar(&memory.max)?)?)?);
        stmts.push(self.set(&memory.shift, &shift(&self.scalar(one)?)?)?);
        let distance = binary(BinOp::Sub, &self.scalar(&memory.max)?, &self.scalar(&memory.shift)?)?;
        stmts.push(self.set(&memory.rescale, &exp(&distance)?)?);
        stmts.push(self.set(&memory.max, &self.scalar(one)?)?);
        stmts.push(p.vector("c", lanes, |c| store(vector, &[c], &p.float(0.0)))?);
        stmts.push(each(&|j, c| {
            let distance = binary(BinOp::Sub, &load(&memory.scores, &[j])?, &self.scalar(&memory.shift)?)?;
            let set = store(&memory.scores, &[j], &weight(&distance)?)?;
            let sum = store(vector, &[c], &binary(BinOp::Add, &load(vector, &[c])?, &load(&memory.scores, &[j])?)?)?;
            Ok(Stmt::seq([set, sum]))
        })?);
        stmts.extend(self.fold(BinOp::Add)?);
        let rescaled = binary(BinOp::Mul, &self.scalar(&memory.weight_sum)?, &self.scalar(&memory.rescale)?)?;
        stmts.push(self.set(&memory.weight_sum, &binary(BinOp::Add, &rescaled, &self.scalar(one)?)?)?);
        Ok(Stmt::seq(stmts))
    }

    /// The weighted values of the block, added to the rescaled sum of those before.
    fn weighted(&self, keys: &KeyBlock) -> Result<Stmt, Fault> {
        let (p, a, memory) = (self.p, self.p.a, self.memory);
        let init = p.elements("w", p.value_dim, |w| store(&memory.block, &[w], &p.float(0.0)))?;
        let sum = p.serial("j", &keys.count, |j| {
            p.elements("w", p.value_dim, |w| {
                let value = p.at(&a.v, &[(&a.key.var, &(&keys.start + j)), (&a.value_dim.var, w)], self.batch);
                let term = binary(BinOp::Mul, &load(&memory.scores, &[j])?, &value)?;
                store(&memory.block, &[w], &binary(BinOp::Add, &load(&memory.block, &[w])?, &term)?)
            })
        })?;
        let kept = p.elements("w", p.value_dim, |w| {
            let before = binary(BinOp::Mul, &load(&memory.weighted, &[w])?, &self.scalar(&memory.rescale)?)?;
            store(&memory.weighted, &[w], &binary(BinOp::Add, &before, &load(&memory.block, &[w])?)?)
        })?;
        Ok(Stmt::seq([init, sum, kept]))
    }

    fn write(&self) -> Result<Stmt, Fault> {
        let (p, a) = (self.p, self.p.a);
        p.elements("w", p.value_dim, |w| {
            let (weighted, weight_sum) = (load(&self.memory.weighted, &[w])?, self.scalar(&self.memory.weight_sum)?);
            let indices = [
                (&a.weighted, &weighted),
                (&a.weight_sum, &weight_sum),
                (&a.query.var, &self.query),
                (&a.value_dim.var, w),
            ];
            let at: Vec<Expr> = a.indices.iter().map(|index| p.at(index, &indices, self.batch)).collect();
            store(&a.out, &at.iter().collect::<Vec<_>>(), &p.at(&a.result, &indices, self.batch))
        })
    }
}
