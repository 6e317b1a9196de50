//! Order statistics along an axis: the element that would be at a rank if each slice were sorted, such as the k-th
//! smallest or the median.
//!
//! The keys of a slice ([`super::key_encoding`]) are in memory of the task. Radix selection ([`super::radix_select`])
//! finds the key of the rank two bits at a time, from the highest on: a round counts the keys below three bounds, and
//! takes the greatest bound that has no more keys below it than the rank. That is one pass of vector compares over the
//! keys for every two bits, whatever the data. Elements of equal keys are in the order of their indices.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::sort_keys::{Slices, SortSpec};
use super::statements::{Cell, Names, both, compare, serial, when};
use super::topk_insertion::enough;
use crate::{TeError, Tensor, extern_op};

/// Which element of a slice is the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderStatistic {
    /// The element of this rank, counted from 0. A shorter slice is an error of the run.
    At(i64),
    /// The lower median, in a descending order; the first NaN if there is one. NaN, or 0, for an empty slice.
    Median,
}

/// The order statistic of each slice, and its index: tensors without the axis.
pub fn order_statistic(
    caps: &Capabilities,
    x: &Tensor,
    spec: SortSpec,
    rank: OrderStatistic,
    name: &str,
) -> Result<(Tensor, Option<Tensor>), TeError> {
    let mut dims = x.shape().to_vec();
    dims.remove(spec.axis);
    let outputs: Vec<_> = [x.dtype()].into_iter().chain(spec.indices).map(|dtype| (dims.clone(), dtype)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, indices @ ..]) => {
            let slices = Slices::new(caps, x, spec, 1);
            let own = |vars: &[Var]| slices.one(vars, rank, values, indices.first());
            let all = slices.each(own)?;
            match rank {
                OrderStatistic::At(rank) => Ok(Stmt::seq([enough(x, spec.axis, rank.saturating_add(1))?, all])),
                OrderStatistic::Median => Ok(all),
            }
        }
        _ => Err(TeError(format!("`{name}` looks at one tensor"))),
    })?;
    match op.outputs().as_slice() {
        [values, indices @ ..] => Ok((values.clone(), indices.first().cloned())),
        [] => Err(TeError(format!("`{name}` makes no tensor"))),
    }
}

impl Slices<'_> {
    /// The order statistic of one slice, and its index.
    fn one(
        &self,
        vars: &[Var],
        rank: OrderStatistic,
        values: &Buffer,
        indices: Option<&Buffer>,
    ) -> Result<Stmt, TeError> {
        let result = self.result_at(vars);
        let give = |value: &Expr, position: &Expr| -> Result<Stmt, TeError> {
            let mut stores = vec![Stmt::store(values, result.clone(), value)?];
            if let Some(indices) = indices {
                stores.push(Stmt::store(indices, result.clone(), &position.cast(indices.dtype)?)?);
            }
            Ok(Stmt::seq(stores))
        };
        let at = |rank: &Expr| -> Result<Stmt, TeError> {
            let position = Cell::new("place", DataType::I64);
            let element = Expr::load(self.x, self.at(vars, &position.get()?))?;
            Ok(position.around(Stmt::seq([self.find_index(rank, &position)?, give(&element, &position.get()?)?])))
        };
        let middle = || -> Result<Stmt, TeError> {
            let half = Expr::binary(BinOp::FloorDiv, self.extent(), &Expr::i64(2))?;
            if !self.x.dtype.is_float() {
                return at(&half);
            }
            // No other key is the least one than that of NaN.
            self.keys.count_below(&[Expr::int(1, self.keys.encoding.dtype())], |counts| {
                let none = compare(CmpOp::Eq, &counts[0], &Expr::i64(0))?;
                at(&Expr::select(&none, &half, &Expr::i64(0))?)
            })
        };
        let found = match rank {
            OrderStatistic::At(rank) => at(&Expr::i64(rank))?,
            OrderStatistic::Median => middle()?,
        };
        let found = Stmt::seq([self.store_keys(vars)?, found]);
        let nothing = || match self.x.dtype.is_float() {
            true => give(&Expr::float(f64::NAN, self.x.dtype), &Expr::i64(0)),
            false => give(&Expr::int(0, self.x.dtype), &Expr::i64(0)),
        };
        match self.extent().as_int() {
            Some(0) => nothing(),
            Some(_) => Ok(found),
            None => Ok(when(compare(CmpOp::Gt, self.extent(), &Expr::i64(0))?, found, Some(nothing()?))),
        }
    }

    /// Finds the index of the element of a rank.
    fn find_index(&self, rank: &Expr, position: &Cell) -> Result<Stmt, TeError> {
        let (key, below) = (Cell::new("key", self.keys.encoding.dtype()), Cell::new("below", DataType::I64));
        let seen = Cell::new("seen", DataType::I64);
        let mut names = Names::default();
        let (key_is, rank_is) = (names.name("key", key.get()?), names.name("among", rank.clone() - below.get()?));
        let piece = Var::new("piece", DataType::I64);
        let alike = |key: &Expr| compare(CmpOp::Eq, key, &key_is.broadcast(key.dtype.lanes)?);
        let look = self.keys.count_in_piece(&Expr::var(&piece), alike, |there| {
            let own = Var::new("own", DataType::I64);
            let here = Expr::var(&piece) * self.keys.piece + Expr::var(&own);
            let is_it = compare(CmpOp::Eq, &seen.get()?, &rank_is)?;
            let count = [when(is_it, position.set(&here)?, None), seen.set(&(seen.get()? + 1))?];
            let search =
                serial(&own, &Expr::i64(self.keys.piece), when(alike(&self.keys.key(&here)?)?, Stmt::seq(count), None));
            let end = seen.get()? + there.clone();
            let inside = both(&compare(CmpOp::Le, &seen.get()?, &rank_is)?, &compare(CmpOp::Lt, &rank_is, &end)?)?;
            Ok(when(inside, search, Some(seen.set(&end)?)))
        })?;
        let all = [seen.set(&Expr::i64(0))?, position.set(&Expr::i64(0))?, serial(&piece, &self.keys.pieces, look)];
        let body = Stmt::seq([self.keys.select(rank, &key, &below)?, names.around(Stmt::seq(all))]);
        Ok(key.around(below.around(seen.around(body))))
    }
}
