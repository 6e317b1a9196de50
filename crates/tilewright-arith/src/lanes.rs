//! Vectors: arithmetic of ramps and broadcasts, so that indices of vectors stay ramps.

use tilewright_expr::{BinOp, CmpOp};
use tilewright_tensor::DataType;

use crate::session::{Id, Session, Tag, is_index_type};

impl Session<'_> {
    pub(crate) fn ramp(&mut self, base: Id, stride: Id, dtype: DataType) -> Id {
        // ramp(x, 0) = broadcast(x)
        if self.node(stride).expr.as_int() == Some(0) {
            return self.make(dtype, Tag::Broadcast, vec![base]);
        }
        self.make(dtype, Tag::Ramp, vec![base, stride])
    }

    /// Lanes of vectors: those of one ramp or broadcast, in order or a single one, need no shuffle.
    pub(crate) fn shuffle(&mut self, ids: Vec<Id>, lanes: &[usize], dtype: DataType) -> Id {
        if let &[vector] = ids.as_slice() {
            let all = usize::from(self.dtype(vector).lanes);
            // shuffle([x], [0, 1, …]) = x
            if lanes.len() == all && lanes.iter().enumerate().all(|(i, &lane)| i == lane) {
                return vector;
            }
            let node = self.node(vector);
            match (&node.tag, node.ids.as_slice()) {
                // shuffle([broadcast(x)], lanes) = x in as many lanes
                (Tag::Broadcast, &[x]) if self.dtype(x).is_scalar() => {
                    return if dtype.is_scalar() { x } else { self.make(dtype, Tag::Broadcast, vec![x]) };
                }
                // shuffle([ramp(x, s)], [i]) = x + s·i
                (Tag::Ramp, &[base, stride]) if is_index_type(dtype) && node.index => {
                    let (x, s) = (self.form(base), self.form(stride));
                    let sum = lanes.first().and_then(|&i| i64::try_from(i).ok()).map(|i| x.plus(&s, i));
                    if let Some(sum) = sum.filter(|sum| !sum.overflow) {
                        return self.sum(sum, dtype);
                    }
                }
                _ => {}
            }
        }
        self.make(dtype, Tag::Shuffle(lanes.to_vec()), ids)
    }

    /// The vector as first value and step, if it is a ramp or a broadcast.
    fn steps(&mut self, id: Id) -> Option<(Id, Id)> {
        let (tag, ids) = (self.node(id).tag.clone(), self.node(id).ids.clone());
        match (tag, ids.as_slice()) {
            (Tag::Ramp, &[base, stride]) => Some((base, stride)),
            (Tag::Broadcast, &[value]) if self.dtype(value).is_scalar() => {
                let zero = self.int(0, self.dtype(value));
                Some((value, zero))
            }
            _ => None,
        }
    }

    /// `a op b` of two nodes of one scalar type.
    pub(crate) fn scalar_binary(&mut self, op: BinOp, a: Id, b: Id) -> Id {
        let dtype = self.dtype(a);
        if is_index_type(dtype) {
            let (x, y) = (self.form(a), self.form(b));
            let sum = match op {
                BinOp::Add => Some(x.plus(&y, 1)),
                BinOp::Sub => Some(x.plus(&y, -1)),
                BinOp::Mul => Some(self.product(a, b)),
                _ => None,
            };
            if let Some(sum) = sum.filter(|sum| !sum.overflow) {
                return self.sum(sum, dtype);
            }
        }
        self.binary(op, a, b)
    }

    pub(crate) fn vector_binary(&mut self, op: BinOp, a: Id, b: Id) -> Option<Id> {
        let dtype = self.dtype(a);
        // broadcast(a) op broadcast(b) = broadcast(a op b)
        if let (Tag::Broadcast, Tag::Broadcast) = (&self.node(a).tag, &self.node(b).tag) {
            let (x, y) = (self.node(a).ids[0], self.node(b).ids[0]);
            let value = self.scalar_binary(op, x, y);
            return Some(self.make(dtype, Tag::Broadcast, vec![value]));
        }
        if !is_index_type(dtype.element()) {
            return None;
        }
        let ((x, s), (y, t)) = (self.steps(a)?, self.steps(b)?);
        let (base, stride) = match op {
            // ramp(x, s) ± ramp(y, t) = ramp(x ± y, s ± t)
            BinOp::Add | BinOp::Sub => (self.scalar_binary(op, x, y), self.scalar_binary(op, s, t)),
            // ramp(x, s) · broadcast(y) = ramp(x·y, s·y)
            BinOp::Mul if self.node(t).expr.as_int() == Some(0) => {
                (self.scalar_binary(op, x, y), self.scalar_binary(op, s, y))
            }
            BinOp::Mul if self.node(s).expr.as_int() == Some(0) => {
                (self.scalar_binary(op, y, x), self.scalar_binary(op, t, x))
            }
            _ => return None,
        };
        Some(self.ramp(base, stride, dtype))
    }

    /// Whether the comparison holds in every lane (`true`) or in none (`false`).
    pub(crate) fn compare_lanes(&mut self, op: CmpOp, a: Id, b: Id) -> Option<bool> {
        if !is_index_type(self.dtype(a).element()) || !self.node(a).exact || !self.node(b).exact {
            return None;
        }
        let lanes = i64::from(self.dtype(a).lanes);
        let ((x, s), (y, t)) = (self.steps(a)?, self.steps(b)?);
        let [x, s, y, t] = [x, s, y, t].map(|id| self.form(id));
        // A difference that is linear in the lane has its extremes in the first and in the last one.
        let first = self.decide(op, &x, &y)?;
        let last = self.decide(op, &x.plus(&s, lanes - 1), &y.plus(&t, lanes - 1))?;
        let monotone = !matches!(op, CmpOp::Eq | CmpOp::Ne);
        (monotone && first == last).then_some(first)
    }
}
