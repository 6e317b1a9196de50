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
//! A row is read from memory once, however long it is: a piece is in the first-level cache when its tail is summed. Meanwhile
//! memory takes the result of the row before, and gives the next piece, or where the caches hold as many rows the next row.
//! Exponentials are kept where a row of them stays in a cache (`keep`); otherwise the result works them out again.
//!
//! Of argreduce (`Map::Place`) nothing is known before all pieces are: the index is then searched for in the first piece that
//! has the extreme.
//!
//! Sums are of independent accumulators over the whole row, in the order of `accumulators` vectors of `lanes`.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Intrinsic, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::pieces::{Piece, Pieces};
use super::side_by_side;
use super::vectors::{Row, RowVectors, Sizes, Vector};
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
use crate::plan::cpu::rows::{ByPiecesPlan, SideBySidePlan};
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
    if let (Map::Place { .. }, Some(_)) = (&program.map, &program.side_by_side) {
        return side_by_side::kernel(around, program, &as_strips(plan));
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
        (Some(_), 2..) => Pieces::joined((outer, columns), lanes, plan.piece),
        _ => Pieces::of((outer, columns), lanes, plan.piece),
    };
    let column = pieces.column(pieces.longest());
    let of = RowVectors::of(around, (&program.rows, &column), &program.out, sizes)?;
    let kept = program.kept().map(|(_, name)| name.clone());
    let keep = plan.keep && kept.is_some() && outer == 1;
    let walk =
        Walk { program, monoid, of, pieces, kept, keep, prefetch_row: plan.prefetch_row, count: outer * columns };
    walk.tasks()
}

/// Argreduce of rows side by side in a plan of pieces, as `seek_extreme` has it: a piece is a strip of rows.
fn as_strips(plan: &ByPiecesPlan) -> SideBySidePlan {
    let ByPiecesPlan { lanes, accumulators: vectors, rows, piece: strip, .. } = *plan;
    SideBySidePlan { lanes, rows, strip, steps: 1, keep: false, vectors }
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
    /// Elements of a row.
    count: i64,
}

/// The memory of a task.
struct Memory {
    /// Terms of a row that the result reads again, and the first component of the state when those of a piece were worked out.
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
    places: Buffer,
    place: Buffer,
}

/// A row that is reduced, and the one that is prefetched meanwhile.
struct Reduced {
    row: Row,
    ahead: Row,
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

/// A piece with its vectors and the values of the axes around it.
struct Here<'a> {
    piece: &'a Piece,
    of: RowVectors<'a>,
    outer: Row,
}

impl Walk<'_> {
    fn tasks(&self) -> Result<Stmt, Fault> {
        let formulas = self.program.formulas();
        self.of.tasks(&formulas.iter().collect::<Vec<_>>(), &self.program.out, |first, count| {
            let m = self.memory();
            let body = match &self.program.map {
                Map::Elements(_) => self.rows(&m, first, count)?,
                Map::Place { place, nowhere } => self.searched(&m, (first, count), (place, nowhere))?,
            };
            let own = vec![m.kept, m.kept_from, m.runs, m.sums, m.halves];
            let own = [own, m.state, vec![m.last, m.of_row, m.places, m.place]].concat();
            let own = used_in(&body, own);
            Ok((body, own))
        })
    }

    /// The state of the first row, and all rows.
    fn rows(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let (begin, begin_names) = self.reduced("begin", first)?;
        let first_row = self.pieces.each(|piece| self.piece(m, None, Some(&begin), piece))?;
        let row = self.of.var("row");
        let i = Expr::var(&row);
        let (here, mut names) = self.of.row("here", &(first + &i))?;
        let (next, next_names) = self.reduced("next", &(first + &(&i + 1)))?;
        let is_another = self.of.known.simplify(&compare(CmpOp::Lt, &(&i + 1), count)?);
        let results = self.pieces.each(|piece| self.piece(m, Some(&here), None, piece))?;
        let both = if count.as_int() == Some(1) {
            results
        } else {
            names.extend(next_names);
            let both = self.pieces.each(|piece| self.piece(m, Some(&here), Some(&next), piece))?;
            StmtKind::If { condition: is_another, then: both, otherwise: Some(results) }.into()
        };
        let steps = [self.once(m)?, self.begun(m)?, vec![with_names(names, both)]].concat();
        let mut stmts = self.begun(m)?;
        stmts.push(with_names(begin_names, first_row));
        stmts.push(serial(&row, count, Stmt::seq(steps)));
        Ok(Stmt::seq(stmts))
    }

    /// A row to reduce, with the names that it and the one to prefetch have.
    fn reduced(&self, name: &str, number: &Expr) -> Result<(Reduced, Row), Fault> {
        let (row, mut names) = self.of.row(name, number)?;
        let ahead = if self.prefetch_row {
            let (ahead, ahead_names) = self.of.row("ahead", &(number + 1))?;
            names.extend(ahead_names);
            ahead
        } else {
            row.clone()
        };
        Ok((Reduced { row, ahead }, names))
    }

    /// Nothing of a row is taken in.
    fn begun(&self, m: &Memory) -> Result<Vec<Stmt>, Fault> {
        let mut stmts = Vec::new();
        if self.monoid.tail.is_some() {
            stmts.push(self.of.cleared(&m.sums, &Expr::float(0.0, DataType::F32))?);
        }
        for (component, own) in self.monoid.state.iter().zip(&m.state) {
            stmts.push(store(own, &[&Expr::i64(0)], &component.identity)?);
        }
        Ok(stmts)
    }

    fn state(&self, m: &Memory) -> Result<Row, Fault> {
        let component =
            |(component, own): (&Component, &Buffer)| Ok((component.var.clone(), load(own, &[&Expr::i64(0)])?));
        self.monoid.state.iter().zip(&m.state).map(component).collect()
    }

    /// A piece of two rows: the result of the one before, and the next one taken in.
    fn piece(&self, m: &Memory, before: Option<&Row>, next: Option<&Reduced>, piece: &Piece) -> Result<Stmt, Fault> {
        let (mut names, mut stmts) = (Vec::new(), Vec::new());
        let scale = match before {
            Some(_) if self.keep => self.scale(m, piece)?.map(|scale| named("scale", &scale, &mut names)),
            _ => None,
        };
        let (together, apart) = if self.shares_pass() { (before, None) } else { (None, before) };
        if let Some(row) = apart {
            stmts.push(self.results(m, row, piece)?);
        }
        let column = self.pieces.column(piece.length);
        let mut here = Here { piece, of: self.of.along(&column), outer: Row::new() };
        if next.is_some() && self.pieces.several == 1 {
            here.outer = self.outer(&piece.lot, &mut names)?;
        }
        let run = next.map(|next| self.run(m, next, &here)).transpose()?;
        if together.is_none() && run.is_none() {
            return Ok(with_names(names, Stmt::seq(stmts)));
        }
        let pass = here.of.columns(|at| {
            let mut stmts = match next {
                Some(next) => self.prefetched_by_tail(next, &here, &at.first)?,
                None => Vec::new(),
            };
            // Of kept terms those of the row before are read before others take their place.
            if let Some(row) = together {
                stmts.push(self.result(m, row, &here, (at, scale.as_ref()))?);
            }
            if let (Some(next), Some(run)) = (next, &run) {
                stmts.extend(self.tail(m, next, &here, (at, run))?);
            }
            Ok(stmts)
        })?;
        match run {
            Some(run) => {
                stmts.extend(run.pass);
                stmts.push(with_names(run.names, Stmt::seq([run.merged, vec![pass]].concat())));
            }
            None => stmts.push(pass),
        }
        Ok(with_names(names, Stmt::seq(stmts)))
    }

    /// Whether results are written in the loop of the tails: memory takes them while exponentials are worked out. Tails that cost
    /// little are as fast as memory, and results then have a loop of their own.
    fn shares_pass(&self) -> bool {
        self.monoid.rescale.is_some()
    }

    /// A run of elements is reduced and merged into the state.
    fn run(&self, m: &Memory, next: &Reduced, here: &Here<'_>) -> Result<Run, Fault> {
        let zero = Expr::i64(0);
        let mut run = Run { pass: Vec::new(), names: Vec::new(), merged: Vec::new(), values: self.state(m)? };
        let Some(Head { fold, from }) = &self.monoid.head else { return Ok(run) };
        let both = |a: &Expr, b: &Expr| fold.op.both(a, b);
        run.pass.push(here.of.cleared(&m.runs, &substituted(from, &run.values))?);
        run.pass.push(here.of.columns(|at| {
            let mut stmts = self.prefetched_by_head(next, here, &at.first)?;
            stmts.push(here.of.accumulated(&m.runs, at, both, |column| self.element(&next.row, here, column))?);
            Ok(stmts)
        })?);
        run.pass.extend(folded(&m.runs, &m.halves, &both)?);
        let names = &self.monoid.names;
        run.values.push((names.run.clone(), named("run", &load(&m.halves, &[&zero])?, &mut run.names)));
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
            run.merged.push(here.of.scaled(&m.sums, &by)?);
        }
        for (merge, own) in self.monoid.merge.iter().zip(&m.state) {
            run.merged.push(store(own, &[&zero], &substituted(merge, &run.values))?);
        }
        if self.keep {
            run.merged.push(store(&m.kept_from, &[&self.number(here.piece)?], &load_first(&m.state)?)?);
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
    fn tail(
        &self,
        m: &Memory,
        next: &Reduced,
        here: &Here<'_>,
        (at, run): (&Vector, &Run),
    ) -> Result<Vec<Stmt>, Fault> {
        let Some(tail) = &self.monoid.tail else { return Ok(Vec::new()) };
        let own = |column: &Expr| {
            let x = (self.monoid.names.x.clone(), self.element(&next.row, here, column)?);
            Ok(substituted(tail, &[run.values.as_slice(), &[x]].concat()))
        };
        let add = |a: &Expr, b: &Expr| binary(BinOp::Add, a, b);
        if !self.keep {
            return Ok(vec![here.of.accumulated(&m.sums, at, add, own)?]);
        }
        let kept = |column: &Expr| &here.piece.begin + column;
        Ok(vec![
            here.of.vector(at, |_, column| store(&m.kept, &[&kept(column)], &own(column)?))?,
            here.of.accumulated(&m.sums, at, add, |column| load(&m.kept, &[&kept(column)]))?,
        ])
    }

    /// What kept terms of a piece have to be multiplied by.
    fn scale(&self, m: &Memory, piece: &Piece) -> Result<Option<Expr>, Fault> {
        let (from, last) = (load(&m.kept_from, &[&self.number(piece)?])?, load(&m.last, &[&Expr::i64(0)])?);
        Ok(self.monoid.rescaled(&from, &[last]))
    }

    /// The number of a piece among those of its row.
    fn number(&self, piece: &Piece) -> Result<Expr, Fault> {
        let longest = Expr::i64(self.pieces.longest());
        Ok(self.of.known.simplify(&binary(BinOp::FloorDiv, &piece.begin, &longest)?))
    }

    /// What the result of the row is made with whose pieces are all taken in.
    fn once(&self, m: &Memory) -> Result<Vec<Stmt>, Fault> {
        let mut stmts = folded(&m.sums, &m.halves, &|a, b| binary(BinOp::Add, a, b))?;
        let mut values = self.state(m)?;
        values.push((self.monoid.names.sum.clone(), load(&m.halves, &[&Expr::i64(0)])?));
        if self.kept.is_some() {
            stmts.push(store(&m.last, &[&Expr::i64(0)], &load_first(&m.state)?)?);
        }
        let mut names = Vec::new();
        let total =
            |(var, value): &(Var, Expr)| (var.clone(), named(&var.name, &substituted(value, &values), &mut names));
        let numbers: Vec<Expr> = self.monoid.of_row.iter().map(|(_, number)| number.clone()).collect();
        let is_read = |(var, _): &&(Var, Expr)| mentions(&numbers, std::slice::from_ref(var));
        let totals: Row = self.monoid.totals.iter().filter(is_read).map(total).collect();
        stmts.push(with_names(names, Stmt::seq(kept(&m.of_row, &self.monoid.of_row, &totals)?)));
        Ok(stmts)
    }

    /// The result of a piece, in loops of its own.
    fn results(&self, m: &Memory, row: &Row, piece: &Piece) -> Result<Stmt, Fault> {
        let several = self.pieces.several;
        let column = self.pieces.column(if several == 1 { piece.length } else { self.pieces.columns });
        let within = self.of.var("within");
        let lot = if several == 1 { piece.lot.clone() } else { &(&piece.lot * several) + &Expr::var(&within) };
        let mut names = Vec::new();
        let outer = self.outer(&self.of.known.simplify(&lot), &mut names)?;
        let here = Here { piece, of: self.of.along(&column), outer };
        let columns = here.of.columns(|at| Ok(vec![self.result(m, row, &here, (at, None))?]))?;
        let columns = with_names(names, columns);
        Ok(if several == 1 { columns } else { serial(&within, &Expr::i64(several), columns) })
    }

    /// The result of a vector of a piece.
    fn result(
        &self,
        m: &Memory,
        row: &Row,
        here: &Here<'_>,
        (at, scale): (&Vector, Option<&Expr>),
    ) -> Result<Stmt, Fault> {
        let (map, numbers) = (self.program.elements()?, loaded(&m.of_row, &self.monoid.of_row)?);
        here.of.result(at, |column| {
            let place = &here.piece.begin + column;
            let inner = axes_at(&self.of.known, &self.program.reduced.inner, &place)?;
            let (axes, mut numbers) = ([row.clone(), here.outer.clone(), inner].concat(), numbers.clone());
            if let Some(name) = &self.kept {
                let again = |last: Expr| self.monoid.tail_of_row(&placed(&self.monoid.element, &axes, &[]), &[last]);
                let term = match scale {
                    Some(scale) => Some(binary(BinOp::Mul, &load(&m.kept, &[&place])?, scale)?),
                    None => again(load(&m.last, &[&Expr::i64(0)])?),
                };
                numbers.extend(term.map(|term| (name.clone(), term)));
            }
            result_at(self.program, &axes, &placed(&map.value, &axes, &numbers))
        })
    }

    /// Each row's extreme with the piece that has it, and then its index in that.
    fn searched(
        &self,
        m: &Memory,
        (first, count): (&Expr, &Expr),
        (place, nowhere): (&Expr, &Expr),
    ) -> Result<Stmt, Fault> {
        let number = self.of.var("row");
        let (row, names) = self.of.row("here", &(first + &Expr::var(&number)))?;
        let reduced = Reduced { ahead: row.clone(), row };
        let mut steps = self.begun(m)?;
        steps.push(self.pieces.each(|piece| {
            let column = self.pieces.column(piece.length);
            let here = Here { piece, of: self.of.along(&column), outer: Row::new() };
            let run = self.run(m, &reduced, &here)?;
            Ok(Stmt::seq([run.pass, vec![with_names(run.names, Stmt::seq(run.merged))]].concat()))
        })?);
        let [at, best] = m.state.as_slice() else { return Err(Fault::of_call("there is no extreme")) };
        let (zero, of) = (Expr::i64(0), &self.of);
        let (at, best) = (load(at, &[&zero])?, load(best, &[&zero])?);
        steps.push(of.cleared(&m.places, nowhere)?);
        steps.push(of.columns(|vector| {
            // The last piece may be shorter than others.
            let is_even = self.count % self.pieces.longest() == 0;
            let least = of.vector(vector, |l, column| {
                let column = &at + column;
                let axes = [reduced.row.clone(), axes_at(&of.known, &self.program.reduced.inner, &column)?].concat();
                let here = is_extreme(&placed(&self.monoid.element, &axes, &[]), &best)?;
                let number = typed(Expr::select(&here, &placed(place, &axes, &[]), nowhere))?;
                let own = [&vector.accumulator, l];
                let least = store(&m.places, &own, &binary(BinOp::Min, &load(&m.places, &own)?, &number)?)?;
                let is_in = compare(CmpOp::Lt, &column, &Expr::i64(self.count))?;
                Ok(if is_even { least } else { only_if(is_in, least) })
            })?;
            Ok(vec![least])
        })?);
        steps.extend(folded(&m.places, &m.place, &|a, b| binary(BinOp::Min, a, b))?);
        steps.push(result_at(self.program, &reduced.row, &load(&m.place, &[&zero])?)?);
        Ok(serial(&number, count, with_names(names, Stmt::seq(steps))))
    }

    /// An element of a piece.
    fn element(&self, row: &Row, here: &Here<'_>, column: &Expr) -> Result<Expr, Fault> {
        let (group, place) = self.place(here.piece, column);
        let axes = axes_at(&self.of.known, group, &place)?;
        Ok(placed(&self.monoid.element, &[row.clone(), here.outer.clone(), axes].concat(), &[]))
    }

    /// An element of a piece as a place in a group of axes.
    fn place(&self, piece: &Piece, column: &Expr) -> (&Group, Expr) {
        match (self.pieces.several, &self.program.reduced.whole) {
            (2.., Some(whole)) => (whole, &self.pieces.before(piece) + column),
            _ => (&self.program.reduced.inner, &piece.begin + column),
        }
    }

    /// The axes around the inner ones, under names.
    fn outer(&self, place: &Expr, names: &mut Row) -> Result<Row, Fault> {
        let group = &self.program.reduced.outer;
        let place = if group.axes.len() > 1 { named("outer", place, names) } else { place.clone() };
        let values = axes_at(&self.of.known, group, &place)?;
        Ok(values.into_iter().map(|(var, value)| (var.clone(), named(&var.name, &value, names))).collect())
    }

    /// Prefetches beside the heads of a vector: a half of what the next tail and head read where these share them, so that memory
    /// has something to do in both.
    fn prefetched_by_head(&self, next: &Reduced, here: &Here<'_>, first: &Expr) -> Result<Vec<Stmt>, Fault> {
        match (&self.monoid.tail, &self.monoid.rescale) {
            (None, _) => {
                let elements = PREFETCH_BYTES / self.monoid.element.dtype.bytes() as i64;
                self.prefetches(&next.row, here, &(first + elements))
            }
            (Some(_), None) => self.prefetched(next, here, &halved(first)?),
            (Some(_), Some(_)) => Ok(Vec::new()),
        }
    }

    /// Prefetches beside the tails of a vector.
    fn prefetched_by_tail(&self, next: &Reduced, here: &Here<'_>, first: &Expr) -> Result<Vec<Stmt>, Fault> {
        match (&self.monoid.head, &self.monoid.rescale) {
            (Some(_), None) => self.prefetched(next, here, &halved(&(first + here.piece.length))?),
            _ => self.prefetched(next, here, first),
        }
    }

    /// Prefetches of a column of the next row, or of the next piece.
    fn prefetched(&self, next: &Reduced, here: &Here<'_>, column: &Expr) -> Result<Vec<Stmt>, Fault> {
        if self.prefetch_row {
            self.prefetches(&next.ahead, here, column)
        } else {
            self.prefetches(&next.row, here, &(column + here.piece.length))
        }
    }

    fn prefetches(&self, row: &Row, here: &Here<'_>, column: &Expr) -> Result<Vec<Stmt>, Fault> {
        let (group, place) = self.place(here.piece, column);
        let axes = axes_at(&self.of.known, group, &self.of.known.simplify(&place))?;
        let axes = [row.clone(), here.outer.clone(), axes].concat();
        prefetches(self.program, std::slice::from_ref(&self.monoid.element), &axes)
    }

    fn memory(&self) -> Memory {
        let Sizes { lanes, accumulators, .. } = self.of.sizes;
        let (element, index) = (self.monoid.element.dtype, self.program.out.dtype);
        let component = |component: &Component| local(&component.var.name, &[1], component.var.dtype);
        Memory {
            kept: global("kept", &[ceil_div(self.count, lanes) * lanes], DataType::F32),
            kept_from: global("kept_from", &[ceil_div(self.count, self.pieces.longest())], DataType::F32),
            runs: local("runs", &[accumulators, lanes], element),
            sums: local("sums", &[accumulators, lanes], DataType::F32),
            halves: local("halves", &[lanes], element),
            state: self.monoid.state.iter().map(component).collect(),
            last: local("last", &[1], DataType::F32),
            of_row: local("of_row", &[self.monoid.of_row.len().max(1) as i64], DataType::F32),
            places: local("places", &[accumulators, lanes], index),
            place: local("place", &[lanes], index),
        }
    }
}

fn load_first(state: &[Buffer]) -> Result<Expr, Fault> {
    let first = state.first().ok_or_else(|| Fault::of_call("the monoid has no state"))?;
    load(first, &[&Expr::i64(0)])
}

fn halved(column: &Expr) -> Result<Expr, Fault> {
    binary(BinOp::FloorDiv, column, &Expr::i64(2))
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
