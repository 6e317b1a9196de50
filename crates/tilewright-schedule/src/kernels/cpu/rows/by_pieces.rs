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

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Stmt};
use tilewright_tensor::DataType;

use super::pieces::{Piece, Pieces};
use super::side_by_side;
use super::state::State;
use super::vectors::{NumberedRow, Row, RowVectors, Sizes, Stages, Vector};
use super::{Cx, formula_at, global, load_numbers, local, store_numbers};
use crate::analysis::axes::Group;
use crate::build::exprs::{binary, compare, mentions, substituted, typed};
use crate::build::loops::{folded, load, named, only_if, serial, store, with_names};
use crate::families::rows::monoid::{Component, Head, Monoid};
use crate::families::rows::{Map, RowProgram};
use crate::fault::Fault;
use crate::plan::Plan;
use crate::plan::cpu::rows::ByPiecesPlan;
use crate::primitive::call::Primitive;
use crate::units::ceil_div;

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

fn kernel(cx: &Cx<'_>, plan: &ByPiecesPlan) -> Result<Stmt, Fault> {
    let program = cx.program;
    if let (Map::Index { .. }, Some(_)) = (&program.map, &program.side_by_side) {
        return side_by_side::kernel(cx, &plan.as_strips());
    }
    program.contiguous()?;
    let unknown = || Fault::of_call("the length of a row is not known");
    let extent = |group: &Group| group.size.as_int().ok_or_else(unknown);
    let (outer, columns) = (extent(&program.reduced.outer)?, extent(&program.reduced.inner)?);
    if columns <= 0 {
        return Err(Fault::of_call("rows have no elements"));
    }
    let lanes = plan.lanes;
    let sizes = Sizes { lanes, accumulators: plan.accumulators, rows_per_task: plan.rows };
    // Where a result follows each piece, several runs of inner columns may be one.
    let pieces = match (&program.reduced.whole, outer) {
        (Some(_), 2..) => Pieces::joining(outer, columns, lanes, plan.piece),
        _ => Pieces::of(outer, columns, lanes, plan.piece),
    };
    let column = pieces.column(pieces.longest());
    let state = state(program, &pieces, outer * columns, plan)?;
    let of = RowVectors::of(cx, &program.rows, &column, sizes)?;
    let m = Memory::of(&state.monoid, plan, program.out.dtype);
    Walk { program, of, pieces, prefetch_row: plan.prefetch_row, state, m }.tasks()
}

struct Walk<'a> {
    program: &'a RowProgram,
    of: RowVectors<'a>,
    pieces: Pieces,
    prefetch_row: bool,
    state: State,
    m: Memory,
}

/// The memory of a task without the state.
struct Memory {
    /// Accumulators of a run and of the sum of a row.
    runs: Buffer,
    sums: Buffer,
    /// A vector on its way to one number.
    halves: Buffer,
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

/// A row whose result is written: its axes with those around the piece, the first column, and what kept terms of the
/// piece have to be multiplied by.
struct Written<'a> {
    axes: &'a Row,
    begin: &'a Expr,
    scale: Option<&'a Expr>,
}

/// Statements of a vector, which those of another stage are interleaved with.
type Interleaved<'a> = dyn Fn(&RowVectors<'_>, &Vector) -> Result<Vec<Stmt>, Fault> + 'a;

impl Walk<'_> {
    fn tasks(&self) -> Result<Stmt, Fault> {
        let Self { state, m, .. } = self;
        let own = [&state.kept, &state.kept_from, &m.runs, &m.sums, &m.halves].into_iter().chain(&state.components);
        let own = own.chain([&state.last, &m.of_row, &m.indices, &m.index]).collect();
        self.of.tasks(own, |first, count| {
            let stages = Stages {
                init_state: &|| self.init_state(),
                finish: &|| self.finish(),
                step: &|here, next| self.pieces.each(|piece| self.piece(here, next, piece)),
            };
            match &self.program.map {
                Map::Elements(_) => self.of.pipelined(first, count, &stages),
                Map::Index { index, none_found } => self.search(first, count, index, none_found),
            }
        })
    }

    fn init_state(&self) -> Result<Stmt, Fault> {
        let mut stmts = Vec::new();
        if self.state.monoid.tail.is_some() {
            stmts.push(self.of.fill(&self.m.sums, &Expr::float(0.0, DataType::F32))?);
        }
        for (component, own) in self.state.monoid.state.iter().zip(&self.state.components) {
            stmts.push(store(own, &[&Expr::i64(0)], &component.identity)?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// A piece of two rows: writes the result of the one before, and reduces the next one.
    fn piece(&self, before: Option<&NumberedRow>, next: Option<&NumberedRow>, piece: &Piece) -> Result<Stmt, Fault> {
        let (mut names, mut stmts) = (Vec::new(), Vec::new());
        let scale = match before {
            Some(_) if self.state.keep => self.scale(piece)?.map(|scale| named("scale", &scale, &mut names)),
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
            Some(row) => {
                let written = Written { axes: &row.axes, begin: &piece.begin, scale: scale.as_ref() };
                Ok(vec![self.result(&written, of, at)?])
            }
            None => Ok(Vec::new()),
        };
        match next {
            Some(next) => stmts.push(self.reduce(next, piece, of, &result)?),
            None if together.is_some() => stmts.push(of.columns(|at| result(&of, at))?),
            None => {}
        }
        Ok(with_names(names, Stmt::seq(stmts)))
    }

    /// Reduces a piece of a row: the head of its run, and the tails, interleaved with other statements of the same
    /// vectors.
    fn reduce(
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
            let mut stmts = self.prefetch(Pass::Tail, &here, &at.first)?;
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
        self.state.monoid.rescale.is_some()
    }

    /// A run of elements is reduced and merged into the state.
    fn run(&self, here: &Here<'_>) -> Result<Run, Fault> {
        let (state, zero) = (&self.state, Expr::i64(0));
        let mut run = Run { pass: Vec::new(), names: Vec::new(), merged: Vec::new(), values: state.load(&zero)? };
        let Some(Head { fold, from }) = &state.monoid.head else { return Ok(run) };
        let both = |a: &Expr, b: &Expr| fold.op.both(a, b);
        run.pass.push(here.of.fill(&self.m.runs, &substituted(from, &run.values))?);
        run.pass.push(here.of.columns(|at| {
            let mut stmts = self.prefetch(Pass::Head, here, &at.first)?;
            stmts.push(here.of.accumulate(&self.m.runs, at, both, |column| self.element(here, column))?);
            Ok(stmts)
        })?);
        run.pass.extend(folded(&self.m.runs, &self.m.halves, &both)?);
        let names = &state.monoid.names;
        run.values.push((names.run.clone(), named("run", &load(&self.m.halves, &[&zero])?, &mut run.names)));
        run.values.push((names.begin.clone(), here.piece.begin.clone()));
        if !state.monoid.lets.is_empty() {
            self.bind_counts(here.piece, &mut run)?;
        }
        for (var, value) in &state.monoid.lets {
            let value = self.of.known.simplify(&substituted(value, &run.values));
            run.values.push((var.clone(), named(&var.name, &value, &mut run.names)));
        }
        if let Some(rescale) = &state.monoid.rescale {
            let by = named("rescale", &substituted(rescale, &run.values), &mut run.names);
            run.merged.push(here.of.scale(&self.m.sums, &by)?);
        }
        for (merge, own) in state.monoid.merge.iter().zip(&state.components) {
            run.merged.push(store(own, &[&zero], &substituted(merge, &run.values))?);
        }
        if state.keep {
            run.merged.push(store(&state.kept_from, &[&self.number(here.piece)?], &state.load_first(&zero)?)?);
        }
        Ok(run)
    }

    /// Gives the numbers of elements of the row in front of a piece, and in it, their names.
    fn bind_counts(&self, piece: &Piece, run: &mut Run) -> Result<(), Fault> {
        let names = &self.state.monoid.names;
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
        let Some(tail) = &self.state.monoid.tail else { return Ok(Vec::new()) };
        let own = |column: &Expr| {
            let x = (self.state.monoid.names.x.clone(), self.element(here, column)?);
            Ok(substituted(tail, &[run.values.as_slice(), &[x]].concat()))
        };
        let add = |a: &Expr, b: &Expr| binary(BinOp::Add, a, b);
        if !self.state.keep {
            return Ok(vec![here.of.accumulate(&self.m.sums, at, add, own)?]);
        }
        let kept = |column: &Expr| &here.piece.begin + column;
        Ok(vec![
            here.of.vector(at, |_, column| store(&self.state.kept, &[&kept(column)], &own(column)?))?,
            here.of.accumulate(&self.m.sums, at, add, |column| load(&self.state.kept, &[&kept(column)]))?,
        ])
    }

    /// What kept terms of a piece have to be multiplied by.
    fn scale(&self, piece: &Piece) -> Result<Option<Expr>, Fault> {
        let from = load(&self.state.kept_from, &[&self.number(piece)?])?;
        self.state.scale(&Expr::i64(0), &from)
    }

    /// The number of a piece among those of its row.
    fn number(&self, piece: &Piece) -> Result<Expr, Fault> {
        let longest = Expr::i64(self.pieces.longest());
        Ok(self.of.known.simplify(&binary(BinOp::FloorDiv, &piece.begin, &longest)?))
    }

    /// Computes what the result of a row is made with, of which all pieces are reduced.
    fn finish(&self) -> Result<Stmt, Fault> {
        let (monoid, zero) = (&self.state.monoid, Expr::i64(0));
        let mut stmts = folded(&self.m.sums, &self.m.halves, &|a, b| binary(BinOp::Add, a, b))?;
        if self.state.again.is_some() {
            stmts.push(self.state.store_last(&zero)?);
        }
        let numbers: Vec<Expr> = monoid.of_row.iter().map(|(_, number)| number.clone()).collect();
        let mut totals = self.state.totals(&zero, load(&self.m.halves, &[&zero])?)?;
        totals.retain(|(var, _)| mentions(&numbers, std::slice::from_ref(var)));
        let mut names = Vec::new();
        totals.iter_mut().for_each(|(var, total)| *total = named(&var.name, total, &mut names));
        stmts.push(with_names(names, Stmt::seq(store_numbers(&self.m.of_row, &monoid.of_row, &totals)?)));
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
        let written = Written { axes: &axes, begin: &piece.begin, scale: None };
        let columns = of.columns(|at| Ok(vec![self.result(&written, &of, at)?]))?;
        let columns = with_names(names, columns);
        Ok(if several == 1 { columns } else { serial(&within, &Expr::i64(several), columns) })
    }

    /// The result of a vector of a piece.
    fn result(&self, written: &Written<'_>, of: &RowVectors<'_>, at: &Vector) -> Result<Stmt, Fault> {
        let (map, numbers) = (self.program.elements()?, load_numbers(&self.m.of_row, &self.state.monoid.of_row)?);
        of.result(at, |column| {
            let position = written.begin + column;
            let inner = of.axes_at(&self.program.reduced.inner, &position)?;
            let (axes, mut numbers) = ([written.axes.clone(), inner].concat(), numbers.clone());
            let kept: &[&Expr] = &[&position];
            numbers.extend(self.state.term(&Expr::i64(0), &axes, written.scale.map(|scale| (kept, scale)))?);
            of.store_result(&axes, &formula_at(&map.value, &axes, &numbers))
        })
    }

    /// Finds each row's extreme with the piece that has it, and then its index in that.
    fn search(&self, first: &Expr, count: &Expr, index: &Expr, none_found: &Expr) -> Result<Stmt, Fault> {
        let number = self.of.var("row");
        let (row, names) = self.of.row("here", &(first + &Expr::var(&number)))?;
        let mut steps = vec![self.init_state()?];
        steps.push(self.pieces.each(|piece| {
            let column = self.pieces.column(piece.length);
            let run = self.run(&Here { piece, of: self.of.along(&column), axes: row.clone(), ahead: row.clone() })?;
            Ok(Stmt::seq([run.pass, vec![with_names(run.names, Stmt::seq(run.merged))]].concat()))
        })?);
        let [at, best] = self.state.components.as_slice() else {
            return Err(Fault::of_call("there is no extreme"));
        };
        let (zero, of, count_of_row) = (Expr::i64(0), &self.of, self.pieces.columns);
        let (at, best) = (load(at, &[&zero])?, load(best, &[&zero])?);
        steps.push(of.fill(&self.m.indices, none_found)?);
        steps.push(of.columns(|vector| {
            // The last piece may be shorter than others.
            let is_even = count_of_row % self.pieces.longest() == 0;
            let least = of.vector(vector, |l, column| {
                let column = &at + column;
                let axes = [row.clone(), of.axes_at(&self.program.reduced.inner, &column)?].concat();
                let here = is_extreme(&formula_at(&self.state.monoid.element, &axes, &[]), &best)?;
                let number = typed(Expr::select(&here, &formula_at(index, &axes, &[]), none_found))?;
                let own = [&vector.accumulator, l];
                let least = store(&self.m.indices, &own, &binary(BinOp::Min, &load(&self.m.indices, &own)?, &number)?)?;
                let is_in = compare(CmpOp::Lt, &column, &Expr::i64(count_of_row))?;
                Ok(if is_even { least } else { only_if(is_in, least) })
            })?;
            Ok(vec![least])
        })?);
        steps.extend(folded(&self.m.indices, &self.m.index, &|a, b| binary(BinOp::Min, a, b))?);
        steps.push(of.store_result(&row, &load(&self.m.index, &[&zero])?)?);
        Ok(serial(&number, count, with_names(names, Stmt::seq(steps))))
    }

    /// An element of a piece.
    fn element(&self, here: &Here<'_>, column: &Expr) -> Result<Expr, Fault> {
        let (group, position) = self.position(here.piece, column);
        let axes = [here.axes.clone(), self.of.axes_at(group, &position)?].concat();
        Ok(formula_at(&self.state.monoid.element, &axes, &[]))
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
        let values = self.of.axes_at(group, &position)?;
        Ok(values.into_iter().map(|(var, value)| (var.clone(), named(&var.name, &value, names))).collect())
    }

    /// Prefetches with a vector of a pass: of what comes some bytes later where there are only heads, and otherwise of
    /// the next piece or row; by halves where two passes are as fast as memory, which then has something to do in both.
    fn prefetch(&self, pass: Pass, here: &Here<'_>, first: &Expr) -> Result<Vec<Stmt>, Fault> {
        let (monoid, length) = (&self.state.monoid, here.piece.length);
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
        let axes = [axes.clone(), self.of.axes_at(group, &self.of.known.simplify(&position))?].concat();
        self.of.prefetch(std::slice::from_ref(&monoid.element), &axes)
    }
}

impl Memory {
    fn of(monoid: &Monoid, plan: &ByPiecesPlan, index: DataType) -> Self {
        let (accumulators, element) = ([plan.accumulators, plan.lanes], monoid.element.dtype);
        Self {
            runs: local("runs", &accumulators, element),
            sums: local("sums", &accumulators, DataType::F32),
            halves: local("halves", &[plan.lanes], element),
            of_row: local("of_row", &[monoid.of_row.len().max(1) as i64], DataType::F32),
            indices: local("indices", &accumulators, index),
            index: local("index", &[plan.lanes], index),
        }
    }
}

/// The state of a row of so many elements.
fn state(program: &RowProgram, pieces: &Pieces, count: i64, plan: &ByPiecesPlan) -> Result<State, Fault> {
    let (monoid, again) = (Monoid::of(program, DataType::I64)?, State::again(program));
    let component = |component: &Component| local(&component.var.name, &[1], component.var.dtype);
    Ok(State {
        components: monoid.state.iter().map(component).collect(),
        last: local("last", &[1], DataType::F32),
        keep: plan.keep && again.is_some() && program.reduced.outer.size.as_int() == Some(1),
        kept: global("kept", &[ceil_div(count, plan.lanes) * plan.lanes], DataType::F32),
        kept_from: global("kept_from", &[ceil_div(count, pieces.longest())], DataType::F32),
        monoid,
        again,
    })
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
