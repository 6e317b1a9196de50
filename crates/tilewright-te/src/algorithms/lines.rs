//! Lines of a tensor, whose keys lie in memory of the task that has the line.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::keys::Keys;
use super::run::Run;
use super::statements::{compare, serial, when, with_local};
use crate::TeError;

/// How the lines of a tensor are sorted.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The dimension along which they lie.
    pub axis: usize,
    pub descending: bool,
    /// The type of the indices that move with the elements, where they are wanted.
    pub indices: Option<DataType>,
}

/// The lines of a tensor, and the keys of one of them.
pub(super) struct Lines<'a> {
    pub(super) caps: Capabilities,
    pub(super) x: &'a Buffer,
    pub(super) line: Line,
    /// The keys of one of them.
    pub(super) run: Run,
}

impl<'a> Lines<'a> {
    pub(super) fn new(caps: &Capabilities, x: &'a Buffer, line: Line, copies: i64) -> Self {
        let run = Run::new(caps, "keys", Keys::new(x.dtype, line.descending), &x.shape[line.axis], copies);
        Self { caps: *caps, x, line, run }
    }

    pub(super) fn extent(&self) -> &Expr {
        &self.x.shape[self.line.axis]
    }

    /// The statements of a line, for each of them.
    pub(super) fn each(&self, one: impl FnOnce(&[Var]) -> Result<Stmt, TeError>) -> Result<Stmt, TeError> {
        let vars: Vec<Var> = (0..self.x.rank()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let body = with_local(self.run.memory.clone(), one(&vars)?);
        let around = |body: Stmt, at: usize| {
            Stmt::for_loop(&vars[at], Expr::i64(0), self.x.shape[at].clone(), self.caps.task_loop(), body)
        };
        Ok((0..self.x.rank()).rev().filter(|at| *at != self.line.axis).fold(body, around))
    }

    /// A place of the line.
    pub(super) fn at(&self, line: &[Var], place: &Expr) -> Vec<Expr> {
        let index = |(at, var): (usize, &Var)| if at == self.line.axis { place.clone() } else { Expr::var(var) };
        line.iter().enumerate().map(index).collect()
    }

    /// Where the line's result stands.
    pub(super) fn result_at(&self, line: &[Var]) -> Vec<Expr> {
        line.iter().enumerate().filter(|(at, _)| *at != self.line.axis).map(|(_, var)| Expr::var(var)).collect()
    }

    /// Makes the keys of a line.
    pub(super) fn made(&self, line: &[Var]) -> Result<Stmt, TeError> {
        if self.line.axis + 1 == self.x.rank() && self.run.lanes > 1 {
            return self.made_of_vectors(line);
        }
        let (place, behind) = (Var::new("place", DataType::I64), Var::new("behind", DataType::I64));
        let own = self.run.keys.of(&Expr::load(self.x, self.at(line, &Expr::var(&place)))?)?;
        let store = Stmt::store(&self.run.memory, vec![Expr::var(&place)], &own)?;
        let end = self.extent() + &Expr::var(&behind);
        let fill = Stmt::store(&self.run.memory, vec![end], &self.run.keys.last(1))?;
        let left = self.run.pieces.clone() * self.run.piece - self.extent().clone();
        Ok(Stmt::seq([serial(&place, self.extent(), store), serial(&behind, &left, fill)]))
    }

    fn made_of_vectors(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let (piece, extent) = (Var::new("piece", DataType::I64), self.extent());
        let some = |piece: &Expr, ends: bool| -> Result<Stmt, TeError> {
            let store = |places: &Expr| -> Result<Stmt, TeError> {
                let inside = match ends {
                    true => Some(compare(CmpOp::Lt, places, &extent.broadcast(self.run.lanes)?)?),
                    false => None,
                };
                let key = self.run.keys.of(&Expr::load_where(self.x, self.at(line, places), inside.clone())?)?;
                let key = match inside {
                    Some(inside) => Expr::select(&inside, &key, &self.run.keys.last(self.run.lanes))?,
                    None => key,
                };
                Ok(Stmt::store(&self.run.memory, vec![places.clone()], &key)?)
            };
            Ok(Stmt::seq(self.run.vectors(piece)?.iter().map(store).collect::<Result<Vec<_>, _>>()?))
        };
        let by_piece = |op| Expr::binary(op, extent, &Expr::i64(self.run.piece));
        let (whole, rest) = match extent.as_int() {
            Some(extent) => (Expr::i64(extent / self.run.piece), Expr::i64(extent % self.run.piece)),
            None => (by_piece(BinOp::FloorDiv)?, by_piece(BinOp::FloorMod)?),
        };
        let mut stmts = vec![serial(&piece, &whole, some(&Expr::var(&piece), false)?)];
        if rest.as_int() != Some(0) {
            stmts.push(when(compare(CmpOp::Gt, &rest, &Expr::i64(0))?, some(&whole, true)?, None));
        }
        Ok(Stmt::seq(stmts))
    }
}
