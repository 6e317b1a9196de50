//! Long rows, and rows of several axes, piece by piece: the result of a row is written while the next one is reduced.
//!
//! ```text
//! for task in parallel(ceil(N / rows))
//!   state of the first row, from all of its pieces
//!   for i in the task's rows
//!     totals of row i
//!     for each piece of a row
//!       Y[i, piece] = value(X[i, piece], totals)
//!       run         = head of X[i + 1, piece]
//!       state       = merge(state, run)
//!       sum        += tail of X[i + 1, piece]
//! ```
//!
//! A row is read from memory once, however long it is: a piece is in the first-level cache when its tail is summed.
//! Meanwhile memory takes the result of the row before, and gives the next piece, or where the caches hold as many rows
//! the next row. Exponentials are kept where a row of them stays in a cache (`keep`); otherwise the result works them
//! out again.
//!
//! Of argreduce (`Map::Index`) nothing is known before all pieces are: the index is then searched for in the first
//! piece that has the extreme.
//!
//! Sums are of independent accumulators over the whole row, in the order of `accumulators` vectors of `lanes`.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Intrinsic, PrimFunc, Stmt, Var};
use tilewright_tensor::DataType;

use super::pieces::{Piece, Pieces};
use super::side_by_side;
use super::vectors::{NumberedRow, Row, RowVectors, Sizes, Stages, Vector};
use super::{axes_at, global, kept, loaded, local, placed, prefetches, result_at};
use crate::facts::axes::Group;
use crate::facts::exprs::{binary, compare, mentions, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{folded, load, named, only_if, serial, store, used_in, with_names};
use crate::facts::size::ceil_div;
use crate::facts::tree::Site;
use crate::families::rows::monoid::{Component, Head, Monoid};
use crate::families::rows::{Map, RowProgram};
use crate::plan::Plan;
use crate::plan::cpu::rows::ByPiecesPlan;
use crate::primitive::call::Primitive;

/// Bytes between what is read and what is prefetched where an extreme alone is looked for, which is as fast as memory.
const PREFETCH_BYTES: i64 = 4 << 10;

pub(crate) const ROWS_BY_PIECES: Primitive = Primitive {
    name: "RowsByPieces",
    method: "rows_by_pieces",
    doc: "Writes the result of a row while the next one is reduced, piece by piece: a softmax of long rows, a norm by \
          sums or moments, argreduce.",
    params: ByPiecesPlan::PARAMS,
    plan: Some(ByPiecesPlan::DEF),
    gives_list: false,
    run: |call| super::run(call, kernel),
};

fn kernel(around: (&PrimFunc, &Site), program: &RowProgram, plan: &ByPiecesPlan) -> Result<Stmt, Fault> {
    if let (Map::Index { .. }, Some(_)) = (&program.map, &program.side_by_side) {
        return side_by_side::kernel(around, program, &plan.as_strips());
    }
    program.contiguous()?;
    let unknown = || Fault::of_call("the length of a row is not known");
    let extent = |group: &Group| group.size.as_int().ok_or_else(unknown);
    let (outer, columns) = (extent(&program.reduced.outer)?, extent(&program.reduced.inner)?);
    if columns <= 0 {
        return Err(Fault::of_call("rows have no elements"));
    }
    let (monoid, lanes) = (Monoid::of(program, DataType::I64)?, plan.lanes);
    let sizes = Sizes { lanes, accumulators: plan.accumulators, rows_per_task: plan.rows };
    // Where a result follows each piece, several runs of inner columns may be one.
    let pieces = match (&program.reduced.whole, outer) {
        (Some(_), 2..) => Pieces::joining((outer, columns), lanes, plan.piece),
        _ => Pieces::of((outer, columns), lanes, plan.piece),
    };
    let column = pieces.column(pieces.longest());
    let of = RowVectors::of(around, (&program.rows, &column), &program.out, sizes)?;
    let kept = program.kept().map(|(_, name)| name.clone());
    let keep = plan.keep && kept.is_some() && outer == 1;
    let m = memory(&monoid, (&pieces, outer * columns), plan, program.out.dtype);
    let walk = Walk { program, monoid, of, pieces, kept, keep, prefetch_row: plan.prefetch_row, m };
    walk.tasks()
}

struct Walk<'a> {
    program: &'a RowProgram,
    monoid: Monoid,
    of: RowVectors<'a>,
    pieces: Pieces,
    /// The name in the map of terms that it reads again, and whether these are kept.
    kept: Option<Var>,
    keep: bool,
    prefetch_row: bool,
    m: Memory,
}

/// The memory of a task.
struct Memory {
    /// Terms of a row that the result reads again, and the first component of the state when those of a piece were
    /// worked out.
    kept: Buffer,
    kept_from: Buffer,
    /// Accumulators of a run and of the sum of a row.
    runs: Buffer,
    sums: Buffer,
    /// A vector on its way to one number.
    halves: Buffer,
    /// The state, and its first component for the row whose result is written.
    state: Vec<Buffer>,
    last: Buffer,
    /// What the result is made with.
    of_row: Buffer,
    /// Accumulators of indices, a vector of them on its way to one, of argreduce.
    indices: Buffer,
    index: Buffer,
}

/// A pass over the vectors of a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Head,
    Tail,
}

/// A run that is reduced and merged.
struct Run {
    /// The loops of its head.
    pass: Vec<Stmt>,
    /// Names of numbers that follow from it, for what comes after these loops.
    names: Row,
    merged: Vec<Stmt>,
    /// Values of the monoid's names.
    values: Row,
}

/// A piece of a row with its vectors, and the values of the row's axes and of those around the piece.
struct Here<'a> {
    piece: &'a Piece,
    of: RowVectors<'a>,
    axes: Row,
    /// The axes of the piece that is prefetched.
    ahead: Row,
}

/// Statements of a vector, which those of another stage are interleaved with.
type Interleaved<'a> = dyn Fn(&RowVectors<'_>, &Vector) -> Result<Vec<Stmt>, Fault> + 'a;

impl Walk<'_> {
    fn tasks(&self) -> Result<Stmt, Fault> {
        let formulas = self.program.formulas();
        self.of.tasks(&formulas.iter().collect::<Vec<_>>(), &self.program.out, |first, count| {
            let stages = Stages {
                begun: &|| self.begun(),
                once: &|| self.once(),
                step: &|here, next| self.pieces.each(|piece| self.piece(here, next, piece)),
            };
            let body = match &self.program.map {
                Map::Elements(_) => self.of.pipelined(first, count, &stages)?,
                Map::Index { index, none_found } => self.searched((first, count), (index, none_found))?,
            };
            let own = [&self.m.kept, &self.m.kept_from, &self.m.runs, &self.m.sums, &self.m.halves]
                .into_iter()
                .chain(&self.m.state);
            let own = own.chain([&self.m.last, &self.m.of_row, &self.m.indices, &self.m.index]).cloned().collect();
            let own = used_in(&body, own);
            Ok((body, own))
        })
    }

    /// Nothing of a row is taken in.
    fn begun(&self) -> Result<Stmt, Fault> {
        let mut stmts = Vec::new();
        if self.monoid.tail.is_some() {
            stmts.push(self.of.cleared(&self.m.sums, &Expr::float(0.0, DataType::F32))?);
        }
        for (component, own) in self.monoid.state.iter().zip(&self.m.state) {
            stmts.push(store(own, &[&Expr::i64(0)], &component.identity)?);
        }
        Ok(Stmt::seq(stmts))
    }

    fn state(&self) -> Result<Row, Fault> {
        let component =
            |(component, own): (&Component, &Buffer)| Ok((component.var.clone(), load(own, &[&Expr::i64(0)])?));
        self.monoid.state.iter().zip(&self.m.state).map(component).collect()
    }

    /// A piece of two rows: the result of the one before, and the next one taken in.
    fn piece(&self, before: Option<&NumberedRow>, next: Option<&NumberedRow>, piece: &Piece) -> Result<Stmt, Fault> {
        let (mut names, mut stmts) = (Vec::new(), Vec::new());
        let scale = match before {
            Some(_) if self.keep => self.scale(piece)?.map(|scale| named("scale", &scale, &mut names)),
            _ => None,
        };
        let (together, apart) = if self.shares_pass() { (before, None) } else { (None, before) };
        if let Some(row) = apart {
            stmts.push(self.results(row, piece)?);
        }
        let column = self.pieces.column(piece.length);
        let of = self.of.along(&column);
        let result = |of: &RowVectors<'_>, at: &Vector| match together {
            // Of kept terms those of the row before are read before others overwrite them.
            Some(row) => Ok(vec![self.result((&row.axes, &piece.begin), of, (at, scale.as_ref()))?]),
            None => Ok(Vec::new()),
        };
        match next {
            Some(next) => stmts.push(self.taken_in(next, piece, of, &result)?),
            None if together.is_some() => stmts.push(of.columns(|at| result(&of, at))?),
            None => {}
        }
        Ok(with_names(names, Stmt::seq(stmts)))
    }

    /// A piece of a row is taken in: the head of its run, and the tails, interleaved with other statements of the same
    /// vectors.
    fn taken_in(
        &self,
        next: &NumberedRow,
        piece: &Piece,
        of: RowVectors<'_>,
        interleaved: &Interleaved<'_>,
    ) -> Result<Stmt, Fault> {
        let mut names = Vec::new();
        let outer = if self.pieces.joined == 1 { self.outer(&piece.group, &mut names)? } else { Row::new() };
        let ahead = if self.prefetch_row {
            let (ahead, ahead_names) = self.of.row("ahead", &(&next.number + 1))?;
            names.extend(ahead_names);
            ahead
        } else {
            next.axes.clone()
        };
        let (axes, ahead) = ([next.axes.clone(), outer.clone()].concat(), [ahead, outer].concat());
        let here = Here { piece, of, axes, ahead };
        let run = self.run(&here)?;
        let pass = here.of.columns(|at| {
            let mut stmts = self.prefetched(Pass::Tail, &here, &at.first)?;
            stmts.extend(interleaved(&here.of, at)?);
            stmts.extend(self.tail(&here, at, &run)?);
            Ok(stmts)
        })?;
        let merged = with_names(run.names, Stmt::seq([run.merged, vec![pass]].concat()));
        Ok(with_names(names, Stmt::seq([run.pass, vec![merged]].concat())))
    }

    /// Whether results are written in the loop of the tails: memory takes them while exponentials are worked out. Tails
    /// that cost little are as fast as memory, and results then have a loop of their own.
    fn shares_pass(&self) -> bool {
        self.monoid.rescale.is_some()
    }

    /// A run of elements is reduced and merged into the state.
    fn run(&self, here: &Here<'_>) -> Result<Run, Fault> {
        let zero = Expr::i64(0);
        let mut run = Run { pass: Vec::new(), names: Vec::new(), merged: Vec::new(), values: self.state()? };
        let Some(Head { fold, from }) = &self.monoid.head else { return Ok(run) };
        let both = |a: &Expr, b: &Expr| fold.op.both(a, b);
        run.pass.push(here.of.cleared(&self.m.runs, &substituted(from, &run.values))?);
        run.pass.push(here.of.columns(|at| {
            let mut stmts = self.prefetched(Pass::Head, here, &at.first)?;
            stmts.push(here.of.accumulated(&self.m.runs, at, both, |column| self.element(here, column))?);
            Ok(stmts)
        })?);
        run.pass.extend(folded(&self.m.runs, &self.m.halves, &both)?);
        let names = &self.monoid.names;
        run.values.push((names.run.clone(), named("run", &load(&self.m.halves, &[&zero])?, &mut run.names)));
        run.values.push((names.begin.clone(), here.piece.begin.clone()));
        if !self.monoid.lets.is_empty() {
            self.counted(here.piece, &mut run)?;
        }
        for (var, value) in &self.monoid.lets {
            let value = self.of.known.simplify(&substituted(value, &run.values));
            run.values.push((var.clone(), named(&var.name, &value, &mut run.names)));
        }
        if let Some(rescale) = &self.monoid.rescale {
            let by = named("rescale", &substituted(rescale, &run.values), &mut run.names);
            run.merged.push(here.of.scaled(&self.m.sums, &by)?);
        }
        for (merge, own) in self.monoid.merge.iter().zip(&self.m.state) {
            run.merged.push(store(own, &[&zero], &substituted(merge, &run.values))?);
        }
        if self.keep {
            run.merged.push(store(&self.m.kept_from, &[&self.number(here.piece)?], &load_first(&self.m.state)?)?);
        }
        Ok(run)
    }

    /// How many elements of the row are in front of a piece, and in it.
    fn counted(&self, piece: &Piece, run: &mut Run) -> Result<(), Fault> {
        let names = &self.monoid.names;
        let before = self.of.known.simplify(&self.pieces.before(piece));
        let is_first = self.of.known.simplify(&compare(CmpOp::Eq, &before, &Expr::i64(0))?);
        let before = match before.as_int() {
            Some(before) => Expr::float(before as f64, DataType::F32),
            None => named("before", &typed(before.cast(DataType::F32))?, &mut run.names),
        };
        run.values.push((names.is_first.clone(), is_first));
        run.values.push((names.before.clone(), before));
        run.values.push((names.length.clone(), Expr::float(piece.length as f64, DataType::F32)));
        Ok(())
    }

    /// What elements of a vector add to the sum; what the result reads again is kept.
    fn tail(&self, here: &Here<'_>, at: &Vector, run: &Run) -> Result<Vec<Stmt>, Fault> {
        let Some(tail) = &self.monoid.tail else { return Ok(Vec::new()) };
        let own = |column: &Expr| {
            let x = (self.monoid.names.x.clone(), self.element(here, column)?);
            Ok(substituted(tail, &[run.values.as_slice(), &[x]].concat()))
        };
        let add = |a: &Expr, b: &Expr| binary(BinOp::Add, a, b);
        if !self.keep {
            return Ok(vec![here.of.accumulated(&self.m.sums, at, add, own)?]);
        }
        let kept = |column: &Expr| &here.piece.begin + column;
        Ok(vec![
            here.of.vector(at, |_, column| store(&self.m.kept, &[&kept(column)], &own(column)?))?,
            here.of.accumulated(&self.m.sums, at, add, |column| load(&self.m.kept, &[&kept(column)]))?,
        ])
    }

    /// What kept terms of a piece have to be multiplied by.
    fn scale(&self, piece: &Piece) -> Result<Option<Expr>, Fault> {
        let (from, last) = (load(&self.m.kept_from, &[&self.number(piece)?])?, load(&self.m.last, &[&Expr::i64(0)])?);
        Ok(self.monoid.rescaled(&from, &[last]))
    }

    /// The number of a piece among those of its row.
    fn number(&self, piece: &Piece) -> Result<Expr, Fault> {
        let longest = Expr::i64(self.pieces.longest());
        Ok(self.of.known.simplify(&binary(BinOp::FloorDiv, &piece.begin, &longest)?))
    }

    /// What the result of the row is made with whose pieces are all taken in.
    fn once(&self) -> Result<Stmt, Fault> {
        let mut stmts = folded(&self.m.sums, &self.m.halves, &|a, b| binary(BinOp::Add, a, b))?;
        let mut values = self.state()?;
        values.push((self.monoid.names.sum.clone(), load(&self.m.halves, &[&Expr::i64(0)])?));
        if self.kept.is_some() {
            stmts.push(store(&self.m.last, &[&Expr::i64(0)], &load_first(&self.m.state)?)?);
        }
        let mut names = Vec::new();
        let total =
            |(var, value): &(Var, Expr)| (var.clone(), named(&var.name, &substituted(value, &values), &mut names));
        let numbers: Vec<Expr> = self.monoid.of_row.iter().map(|(_, number)| number.clone()).collect();
        let is_read = |(var, _): &&(Var, Expr)| mentions(&numbers, std::slice::from_ref(var));
        let totals: Row = self.monoid.totals.iter().filter(is_read).map(total).collect();
        stmts.push(with_names(names, Stmt::seq(kept(&self.m.of_row, &self.monoid.of_row, &totals)?)));
        Ok(Stmt::seq(stmts))
    }

    /// The result of a piece, in loops of its own.
    fn results(&self, row: &NumberedRow, piece: &Piece) -> Result<Stmt, Fault> {
        let several = self.pieces.joined;
        let column = self.pieces.column(if several == 1 { piece.length } else { self.pieces.columns });
        let within = self.of.var("within");
        let group = if several == 1 { piece.group.clone() } else { &(&piece.group * several) + &Expr::var(&within) };
        let mut names = Vec::new();
        let outer = self.outer(&self.of.known.simplify(&group), &mut names)?;
        let (axes, of) = ([row.axes.clone(), outer].concat(), self.of.along(&column));
        let columns = of.columns(|at| Ok(vec![self.result((&axes, &piece.begin), &of, (at, None))?]))?;
        let columns = with_names(names, columns);
        Ok(if several == 1 { columns } else { serial(&within, &Expr::i64(several), columns) })
    }

    /// The result of a vector of a piece, whose first column and axes around are these.
    fn result(
        &self,
        (around, begin): (&Row, &Expr),
        of: &RowVectors<'_>,
        (at, scale): (&Vector, Option<&Expr>),
    ) -> Result<Stmt, Fault> {
        let (map, numbers) = (self.program.elements()?, loaded(&self.m.of_row, &self.monoid.of_row)?);
        of.result(at, |column| {
            let position = begin + column;
            let inner = axes_at(&of.known, &self.program.reduced.inner, &position)?;
            let (axes, mut numbers) = ([around.clone(), inner].concat(), numbers.clone());
            if let Some(name) = &self.kept {
                let again = |last: Expr| self.monoid.tail_of_row(&placed(&self.monoid.element, &axes, &[]), &[last]);
                let term = match scale {
                    Some(scale) => Some(binary(BinOp::Mul, &load(&self.m.kept, &[&position])?, scale)?),
                    None => again(load(&self.m.last, &[&Expr::i64(0)])?),
                };
                numbers.extend(term.map(|term| (name.clone(), term)));
            }
            result_at(self.program, &axes, &placed(&map.value, &axes, &numbers))
        })
    }

    /// Each row's extreme with the piece that has it, and then its index in that.
    fn searched(&self, (first, count): (&Expr, &Expr), (index, none_found): (&Expr, &Expr)) -> Result<Stmt, Fault> {
        let number = self.of.var("row");
        let (row, names) = self.of.row("here", &(first + &Expr::var(&number)))?;
        let mut steps = vec![self.begun()?];
        steps.push(self.pieces.each(|piece| {
            let column = self.pieces.column(piece.length);
            let run = self.run(&Here { piece, of: self.of.along(&column), axes: row.clone(), ahead: row.clone() })?;
            Ok(Stmt::seq([run.pass, vec![with_names(run.names, Stmt::seq(run.merged))]].concat()))
        })?);
        let [at, best] = self.m.state.as_slice() else { return Err(Fault::of_call("there is no extreme")) };
        let (zero, of, count_of_row) = (Expr::i64(0), &self.of, self.pieces.columns);
        let (at, best) = (load(at, &[&zero])?, load(best, &[&zero])?);
        steps.push(of.cleared(&self.m.indices, none_found)?);
        steps.push(of.columns(|vector| {
            // The last piece may be shorter than others.
            let is_even = count_of_row % self.pieces.longest() == 0;
            let least = of.vector(vector, |l, column| {
                let column = &at + column;
                let axes = [row.clone(), axes_at(&of.known, &self.program.reduced.inner, &column)?].concat();
                let here = is_extreme(&placed(&self.monoid.element, &axes, &[]), &best)?;
                let number = typed(Expr::select(&here, &placed(index, &axes, &[]), none_found))?;
                let own = [&vector.accumulator, l];
                let least = store(&self.m.indices, &own, &binary(BinOp::Min, &load(&self.m.indices, &own)?, &number)?)?;
                let is_in = compare(CmpOp::Lt, &column, &Expr::i64(count_of_row))?;
                Ok(if is_even { least } else { only_if(is_in, least) })
            })?;
            Ok(vec![least])
        })?);
        steps.extend(folded(&self.m.indices, &self.m.index, &|a, b| binary(BinOp::Min, a, b))?);
        steps.push(result_at(self.program, &row, &load(&self.m.index, &[&zero])?)?);
        Ok(serial(&number, count, with_names(names, Stmt::seq(steps))))
    }

    /// An element of a piece.
    fn element(&self, here: &Here<'_>, column: &Expr) -> Result<Expr, Fault> {
        let (group, position) = self.position(here.piece, column);
        let axes = [here.axes.clone(), axes_at(&self.of.known, group, &position)?].concat();
        Ok(placed(&self.monoid.element, &axes, &[]))
    }

    /// An element of a piece as a position in a group of axes.
    fn position(&self, piece: &Piece, column: &Expr) -> (&Group, Expr) {
        match (self.pieces.joined, &self.program.reduced.whole) {
            (2.., Some(whole)) => (whole, &self.pieces.before(piece) + column),
            _ => (&self.program.reduced.inner, &piece.begin + column),
        }
    }

    /// The axes around the inner ones, under names.
    fn outer(&self, position: &Expr, names: &mut Row) -> Result<Row, Fault> {
        let group = &self.program.reduced.outer;
        let position = if group.axes.len() > 1 { named("outer", position, names) } else { position.clone() };
        let values = axes_at(&self.of.known, group, &position)?;
        Ok(values.into_iter().map(|(var, value)| (var.clone(), named(&var.name, &value, names))).collect())
    }

    /// Prefetches with a vector of a pass: of what comes some bytes later where there are only heads, and otherwise of
    /// the next piece or row; by halves where two passes are as fast as memory, which then has something to do in both.
    fn prefetched(&self, pass: Pass, here: &Here<'_>, first: &Expr) -> Result<Vec<Stmt>, Fault> {
        let (monoid, length) = (&self.monoid, here.piece.length);
        let halved = |column: &Expr| binary(BinOp::FloorDiv, column, &Expr::i64(2));
        let (axes, column) = match pass {
            Pass::Head if monoid.tail.is_none() => {
                (&here.axes, first + PREFETCH_BYTES / monoid.element.dtype.bytes() as i64)
            }
            Pass::Head if self.shares_pass() => return Ok(Vec::new()),
            _ => {
                let column = match pass {
                    Pass::Head => halved(first)?,
                    Pass::Tail if monoid.head.is_some() && !self.shares_pass() => halved(&(first + length))?,
                    Pass::Tail => first.clone(),
                };
                (&here.ahead, if self.prefetch_row { column } else { &column + length })
            }
        };
        let (group, position) = self.position(here.piece, &column);
        let axes = [axes.clone(), axes_at(&self.of.known, group, &self.of.known.simplify(&position))?].concat();
        prefetches(self.program, std::slice::from_ref(&monoid.element), &axes)
    }
}

fn memory(monoid: &Monoid, (pieces, count): (&Pieces, i64), plan: &ByPiecesPlan, index: DataType) -> Memory {
    let (accumulators, element) = ([plan.accumulators, plan.lanes], monoid.element.dtype);
    let component = |component: &Component| local(&component.var.name, &[1], component.var.dtype);
    Memory {
        kept: global("kept", &[ceil_div(count, plan.lanes) * plan.lanes], DataType::F32),
        kept_from: global("kept_from", &[ceil_div(count, pieces.longest())], DataType::F32),
        runs: local("runs", &accumulators, element),
        sums: local("sums", &accumulators, DataType::F32),
        halves: local("halves", &[plan.lanes], element),
        state: monoid.state.iter().map(component).collect(),
        last: local("last", &[1], DataType::F32),
        of_row: local("of_row", &[monoid.of_row.len().max(1) as i64], DataType::F32),
        indices: local("indices", &accumulators, index),
        index: local("index", &[plan.lanes], index),
    }
}

fn load_first(state: &[Buffer]) -> Result<Expr, Fault> {
    let first = state.first().ok_or_else(|| Fault::of_call("the monoid has no state"))?;
    load(first, &[&Expr::i64(0)])
}

/// Whether the element is the extreme of its row, or NaN.
fn is_extreme(element: &Expr, best: &Expr) -> Result<Expr, Fault> {
    let equal = compare(CmpOp::Eq, element, best)?;
    match element.dtype.is_float() {
        true => {
            let is_nan = typed(Expr::call(Intrinsic::IsNan, std::slice::from_ref(element)))?;
            binary(BinOp::BitOr, &equal, &is_nan)
        }
        false => Ok(equal),
    }
}
