//! Rank sort (enumeration sort) of short slices: the rank of an element, its index in the result, is the number of
//! elements that come before it.
//!
//! A vector of keys is compared with every key of the slice: a quadratic number of steps, but of vectors and without
//! branches, which is the fastest sort of a few dozen elements.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::sort_keys::{Given, Slices};
use super::statements::{Names, compare, parts, serial, vector, with_local};
use crate::TeError;

/// Sorts a slice of up to `max_extent` elements, whose keys are stored.
pub(super) fn rank_sort(slices: &Slices<'_>, given: Given<'_>, vars: &[Var], max_extent: i64) -> Result<Stmt, TeError> {
    let (lanes, own) = (i64::from(slices.keys.lanes), Var::new("own", DataType::I64));
    let ranks = Buffer::new("ranks", vec![Expr::i64(max_extent)], slices.keys.encoding.count_dtype())
        .derive(|node| node.scope = Scope::Local);
    let mut names = Names::default();
    let rank = Expr::load(&ranks, vec![Expr::var(&own)])?.cast(DataType::I64)?;
    let rank = names.name("rank", Expr::binary(BinOp::Min, &rank, &(slices.extent() - &Expr::i64(1)))?);
    let give = names.around(given.moved(slices, vars, &Expr::var(&own), &rank)?);
    let vector = Var::new("vector", DataType::I64);
    let vectors = parts(slices.extent(), lanes);
    let all = [
        serial(&vector, &vectors, count_ranks(slices, &ranks, &(Expr::var(&vector) * lanes))?),
        serial(&own, slices.extent(), give),
    ];
    Ok(with_local(ranks, Stmt::seq(all)))
}

/// Counts the elements that come before each element of the vector at `begin`.
fn count_ranks(slices: &Slices<'_>, ranks: &Buffer, begin: &Expr) -> Result<Stmt, TeError> {
    let other = Var::new("other", DataType::I64);
    let lane = ranks.dtype.with_lanes(slices.keys.lanes);
    let mut names = Names::default();
    let positions = vector(begin, slices.keys.lanes)?;
    let keys = names.name("keys", slices.keys.key(&positions)?);
    let own = names.name("places", vector(&begin.cast(ranks.dtype)?, slices.keys.lanes)?);
    let ranks_at = vector(&Expr::i64(0), slices.keys.lanes)?;
    let sums = Buffer::new("sums", vec![Expr::i64(i64::from(slices.keys.lanes))], ranks.dtype)
        .derive(|node| node.scope = Scope::Local);
    let mut inner = Names::default();
    let key = inner.name("key", slices.keys.key(&Expr::var(&other))?.broadcast(slices.keys.lanes)?);
    let less = compare(CmpOp::Lt, &key, &keys)?;
    let alike = compare(CmpOp::Eq, &key, &keys)?;
    let earlier = compare(CmpOp::Lt, &Expr::var(&other).cast(ranks.dtype)?.broadcast(slices.keys.lanes)?, &own)?;
    let belongs = Expr::binary(BinOp::Or, &less, &Expr::binary(BinOp::And, &alike, &earlier)?)?;
    let one = Expr::select(&belongs, &Expr::int(1, lane), &Expr::int(0, lane))?;
    let sum = Expr::load(&sums, vec![ranks_at.clone()])?;
    let add = inner.around(Stmt::store(&sums, vec![ranks_at.clone()], &(sum.clone() + one))?);
    let all = [
        Stmt::store(&sums, vec![ranks_at], &Expr::int(0, lane))?,
        serial(&other, slices.extent(), add),
        Stmt::store(ranks, vec![positions], &sum)?,
    ];
    Ok(with_local(sums, names.around(Stmt::seq(all))))
}
