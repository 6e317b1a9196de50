//! Top-k along an axis.
//!
//! Radix selection ([`super::radix_select`]) finds the key of the k-th element; the elements whose keys are not above
//! it are collected, then sorted. Of a slice that is much longer than `k`, the minima of groups of keys are computed
//! first: at least `k` keys, and few more, are not above the `k`-th of these minima, and only these are candidates. For
//! the smallest `k`, see [`super::topk_insertion`].

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::radix_select::KeyBuffer;
use super::sort::sorted;
use super::sort_keys::{Slices, SortSpec};
use super::statements::{Cell, Names, both, compare, parts, serial, vector, when, with_local};
use super::topk_insertion::{enough, selected};
use crate::{TeError, Tensor, extern_op};

/// The greatest `k` that is selected by insertion, without keys of all elements.
const FEW_ELEMENTS_MAX: i64 = 4;
/// Pieces of keys whose minima, lane by lane, are one vector.
const PIECES_PER_MINIMUM: i64 = 4;
/// The ratio of extent to `k` from which on candidates are found first.
const LONG_SLICE_PER_TAKEN: i64 = 32;

/// The first `k` elements of each slice in order, all of them where `k` is less than 1, then their indices if `spec`
/// has a type of indices. A shorter slice is an error of the run.
pub fn topk(caps: &Capabilities, x: &Tensor, spec: SortSpec, k: i64, name: &str) -> Result<Vec<Tensor>, TeError> {
    if (1..=FEW_ELEMENTS_MAX).contains(&k) {
        return selected(caps, x, spec, k, name);
    }
    let (values, indices) = match k < 1 || x.shape()[spec.axis].as_int() == Some(k) {
        true => sorted(caps, x, None, spec, &format!("{name}_sorted"))?,
        false => match gathered(caps, x, spec, k, &format!("{name}_first"))?.as_slice() {
            [values, indices @ ..] => sorted(caps, values, indices.first(), spec, name)?,
            [] => return Ok(Vec::new()),
        },
    };
    Ok([values].into_iter().chain(indices).collect())
}

/// The first `k` elements of each slice in the order of their indices, and these. A shorter slice is an error of the
/// run.
fn gathered(caps: &Capabilities, x: &Tensor, spec: SortSpec, k: i64, name: &str) -> Result<Vec<Tensor>, TeError> {
    let mut dims = x.shape().to_vec();
    dims[spec.axis] = Expr::i64(k);
    let outputs: Vec<_> = [x.dtype()].into_iter().chain(spec.indices).map(|dtype| (dims.clone(), dtype)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, indices @ ..]) => {
            let slices = Slices::new(caps, x, spec, 1);
            let taking = Taking { slices: &slices, k, values, indices: indices.first() };
            let own = |vars: &[Var]| taking.slice(vars);
            Ok(Stmt::seq([enough(x, spec.axis, k)?, slices.each(own)?]))
        }
        _ => Err(TeError(format!("`{name}` selects of one tensor"))),
    })?;
    Ok(op.outputs())
}

/// The slices, and the tensors that their first elements are written to.
struct Taking<'a> {
    slices: &'a Slices<'a>,
    k: i64,
    values: &'a Buffer,
    indices: Option<&'a Buffer>,
}

impl Taking<'_> {
    fn slice(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        let slices = self.slices;
        let taken =
            match slices.extent().as_int().is_none_or(|extent| extent >= self.k.saturating_mul(LONG_SLICE_PER_TAKEN)) {
                true => self.by_candidates(vars)?,
                false => self.taken(vars, &slices.keys, &|here| Ok(here.clone()))?,
            };
        Ok(Stmt::seq([slices.store_keys(vars)?, taken]))
    }

    /// The key of the `k`-th element, and the number of keys below it.
    fn last(&self, keys: &KeyBuffer, key: &Cell, below: &Cell) -> Result<Stmt, TeError> {
        keys.select(&Expr::i64(self.k - 1), key, below)
    }

    /// Stores the least keys of each group of pieces, lane by lane.
    fn store_minima(&self, minima: &KeyBuffer) -> Result<Stmt, TeError> {
        let (keys, lanes) = (&self.slices.keys, i64::from(minima.lanes));
        let (at, piece) = (Var::new("at", DataType::I64), Var::new("piece", DataType::I64));
        let vector = |begin: &Expr| vector(begin, minima.lanes);
        let begin = Expr::var(&at) * lanes;
        let vectors = minima.pieces.clone() * (minima.piece / lanes);
        let fill = Stmt::store(&minima.memory, vec![vector(&begin)?], &keys.encoding.last(minima.lanes))?;
        let group = Expr::binary(BinOp::FloorDiv, &Expr::var(&piece), &Expr::i64(PIECES_PER_MINIMUM))?;
        let own = vector(&(group * lanes))?;
        let mut least = minima.key(&own)?;
        for positions in keys.vectors(&Expr::var(&piece))? {
            least = Expr::binary(BinOp::Min, &least, &keys.key(&positions)?)?;
        }
        let note = Stmt::store(&minima.memory, vec![own], &least)?;
        Ok(Stmt::seq([serial(&at, &vectors, fill), serial(&piece, &keys.pieces, note)]))
    }

    /// The elements, taken from the candidates: those whose keys are not above the `k`-th minimum.
    fn by_candidates(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        let (keys, extent) = (&self.slices.keys, self.slices.extent());
        let count = parts(&keys.pieces, PIECES_PER_MINIMUM) * i64::from(keys.lanes);
        let minima = KeyBuffer::new(&self.slices.caps, "minima", keys.encoding, &count, 1);
        let candidates = KeyBuffer::new(&self.slices.caps, "candidates", keys.encoding, extent, 1);
        let position = match extent.as_int() {
            Some(extent) if extent < i64::from(i32::MAX) => DataType::I32,
            _ => DataType::I64,
        };
        let positions = Buffer::new("places", candidates.memory.shape.to_vec(), position);
        let (key, below) = (Cell::new("bound", keys.encoding.dtype()), Cell::new("below", DataType::I64));
        let found = Cell::new("found", DataType::I64);
        let (mut names, mut left) = (Names::default(), Names::default());
        let bound = names.name("bound", key.get()?);
        let collect = names.around(self.collect_candidates(&bound, &candidates, &positions, &found)?);
        let pieces = left.name("pieces", parts(&found.get()?, candidates.piece));
        let found_keys = KeyBuffer { pieces: pieces.clone(), ..candidates.clone() };
        let pad = Var::new("pad", DataType::I64);
        let end = found.get()? + Expr::var(&pad);
        let fill = Stmt::store(&candidates.memory, vec![end], &keys.encoding.last(1))?;
        let taken = self
            .taken(vars, &found_keys, &|here| Ok(Expr::load(&positions, vec![here.clone()])?.cast(DataType::I64)?))?;
        let rest = left.around(Stmt::seq([serial(&pad, &(pieces * candidates.piece - found.get()?), fill), taken]));
        let all = Stmt::seq([
            self.store_minima(&minima)?,
            self.last(&minima, &key, &below)?,
            found.set(&Expr::i64(0))?,
            collect,
            rest,
        ]);
        let all = key.around(below.around(found.around(all)));
        Ok(with_local(minima.memory, with_local(candidates.memory, with_local(positions, all))))
    }

    /// Stores the keys that are not above a bound, and their indices, contiguously. Of keys equal to the bound the
    /// first `k` suffice.
    fn collect_candidates(
        &self,
        bound: &Expr,
        candidates: &KeyBuffer,
        positions: &Buffer,
        found: &Cell,
    ) -> Result<Stmt, TeError> {
        let (keys, one) = (&self.slices.keys, Expr::int(1, bound.dtype));
        let (piece, own) = (Var::new("piece", DataType::I64), Var::new("own", DataType::I64));
        let here = Expr::var(&piece) * keys.piece + Expr::var(&own);
        let (left, mut names) = (Cell::new("left", DataType::I64), Names::default());
        let some_left = compare(CmpOp::Gt, &left.get()?, &Expr::i64(0))?;
        let limit = names.name("limit", Expr::select(&some_left, bound, &(bound.clone() - one.clone()))?);
        let inside = |key: &Expr| compare(CmpOp::Le, key, &limit.broadcast(key.dtype.lanes)?);
        // The padding has no candidates.
        let is_one = both(&inside(&keys.key(&here)?)?, &compare(CmpOp::Lt, &here, self.slices.extent())?)?;
        let is_alike = compare(CmpOp::Eq, &keys.key(&here)?, bound)?;
        let keep = [
            Stmt::store(&candidates.memory, vec![found.get()?], &keys.key(&here)?)?,
            Stmt::store(positions, vec![found.get()?], &here.cast(positions.dtype)?)?,
            found.set(&(found.get()? + 1))?,
            when(is_alike, left.set(&(left.get()? - 1))?, None),
        ];
        let search = serial(&own, &Expr::i64(keys.piece), when(is_one, Stmt::seq(keep), None));
        let look = keys.count_in_piece(&Expr::var(&piece), inside, |there| {
            // No key is below 0.
            let open = Expr::binary(BinOp::Or, &some_left, &compare(CmpOp::Ge, bound, &one)?)?;
            Ok(when(both(&compare(CmpOp::Gt, there, &Expr::i64(0))?, &open)?, search, None))
        })?;
        let all = serial(&piece, &keys.pieces, names.around(look));
        Ok(left.around(Stmt::seq([left.set(&Expr::i64(self.k))?, all])))
    }

    /// Writes the first elements of a key buffer, whose indices in the slice `position` gives.
    fn taken(
        &self,
        vars: &[Var],
        keys: &KeyBuffer,
        position: &dyn Fn(&Expr) -> Result<Expr, TeError>,
    ) -> Result<Stmt, TeError> {
        let (key, below) = (Cell::new("key", keys.encoding.dtype()), Cell::new("below", DataType::I64));
        let (next, alike) = (Cell::new("next", DataType::I64), Cell::new("alike", DataType::I64));
        let (mut names, mut inner) = (Names::default(), Names::default());
        let key_is = names.name("key", key.get()?);
        let (piece, own) = (Var::new("piece", DataType::I64), Var::new("own", DataType::I64));
        let here = Expr::var(&piece) * keys.piece + Expr::var(&own);
        let at = inner.name("place", position(&here)?);
        let target = self.slices.at(vars, &Expr::binary(BinOp::Min, &next.get()?, &Expr::i64(self.k - 1))?);
        let element = Expr::load(self.slices.x, self.slices.at(vars, &at))?;
        let mut taken = vec![Stmt::store(self.values, target.clone(), &element)?];
        if let Some(indices) = self.indices {
            taken.push(Stmt::store(indices, target, &at.cast(indices.dtype)?)?);
        }
        taken.push(next.set(&(next.get()? + 1))?);
        let is_alike = compare(CmpOp::Eq, &keys.key(&here)?, &key_is)?;
        // Of keys equal to the `k`-th only as many as are missing.
        let left = both(&is_alike, &compare(CmpOp::Gt, &alike.get()?, &Expr::i64(0))?)?;
        let belongs = Expr::binary(BinOp::Or, &compare(CmpOp::Lt, &keys.key(&here)?, &key_is)?, &left)?;
        taken.push(when(is_alike, alike.set(&(alike.get()? - 1))?, None));
        let one = when(belongs, inner.around(Stmt::seq(taken)), None);
        let not_above = |key: &Expr| compare(CmpOp::Le, key, &key_is.broadcast(key.dtype.lanes)?);
        let look = keys.count_in_piece(&Expr::var(&piece), not_above, |there| {
            let some = compare(CmpOp::Gt, there, &Expr::i64(0))?;
            let open = compare(CmpOp::Lt, &next.get()?, &Expr::i64(self.k))?;
            Ok(when(both(&some, &open)?, serial(&own, &Expr::i64(keys.piece), one), None))
        })?;
        let all = Stmt::seq([
            self.last(keys, &key, &below)?,
            next.set(&Expr::i64(0))?,
            alike.set(&(Expr::i64(self.k) - below.get()?))?,
            names.around(serial(&piece, &keys.pieces, look)),
        ]);
        Ok(key.around(below.around(next.around(alike.around(all)))))
    }
}
