//! A row in pieces.

use tilewright_ir::tir::{Expr, Stmt, Var};
use tilewright_tensor::DataType;

use crate::analysis::axes::Axis;
use crate::build::loops::serial;
use crate::fault::Fault;

/// Pieces of a row: of each index of its outer axes some of its inner columns, or all columns of several such indices.
pub(crate) struct Pieces {
    /// Indices of the outer axes in one piece, and how many groups of them there are.
    pub(crate) joined: i64,
    groups: i64,
    runs: Vec<Run>,
    /// Elements of the inner axes.
    pub(crate) columns: i64,
}

/// Pieces of the same length, one after the other.
struct Run {
    first: i64,
    count: i64,
    length: i64,
}

/// A piece: its group of outer indices, the first of its columns, and how many elements it has in all.
pub(crate) struct Piece {
    pub(crate) group: Expr,
    pub(crate) begin: Expr,
    pub(crate) length: i64,
}

impl Pieces {
    /// Pieces of at most so many elements, of so many outer indices that have so many columns each; whole vectors, if
    /// there are even ones that are not much smaller.
    pub(crate) fn of(outer: i64, columns: i64, lanes: i64, piece: i64) -> Self {
        if columns > piece {
            let even = (piece / 2 / lanes + 1..=piece / lanes).rev().map(|vectors| vectors * lanes);
            let length = even.into_iter().find(|length| columns % length == 0).unwrap_or(piece);
            let count = columns / length;
            let mut runs = vec![Run { first: 0, count, length }];
            let rest = columns - count * length;
            if rest > 0 {
                runs.push(Run { first: count * length, count: 1, length: rest });
            }
            return Self { joined: 1, groups: outer, runs, columns };
        }
        Self { joined: 1, groups: outer, runs: vec![Run { first: 0, count: 1, length: columns }], columns }
    }

    /// The same, where elements of several outer indices may be one piece.
    pub(crate) fn joining(outer: i64, columns: i64, lanes: i64, piece: i64) -> Self {
        let fits = |joined: &i64| outer % joined == 0 && joined * columns <= piece;
        match (2..=(piece / columns).min(outer)).rev().find(fits) {
            Some(joined) => {
                let runs = vec![Run { first: 0, count: 1, length: joined * columns }];
                Self { joined, groups: outer / joined, runs, columns }
            }
            None => Self::of(outer, columns, lanes, piece),
        }
    }

    pub(crate) fn longest(&self) -> i64 {
        self.runs.iter().map(|run| run.length).max().unwrap_or(1)
    }

    /// The columns of a piece of so many.
    pub(crate) fn column(&self, length: i64) -> Axis {
        Axis { var: Var::new("column", DataType::I64), extent: Expr::i64(length) }
    }

    /// The loops over all pieces.
    pub(crate) fn each(&self, body: impl Fn(&Piece) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let group = Var::new("group", DataType::I64);
        let mut stmts = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            let number = Var::new("piece", DataType::I64);
            let begin = if run.count == 1 { Expr::i64(run.first) } else { &Expr::var(&number) * run.length };
            let own = if self.groups == 1 { Expr::i64(0) } else { Expr::var(&group) };
            let stmt = body(&Piece { group: own, begin, length: run.length })?;
            stmts.push(if run.count == 1 { stmt } else { serial(&number, &Expr::i64(run.count), stmt) });
        }
        let all = Stmt::seq(stmts);
        Ok(if self.groups == 1 { all } else { serial(&group, &Expr::i64(self.groups), all) })
    }

    /// Elements of a row in front of a piece.
    pub(crate) fn before(&self, piece: &Piece) -> Expr {
        &(&piece.group * (self.joined * self.columns)) + &piece.begin
    }
}
