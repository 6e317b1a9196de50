//! The first many elements of an order, each line of a tensor by itself, in the order of their places.
//!
//! The key of the last of them is found as [`super::rank`] finds it, and the elements whose keys are not above it are
//! gathered. Of a line that is much longer than what is taken, the minima of groups of keys are found first. At least
//! `k` keys do not lie above the `k`-th of these minima, and there are not many more of them: these alone are
//! candidates.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::lines::{Line, Lines};
use super::run::Run;
use super::sort::sorted;
use super::statements::{Cell, Names, both, compare, parts, serial, vector, when, with_local};
use super::topk_few::{enough, selected};
use crate::{TeError, Tensor, extern_op};

/// Elements that are at most selected without keys of all the others.
const FEW_ELEMENTS_MAX: i64 = 4;
/// Pieces of keys of which a vector holds the minima, lane by lane.
const PIECES_PER_MINIMUM: i64 = 4;
/// Elements of a line for each that is taken from which on candidates are found first.
const LONG_LINE_PER_TAKEN: i64 = 32;

/// The first `k` elements of each line in order, all of them where `k` is less than 1, then the indices at which they
/// stood, where these are wanted. A line has at least so many elements, or the run ends.
pub fn topk(caps: &Capabilities, x: &Tensor, line: Line, k: i64, name: &str) -> Result<Vec<Tensor>, TeError> {
    if (1..=FEW_ELEMENTS_MAX).contains(&k) {
        return selected(caps, x, line, k, name);
    }
    let (values, indices) = match k < 1 || x.shape()[line.axis].as_int() == Some(k) {
        true => sorted(caps, x, None, line, &format!("{name}_sorted"))?,
        false => match gathered(caps, x, line, k, &format!("{name}_first"))?.as_slice() {
            [values, indices @ ..] => sorted(caps, values, indices.first(), line, name)?,
            [] => return Ok(Vec::new()),
        },
    };
    Ok([values].into_iter().chain(indices).collect())
}

/// The first `k` elements of each line in the order of their places, and these. A line has at least so many, or the run
/// ends.
fn gathered(caps: &Capabilities, x: &Tensor, line: Line, k: i64, name: &str) -> Result<Vec<Tensor>, TeError> {
    let mut dims = x.shape().to_vec();
    dims[line.axis] = Expr::i64(k);
    let outputs: Vec<_> = [x.dtype()].into_iter().chain(line.indices).map(|dtype| (dims.clone(), dtype)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, indices @ ..]) => {
            let lines = Lines::new(caps, x, line, 1);
            let taking = Taking { lines: &lines, k, values, indices: indices.first() };
            let own = |vars: &[Var]| taking.line(vars);
            Ok(Stmt::seq([enough(x, line.axis, k)?, lines.each(own)?]))
        }
        _ => Err(TeError(format!("`{name}` selects of one tensor"))),
    })?;
    Ok(op.outputs())
}

/// The first elements of lines, and where they go.
struct Taking<'a> {
    lines: &'a Lines<'a>,
    k: i64,
    values: &'a Buffer,
    indices: Option<&'a Buffer>,
}

impl Taking<'_> {
    fn line(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let lines = self.lines;
        let taken =
            match lines.extent().as_int().is_none_or(|extent| extent >= self.k.saturating_mul(LONG_LINE_PER_TAKEN)) {
                true => self.by_candidates(line)?,
                false => self.taken(line, &lines.run, &|here| Ok(here.clone()))?,
            };
        Ok(Stmt::seq([lines.made(line)?, taken]))
    }

    /// The key of the last element, and how many lie below it.
    fn last(&self, run: &Run, key: &Cell, below: &Cell) -> Result<Stmt, TeError> {
        run.found(&Expr::i64(self.k - 1), key, below)
    }

    /// The least keys among the vectors of some pieces, lane by lane.
    fn noted(&self, minima: &Run) -> Result<Stmt, TeError> {
        let (run, lanes) = (&self.lines.run, i64::from(minima.lanes));
        let (at, piece) = (Var::new("at", DataType::I64), Var::new("piece", DataType::I64));
        let vector = |begin: &Expr| vector(begin, minima.lanes);
        let begin = Expr::var(&at) * lanes;
        let vectors = minima.pieces.clone() * (minima.piece / lanes);
        let fill = Stmt::store(&minima.memory, vec![vector(&begin)?], &run.keys.last(minima.lanes))?;
        let group = Expr::binary(BinOp::FloorDiv, &Expr::var(&piece), &Expr::i64(PIECES_PER_MINIMUM))?;
        let own = vector(&(group * lanes))?;
        let mut least = minima.key(&own)?;
        for places in run.vectors(&Expr::var(&piece))? {
            least = Expr::binary(BinOp::Min, &least, &run.key(&places)?)?;
        }
        let note = Stmt::store(&minima.memory, vec![own], &least)?;
        Ok(Stmt::seq([serial(&at, &vectors, fill), serial(&piece, &run.pieces, note)]))
    }

    /// The elements among those whose keys do not lie above a minimum.
    fn by_candidates(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let (run, extent) = (&self.lines.run, self.lines.extent());
        let count = parts(&run.pieces, PIECES_PER_MINIMUM) * i64::from(run.lanes);
        let minima = Run::new(&self.lines.caps, "minima", run.keys, &count, 1);
        let room = Run::new(&self.lines.caps, "candidates", run.keys, extent, 1);
        let place = match extent.as_int() {
            Some(extent) if extent < i64::from(i32::MAX) => DataType::I32,
            _ => DataType::I64,
        };
        let places = Buffer::new("places", room.memory.shape.to_vec(), place);
        let (key, below) = (Cell::new("bound", run.keys.dtype()), Cell::new("below", DataType::I64));
        let found = Cell::new("found", DataType::I64);
        let (mut names, mut left) = (Names::default(), Names::default());
        let bound = names.name("bound", key.get()?);
        let collect = names.around(self.collected(&bound, &room, &places, &found)?);
        let pieces = left.name("pieces", parts(&found.get()?, room.piece));
        let candidates = Run { pieces: pieces.clone(), ..room.clone() };
        let behind = Var::new("behind", DataType::I64);
        let end = found.get()? + Expr::var(&behind);
        let fill = Stmt::store(&room.memory, vec![end], &run.keys.last(1))?;
        let taken =
            self.taken(line, &candidates, &|here| Ok(Expr::load(&places, vec![here.clone()])?.cast(DataType::I64)?))?;
        let rest = left.around(Stmt::seq([serial(&behind, &(pieces * room.piece - found.get()?), fill), taken]));
        let all = Stmt::seq([
            self.noted(&minima)?,
            self.last(&minima, &key, &below)?,
            found.set(&Expr::i64(0))?,
            collect,
            rest,
        ]);
        let all = key.around(below.around(found.around(all)));
        Ok(with_local(minima.memory, with_local(room.memory, with_local(places, all))))
    }

    /// Puts keys that do not lie above a bound, and their places, one behind the other. Of those on the bound the first
    /// ones suffice.
    fn collected(&self, bound: &Expr, room: &Run, places: &Buffer, found: &Cell) -> Result<Stmt, TeError> {
        let (run, one) = (&self.lines.run, Expr::int(1, bound.dtype));
        let (piece, own) = (Var::new("piece", DataType::I64), Var::new("own", DataType::I64));
        let here = Expr::var(&piece) * run.piece + Expr::var(&own);
        let (left, mut names) = (Cell::new("left", DataType::I64), Names::default());
        let some_left = compare(CmpOp::Gt, &left.get()?, &Expr::i64(0))?;
        let limit = names.name("limit", Expr::select(&some_left, bound, &(bound.clone() - one.clone()))?);
        let inside = |key: &Expr| compare(CmpOp::Le, key, &limit.broadcast(key.dtype.lanes)?);
        // Keys behind the line's end are no candidates.
        let is_one = both(&inside(&run.key(&here)?)?, &compare(CmpOp::Lt, &here, self.lines.extent())?)?;
        let is_alike = compare(CmpOp::Eq, &run.key(&here)?, bound)?;
        let keep = [
            Stmt::store(&room.memory, vec![found.get()?], &run.key(&here)?)?,
            Stmt::store(places, vec![found.get()?], &here.cast(places.dtype)?)?,
            found.set(&(found.get()? + 1))?,
            when(is_alike, left.set(&(left.get()? - 1))?, None),
        ];
        let search = serial(&own, &Expr::i64(run.piece), when(is_one, Stmt::seq(keep), None));
        let look = run.of_piece(&Expr::var(&piece), inside, |there| {
            // No key lies below the least one.
            let open = Expr::binary(BinOp::Or, &some_left, &compare(CmpOp::Ge, bound, &one)?)?;
            Ok(when(both(&compare(CmpOp::Gt, there, &Expr::i64(0))?, &open)?, search, None))
        })?;
        let all = serial(&piece, &run.pieces, names.around(look));
        Ok(left.around(Stmt::seq([left.set(&Expr::i64(self.k))?, all])))
    }

    /// The first elements of a run, whose places in the line are those that `place` tells.
    fn taken(&self, line: &[Var], run: &Run, place: &dyn Fn(&Expr) -> Result<Expr, TeError>) -> Result<Stmt, TeError> {
        let (key, below) = (Cell::new("key", run.keys.dtype()), Cell::new("below", DataType::I64));
        let (next, alike) = (Cell::new("next", DataType::I64), Cell::new("alike", DataType::I64));
        let (mut names, mut inner) = (Names::default(), Names::default());
        let key_is = names.name("key", key.get()?);
        let (piece, own) = (Var::new("piece", DataType::I64), Var::new("own", DataType::I64));
        let here = Expr::var(&piece) * run.piece + Expr::var(&own);
        let at = inner.name("place", place(&here)?);
        let target = self.lines.at(line, &Expr::binary(BinOp::Min, &next.get()?, &Expr::i64(self.k - 1))?);
        let element = Expr::load(self.lines.x, self.lines.at(line, &at))?;
        let mut taken = vec![Stmt::store(self.values, target.clone(), &element)?];
        if let Some(indices) = self.indices {
            taken.push(Stmt::store(indices, target, &at.cast(indices.dtype)?)?);
        }
        taken.push(next.set(&(next.get()? + 1))?);
        let is_alike = compare(CmpOp::Eq, &run.key(&here)?, &key_is)?;
        // Of those that are alike the first ones, as many as are left.
        let left = both(&is_alike, &compare(CmpOp::Gt, &alike.get()?, &Expr::i64(0))?)?;
        let belongs = Expr::binary(BinOp::Or, &compare(CmpOp::Lt, &run.key(&here)?, &key_is)?, &left)?;
        taken.push(when(is_alike, alike.set(&(alike.get()? - 1))?, None));
        let one = when(belongs, inner.around(Stmt::seq(taken)), None);
        let not_above = |key: &Expr| compare(CmpOp::Le, key, &key_is.broadcast(key.dtype.lanes)?);
        let look = run.of_piece(&Expr::var(&piece), not_above, |there| {
            let some = compare(CmpOp::Gt, there, &Expr::i64(0))?;
            let open = compare(CmpOp::Lt, &next.get()?, &Expr::i64(self.k))?;
            Ok(when(both(&some, &open)?, serial(&own, &Expr::i64(run.piece), one), None))
        })?;
        let all = Stmt::seq([
            self.last(run, &key, &below)?,
            next.set(&Expr::i64(0))?,
            alike.set(&(Expr::i64(self.k) - below.get()?))?,
            names.around(serial(&piece, &run.pieces, look)),
        ]);
        Ok(key.around(below.around(next.around(alike.around(all)))))
    }
}
