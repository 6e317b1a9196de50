//! Tasks of one query: the depth of a key and the width of a value are lanes of vectors.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Stmt, Var};

use super::reference;
use super::task::{Keys, Maker, exp, weight};
use crate::facts::exprs::{binary, compare, greater, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{load, store};

/// The memory of a task.
struct Memory {
    query: Buffer,
    /// Products, then scores, then weights of a block of keys.
    scores: Buffer,
    mixed: Buffer,
    /// The values of a block, weighed.
    block: Buffer,
    /// Numbers: the maximum, the sum of weights, the correction, what exponents are taken from.
    best: Buffer,
    total: Buffer,
    correction: Buffer,
    reference: Buffer,
    /// A vector, and its halves down to one element.
    halves: Vec<Buffer>,
}

struct Task<'a> {
    m: &'a Maker<'a>,
    memory: &'a Memory,
    batch: &'a [(Var, Expr)],
    query: Expr,
}

impl Maker<'_> {
    /// The parallel loop over queries.
    pub(super) fn single(&self) -> Result<Stmt, Fault> {
        let extents = [&self.a.depth.extent, &self.a.width.extent].map(Expr::as_int);
        let [Some(depth), Some(width)] = extents else {
            return Err(Fault::of_call("the depth or the width is not constant"));
        };
        let number = |name: &str| self.memory(name, &[1]);
        let steps = self.tiling.lanes.trailing_zeros();
        let memory = Memory {
            query: self.memory("query", &[depth]),
            scores: self.memory("scores", &[self.tiling.keys]),
            mixed: self.registers("mixed", &[width]),
            block: self.registers("block", &[width]),
            best: number("best"),
            total: number("total"),
            correction: number("correction"),
            reference: number("reference"),
            halves: (0..=steps).map(|step| self.registers("half", &[self.tiling.lanes >> step])).collect(),
        };
        let Memory { query, scores, mixed, block, best, total, correction, reference, halves } = &memory;
        let mut buffers: Vec<Buffer> =
            [query, scores, mixed, block, best, total, correction, reference].map(Buffer::clone).to_vec();
        buffers.extend(halves.iter().cloned());
        self.tasks(&self.a.query.extent, &buffers, |batch, number| {
            let task = Task { m: self, memory: &memory, batch, query: number.clone() };
            let blocks = self.key_blocks(&self.a.key.extent, |keys| task.block(keys, depth, width))?;
            Ok(Stmt::seq([task.start(depth, width)?, blocks, task.write(width)?]))
        })
    }
}

impl Task<'_> {
    fn zero(&self) -> Expr {
        self.m.int(0)
    }

    fn number(&self, of: &Buffer) -> Result<Expr, Fault> {
        load(of, &[&self.zero()])
    }

    fn set(&self, of: &Buffer, value: &Expr) -> Result<Stmt, Fault> {
        store(of, &[&self.zero()], value)
    }

    fn start(&self, depth: i64, width: i64) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let query = m.elements("d", depth, |d| {
            let value = m.at(&a.of_query, &[(&a.query.var, &self.query), (&a.depth.var, d)], self.batch);
            store(&memory.query, &[d], &value)
        })?;
        let best = self.set(&memory.best, &m.float(f64::NEG_INFINITY))?;
        let total = self.set(&memory.total, &m.float(0.0))?;
        let mixed = m.elements("w", width, |w| store(&memory.mixed, &[w], &m.float(0.0)))?;
        Ok(Stmt::seq([query, best, total, mixed]))
    }

    fn block(&self, keys: &Keys, depth: i64, width: i64) -> Result<Stmt, Fault> {
        let vectors = self.m.ceil_div(&keys.count, self.m.tiling.lanes)?;
        Ok(Stmt::seq([self.products(keys, &vectors, depth)?, self.weights(keys, &vectors)?, self.mixed(keys, width)?]))
    }

    /// The first vector of `halves` folded to one element.
    fn fold(&self, op: BinOp) -> Result<Vec<Stmt>, Fault> {
        let mut stmts = Vec::new();
        for pair in self.memory.halves.windows(2) {
            let [from, to] = pair else { continue };
            let half = to.shape.first().and_then(Expr::as_int).unwrap_or(1);
            stmts.push(self.m.vectorized("c", half, |c| {
                let both = binary(op, &load(from, &[c])?, &load(from, &[&(c + half)])?)?;
                store(to, &[c], &both)
            })?);
        }
        Ok(stmts)
    }

    fn whole(&self) -> (&Buffer, &Buffer) {
        let halves = &self.memory.halves;
        (halves.first().unwrap_or(&self.memory.query), halves.last().unwrap_or(&self.memory.query))
    }

    /// The products with the keys of the block; those of the last vector that are of no key are of the last one.
    fn products(&self, keys: &Keys, vectors: &Expr, depth: i64) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let (lanes, (sums, sum)) = (m.tiling.lanes, self.whole());
        m.serial("j", &(vectors * lanes), |j| {
            let key = m.key(keys, j)?;
            let term = |d: &Expr| {
                let key = m.at(&a.of_key, &[(&a.key.var, &key), (&a.depth.var, d)], self.batch);
                binary(BinOp::Mul, &load(&memory.query, &[d])?, &key)
            };
            let mut stmts = vec![m.vectorized("c", lanes, |c| store(sums, &[c], &m.float(0.0)))?];
            if depth >= lanes {
                stmts.push(m.unrolled("d", depth / lanes, |v| {
                    m.vectorized("c", lanes, |c| {
                        store(sums, &[c], &binary(BinOp::Add, &load(sums, &[c])?, &term(&(&(v * lanes) + c))?)?)
                    })
                })?);
            }
            stmts.extend(self.fold(BinOp::Add)?);
            let rest = depth % lanes;
            if rest != 0 {
                stmts.push(m.unrolled("d", rest, |d| {
                    let d = &m.int(depth - rest) + d;
                    self.set(sum, &binary(BinOp::Add, &self.number(sum)?, &term(&d)?)?)
                })?);
            }
            stmts.push(store(&memory.scores, &[j], &self.number(sum)?)?);
            Ok(Stmt::seq(stmts))
        })
    }

    /// Products become weights; the maximum and the sum take in the block.
    fn weights(&self, keys: &Keys, vectors: &Expr) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let (lanes, (vector, one)) = (m.tiling.lanes, self.whole());
        let each = |body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>| {
            m.serial("v", vectors, |v| m.vectorized("c", lanes, |c| body(&(&(v * lanes) + c), c)))
        };
        let scores = each(&|j, c| {
            let (product, key) = (load(&memory.scores, &[j])?, m.key(keys, j)?);
            let places = [(&a.product, &product), (&a.query.var, &self.query), (&a.key.var, &key)];
            let score = m.at(&a.scores, &places, self.batch);
            let inside = compare(CmpOp::Lt, j, &keys.count)?;
            let score = typed(Expr::select(&inside, &score, &m.float(f64::NEG_INFINITY)))?;
            let set = store(&memory.scores, &[j], &score)?;
            let best = store(vector, &[c], &greater(&load(vector, &[c])?, &load(&memory.scores, &[j])?)?)?;
            Ok(Stmt::seq([set, best]))
        })?;
        let lowest = m.vectorized("c", lanes, |c| store(vector, &[c], &m.float(f64::NEG_INFINITY)))?;
        let mut stmts = vec![lowest, scores];
        stmts.extend(self.fold(BinOp::Max)?);
        stmts.push(self.set(one, &greater(&self.number(one)?, &self.number(&memory.best)?)?)?);
        stmts.push(self.set(&memory.reference, &reference(&self.number(one)?)?)?);
        let distance = binary(BinOp::Sub, &self.number(&memory.best)?, &self.number(&memory.reference)?)?;
        stmts.push(self.set(&memory.correction, &exp(&distance)?)?);
        stmts.push(self.set(&memory.best, &self.number(one)?)?);
        stmts.push(m.vectorized("c", lanes, |c| store(vector, &[c], &m.float(0.0)))?);
        stmts.push(each(&|j, c| {
            let distance = binary(BinOp::Sub, &load(&memory.scores, &[j])?, &self.number(&memory.reference)?)?;
            let set = store(&memory.scores, &[j], &weight(&distance)?)?;
            let sum = store(vector, &[c], &binary(BinOp::Add, &load(vector, &[c])?, &load(&memory.scores, &[j])?)?)?;
            Ok(Stmt::seq([set, sum]))
        })?);
        stmts.extend(self.fold(BinOp::Add)?);
        let corrected = binary(BinOp::Mul, &self.number(&memory.total)?, &self.number(&memory.correction)?)?;
        stmts.push(self.set(&memory.total, &binary(BinOp::Add, &corrected, &self.number(one)?)?)?);
        Ok(Stmt::seq(stmts))
    }

    /// The values, weighed and added to what was seen before.
    fn mixed(&self, keys: &Keys, width: i64) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let start = m.elements("w", width, |w| store(&memory.block, &[w], &m.float(0.0)))?;
        let sum = m.serial("j", &keys.count, |j| {
            m.elements("w", width, |w| {
                let key = &keys.first + j;
                let value = m.at(&a.of_value, &[(&a.key.var, &key), (&a.width.var, w)], self.batch);
                let term = binary(BinOp::Mul, &load(&memory.scores, &[j])?, &value)?;
                store(&memory.block, &[w], &binary(BinOp::Add, &load(&memory.block, &[w])?, &term)?)
            })
        })?;
        let keep = m.elements("w", width, |w| {
            let before = binary(BinOp::Mul, &load(&memory.mixed, &[w])?, &self.number(&memory.correction)?)?;
            store(&memory.mixed, &[w], &binary(BinOp::Add, &before, &load(&memory.block, &[w])?)?)
        })?;
        Ok(Stmt::seq([start, sum, keep]))
    }

    fn write(&self, width: i64) -> Result<Stmt, Fault> {
        let (m, a) = (self.m, self.m.a);
        m.elements("w", width, |w| {
            let (mixed, total) = (load(&self.memory.mixed, &[w])?, self.number(&self.memory.total)?);
            let places = [(&a.mixed, &mixed), (&a.total, &total), (&a.query.var, &self.query), (&a.width.var, w)];
            let indices: Vec<Expr> = a.indices.iter().map(|index| m.at(index, &places, self.batch)).collect();
            store(&a.out, &indices.iter().collect::<Vec<_>>(), &m.at(&a.result, &places, self.batch))
        })
    }
}
