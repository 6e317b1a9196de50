//! The 1-D slices of a tensor along the sorted axis, and the keys of one slice in memory of its task.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::key_encoding::KeyEncoding;
use super::radix_select::KeyBuffer;
use super::statements::{compare, serial, when, with_local};
use crate::TeError;

/// How a tensor is sorted.
#[derive(Clone, Copy, Debug)]
pub struct SortSpec {
    /// The axis along which elements are ordered: each 1-D slice along it by itself.
    pub axis: usize,
    pub descending: bool,
    /// The type of the indices that are results, too; `None` for values only.
    pub indices: Option<DataType>,
}

/// The tensors that sorted elements and their indices are written to.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// The indices of the elements, where they are not their positions.
    pub(super) from: Option<&'a Buffer>,
    pub(super) values: &'a Buffer,
    pub(super) indices: Option<&'a Buffer>,
}

impl Given<'_> {
    /// Writes the element at position `from` of a slice to position `to` of the sorted one.
    pub(super) fn moved(self, slices: &Slices<'_>, vars: &[Var], from: &Expr, to: &Expr) -> Result<Stmt, TeError> {
        let (from_at, to_at) = (slices.at(vars, from), slices.at(vars, to));
        let mut stores = vec![Stmt::store(self.values, to_at.clone(), &Expr::load(slices.x, from_at.clone())?)?];
        if let Some(indices) = self.indices {
            let index = match self.from {
                Some(from) => Expr::load(from, from_at)?,
                None => from.clone(),
            };
            stores.push(Stmt::store(indices, to_at, &index.cast(indices.dtype)?)?);
        }
        Ok(Stmt::seq(stores))
    }
}

/// The slices of a tensor along an axis, with the keys of one of them.
pub(super) struct Slices<'a> {
    pub(super) caps: Capabilities,
    pub(super) x: &'a Buffer,
    pub(super) spec: SortSpec,
    /// The keys of the slice that a task works on.
    pub(super) keys: KeyBuffer,
}

impl<'a> Slices<'a> {
    pub(super) fn new(caps: &Capabilities, x: &'a Buffer, spec: SortSpec, copies: i64) -> Self {
        let keys =
            KeyBuffer::new(caps, "keys", KeyEncoding::new(x.dtype, spec.descending), &x.shape[spec.axis], copies);
        Self { caps: *caps, x, spec, keys }
    }

    pub(super) fn extent(&self) -> &Expr {
        &self.x.shape[self.spec.axis]
    }

    /// A loop of tasks over all slices around the statements of one.
    pub(super) fn each(&self, one: impl FnOnce(&[Var]) -> Result<Stmt, TeError>) -> Result<Stmt, TeError> {
        let vars: Vec<Var> = (0..self.x.rank()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let body = with_local(self.keys.memory.clone(), one(&vars)?);
        let around = |body: Stmt, at: usize| {
            Stmt::for_loop(&vars[at], Expr::i64(0), self.x.shape[at].clone(), self.caps.task_loop(), body)
        };
        Ok((0..self.x.rank()).rev().filter(|at| *at != self.spec.axis).fold(body, around))
    }

    /// The indices of the element at a position of the slice.
    pub(super) fn at(&self, vars: &[Var], position: &Expr) -> Vec<Expr> {
        let index = |(at, var): (usize, &Var)| if at == self.spec.axis { position.clone() } else { Expr::var(var) };
        vars.iter().enumerate().map(index).collect()
    }

    /// The indices of the slice's result in a tensor without the axis.
    pub(super) fn result_at(&self, vars: &[Var]) -> Vec<Expr> {
        vars.iter().enumerate().filter(|(at, _)| *at != self.spec.axis).map(|(_, var)| Expr::var(var)).collect()
    }

    /// Stores the keys of a slice, and pads them.
    pub(super) fn store_keys(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        if self.spec.axis + 1 == self.x.rank() && self.keys.lanes > 1 {
            return self.store_keys_in_vectors(vars);
        }
        let (position, pad) = (Var::new("place", DataType::I64), Var::new("pad", DataType::I64));
        let own = self.keys.encoding.of(&Expr::load(self.x, self.at(vars, &Expr::var(&position)))?)?;
        let store = Stmt::store(&self.keys.memory, vec![Expr::var(&position)], &own)?;
        let end = self.extent() + &Expr::var(&pad);
        let fill = Stmt::store(&self.keys.memory, vec![end], &self.keys.encoding.last(1))?;
        let left = self.keys.pieces.clone() * self.keys.piece - self.extent().clone();
        Ok(Stmt::seq([serial(&position, self.extent(), store), serial(&pad, &left, fill)]))
    }

    fn store_keys_in_vectors(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        let (piece, extent) = (Var::new("piece", DataType::I64), self.extent());
        let some = |piece: &Expr, ends: bool| -> Result<Stmt, TeError> {
            let store = |positions: &Expr| -> Result<Stmt, TeError> {
                let inside = match ends {
                    true => Some(compare(CmpOp::Lt, positions, &extent.broadcast(self.keys.lanes)?)?),
                    false => None,
                };
                let key =
                    self.keys.encoding.of(&Expr::load_where(self.x, self.at(vars, positions), inside.clone())?)?;
                let key = match inside {
                    Some(inside) => Expr::select(&inside, &key, &self.keys.encoding.last(self.keys.lanes))?,
                    None => key,
                };
                Ok(Stmt::store(&self.keys.memory, vec![positions.clone()], &key)?)
            };
            Ok(Stmt::seq(self.keys.vectors(piece)?.iter().map(store).collect::<Result<Vec<_>, _>>()?))
        };
        let by_piece = |op| Expr::binary(op, extent, &Expr::i64(self.keys.piece));
        let (whole, rest) = match extent.as_int() {
            Some(extent) => (Expr::i64(extent / self.keys.piece), Expr::i64(extent % self.keys.piece)),
            None => (by_piece(BinOp::FloorDiv)?, by_piece(BinOp::FloorMod)?),
        };
        let mut stmts = vec![serial(&piece, &whole, some(&Expr::var(&piece), false)?)];
        if rest.as_int() != Some(0) {
            stmts.push(when(compare(CmpOp::Gt, &rest, &Expr::i64(0))?, some(&whole, true)?, None));
        }
        Ok(Stmt::seq(stmts))
    }
}
