//! Sorting short lines: each element goes behind as many as belong before it.
//!
//! A vector of keys is compared with every key of the line. It takes steps as the square of the length, but of vectors
//! and without a branch, and no other sorting of a few dozen elements takes less.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::lines::Lines;
use super::sort::Given;
use super::statements::{Names, compare, parts, serial, vector, with_local};
use crate::TeError;

/// Sorts a line of up to `most` elements, whose keys are there.
pub(super) fn compared(lines: &Lines<'_>, given: Given<'_>, line: &[Var], most: i64) -> Result<Stmt, TeError> {
    let (lanes, own) = (i64::from(lines.run.lanes), Var::new("own", DataType::I64));
    let ranks = Buffer::new("ranks", vec![Expr::i64(most)], lines.run.keys.count_dtype())
        .derive(|node| node.scope = Scope::Local);
    let mut names = Names::default();
    let rank = Expr::load(&ranks, vec![Expr::var(&own)])?.cast(DataType::I64)?;
    let rank = names.name("rank", Expr::binary(BinOp::Min, &rank, &(lines.extent() - &Expr::i64(1)))?);
    let give = names.around(given.moved(lines, line, &Expr::var(&own), &rank)?);
    let vector = Var::new("vector", DataType::I64);
    let vectors = parts(lines.extent(), lanes);
    let all = [
        serial(&vector, &vectors, counted(lines, &ranks, &(Expr::var(&vector) * lanes))?),
        serial(&own, lines.extent(), give),
    ];
    Ok(with_local(ranks, Stmt::seq(all)))
}

/// How many elements belong before each of the vector at `begin`.
fn counted(lines: &Lines<'_>, ranks: &Buffer, begin: &Expr) -> Result<Stmt, TeError> {
    let other = Var::new("other", DataType::I64);
    let lane = ranks.dtype.with_lanes(lines.run.lanes);
    let mut names = Names::default();
    let places = vector(begin, lines.run.lanes)?;
    let keys = names.name("keys", lines.run.key(&places)?);
    let own = names.name("places", vector(&begin.cast(ranks.dtype)?, lines.run.lanes)?);
    let ranks_at = vector(&Expr::i64(0), lines.run.lanes)?;
    let sums = Buffer::new("sums", vec![Expr::i64(i64::from(lines.run.lanes))], ranks.dtype)
        .derive(|node| node.scope = Scope::Local);
    let mut inner = Names::default();
    let key = inner.name("key", lines.run.key(&Expr::var(&other))?.broadcast(lines.run.lanes)?);
    let less = compare(CmpOp::Lt, &key, &keys)?;
    let alike = compare(CmpOp::Eq, &key, &keys)?;
    let earlier = compare(CmpOp::Lt, &Expr::var(&other).cast(ranks.dtype)?.broadcast(lines.run.lanes)?, &own)?;
    let belongs = Expr::binary(BinOp::Or, &less, &Expr::binary(BinOp::And, &alike, &earlier)?)?;
    let one = Expr::select(&belongs, &Expr::int(1, lane), &Expr::int(0, lane))?;
    let sum = Expr::load(&sums, vec![ranks_at.clone()])?;
    let add = inner.around(Stmt::store(&sums, vec![ranks_at.clone()], &(sum.clone() + one))?);
    let all = [
        Stmt::store(&sums, vec![ranks_at], &Expr::int(0, lane))?,
        serial(&other, lines.extent(), add),
        Stmt::store(ranks, vec![places], &sum)?,
    ];
    Ok(with_local(sums, names.around(Stmt::seq(all))))
}
