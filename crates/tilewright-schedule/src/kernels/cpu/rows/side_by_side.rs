//! Rows whose neighbours are neighbours in memory: each row has a lane of its own, and a strip of rows is walked
//! together.
//!
//! ```text
//! for task in parallel(…)
//!   state of the first strip of neighbouring rows
//!   for each strip of the task
//!     totals of the strip
//!     for each few steps k along the rows
//!       Y[k, strip] = value(X[k, strip], totals)
//!       run         = head of X[k, next strip]
//!       sum         = sum * rescale + tails of X[k, next strip]
//!       state       = merge(state, run)
//! ```
//!
//! Memory is read in runs of a strip while it takes the results of the strip before; where some strips have fewer rows,
//! one is done with before the next. A state is merged once for several steps. Exponentials are kept where a strip of
//! them stays in a cache (`keep`); otherwise the result works them out again.
//!
//! Of argreduce the first element gives the first state, and the state is the result: nothing is left to do in another
//! strip.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::state::State;
use super::vectors::{Row, RowVectors, Sizes, Stages, Vector};
use super::{Cx, formula_at, global, local};
use crate::analysis::axes::{Axis, Group};
use crate::build::exprs::{binary, compare, substituted, typed};
use crate::build::loops::{load, named, serial, store, with_names};
use crate::families::rows::monoid::{Component, Head, Monoid};
use crate::families::rows::{Map, RowProgram};
use crate::fault::Fault;
use crate::plan::Plan;
use crate::plan::cpu::rows::SideBySidePlan;
use crate::primitive::call::Primitive;
use crate::units::ceil_div;

/// Bytes between what is read and what is prefetched: between exponentials, and where an extreme alone is looked for.
const PREFETCH_BYTES_OF_EXPS: i64 = 8 << 10;
const PREFETCH_BYTES: i64 = 4 << 10;

pub(crate) const ROWS_SIDE_BY_SIDE: Primitive = Primitive {
    name: "RowsSideBySide",
    method: "rows_side_by_side",
    doc: "Reduces rows that lie side by side in memory, each in a lane, in strips of neighbours: a softmax, argreduce.",
    params: SideBySidePlan::PARAMS,
    plan: Some(SideBySidePlan::DEF),
    gives_list: false,
    run: |call| super::run(call, kernel),
};

pub(super) fn kernel(cx: &Cx<'_>, plan: &SideBySidePlan) -> Result<Stmt, Fault> {
    let program = cx.program;
    let neighbours = program.side_by_side.as_ref();
    let neighbours = neighbours.ok_or_else(|| Fault::of_call("the elements of a row lie together"))?;
    let (extent, again) = (program.column()?.extent.as_int(), State::again(program));
    if plan.keep && again.is_some() && extent.is_none() {
        return Err(Fault::of_call("powers of a row of unknown length are not kept"));
    }
    if extent.is_some_and(|extent| extent <= 0) {
        return Err(Fault::of_call("rows have no elements"));
    }
    let (strip, all) = (plan.strip, neighbours.size.as_int());
    let is_even = all.is_some_and(|all| all % strip == 0);
    if matches!(program.map, Map::Index { .. }) && !is_even {
        let all = all.ok_or_else(|| Fault::of_call("the number of neighbours is not known"))?;
        return Err(Fault::of_call(format!("{all} rows side by side are not strips of {strip}")));
    }
    let strips = match all {
        Some(all) => Expr::i64(ceil_div(all, strip)),
        None => typed(neighbours.size.ceil_div(strip))?,
    };
    let width = if is_even { None } else { Some(Var::new("width", DataType::I64)) };
    let column = width.as_ref().map_or(Expr::i64(strip), Expr::var);
    let column = Axis { var: Var::new("column", DataType::I64), extent: column };
    let number = Axis { var: Var::new("strip", DataType::I64), extent: strips };
    let axes: Vec<Axis> = program.rows.axes.iter().chain([&number]).cloned().collect();
    let rows = Group::new(&Analyzer::new(), axes, DataType::I64)?;
    let sizes = Sizes { lanes: plan.lanes, accumulators: plan.vectors, rows_per_task: plan.rows };
    let of = RowVectors::of(cx, &rows, &column, sizes)?;
    let state = state(program, plan)?;
    let m = Memory::of(&state.monoid, plan);
    Walk { program, of, neighbours, number: &number.var, plan, width, state, m }.tasks()
}

/// The narrowest type that has all indices of a row, for there is one in each lane.
fn index_dtype(program: &RowProgram) -> Result<DataType, Fault> {
    let column = program.column()?;
    let fits = column.extent.as_int().is_some_and(|extent| i32::try_from(extent).is_ok());
    Ok(if fits { DataType::I32 } else { column.var.dtype })
}

struct Walk<'a> {
    program: &'a RowProgram,
    /// Strips as rows, whose columns are the rows side by side.
    of: RowVectors<'a>,
    neighbours: &'a Group,
    /// The number of a strip.
    number: &'a Var,
    plan: &'a SideBySidePlan,
    /// The name of the number of rows of a strip, where some have fewer.
    width: Option<Var>,
    state: State,
    m: Memory,
}

/// The memory of a task without the states of the rows of a strip.
struct Memory {
    /// The sum of each row of a strip.
    total: Buffer,
    /// A vector of runs, and of sums over some steps.
    run: Buffer,
    sum: Buffer,
    /// What the results of the rows are made with.
    of_row: Buffer,
    /// What kept terms have to be multiplied by.
    scale: Buffer,
}

/// Steps that are taken together: the first, how many, and their number among such.
struct Steps {
    first: Expr,
    count: i64,
    number: Expr,
}

impl Steps {
    fn at(&self, step: i64) -> Expr {
        if step == 0 { self.first.clone() } else { &self.first + step }
    }
}

impl Walk<'_> {
    fn tasks(&self) -> Result<Stmt, Fault> {
        let Self { state, m, .. } = self;
        let own = [&m.total, &m.run, &m.sum, &state.kept, &state.kept_from, &state.last, &m.of_row, &m.scale];
        self.of.tasks(state.components.iter().chain(own).collect(), |first, count| {
            let stages = Stages {
                init_state: &|| self.init_state(),
                finish: &|| self.finish(),
                step: &|here, next| self.step(here.map(|here| &here.axes), next.map(|next| &next.axes)),
            };
            match (&self.program.map, &self.width) {
                (Map::Index { index, none_found }, _) => self.search(first, count, index, none_found),
                (Map::Elements(_), Some(width)) => self.unpipelined(width, first, count),
                (Map::Elements(_), None) => self.of.pipelined(first, count, &stages),
            }
        })
    }

    /// The first row of a strip.
    fn begin(&self, strip: &Row) -> Expr {
        let own = strip.iter().find(|(var, _)| var == self.number).map(|(_, number)| number.clone());
        self.of.known.simplify(&(&own.unwrap_or(Expr::i64(0)) * self.plan.strip))
    }

    /// Writes the result of one strip, and reduces another one.
    fn step(&self, here: Option<&Row>, next: Option<&Row>) -> Result<Stmt, Fault> {
        self.each(|steps, at| {
            let mut stmts = here.map_or(Ok(Vec::new()), |here| self.results(here, steps, at))?;
            stmts.extend(next.map_or(Ok(Vec::new()), |next| self.reduce(next, steps, at))?);
            Ok(stmts)
        })
    }

    /// Strips one after the other, some of fewer rows.
    fn unpipelined(&self, width: &Var, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let row = self.of.var("row");
        let (strip, mut names) = self.of.row("here", &(first + &Expr::var(&row)))?;
        let left = binary(BinOp::Min, &Expr::i64(self.plan.strip), &(&self.neighbours.size - &self.begin(&strip)))?;
        names.push((width.clone(), left));
        let steps =
            [self.init_state()?, self.step(None, Some(&strip))?, self.finish()?, self.step(Some(&strip), None)?];
        Ok(serial(&row, count, with_names(names, Stmt::seq(steps))))
    }

    /// Argreduce: each strip's state, and the indices in it. A row may have no element to begin with; then the
    /// result is `none_found`.
    fn search(&self, first: &Expr, count: &Expr, index: &Expr, none_found: &Expr) -> Result<Stmt, Fault> {
        let number = self.of.var("row");
        let (strip, names) = self.of.row("here", &(first + &Expr::var(&number)))?;
        let extent = &self.program.column()?.extent;
        let k = self.of.var("k");
        let first_elements = self.of.columns(|at| self.first_elements(&strip, at))?;
        let next = Steps { first: Expr::var(&k), count: 1, number: Expr::var(&k) };
        let mut ahead_names = Row::new();
        let ahead = self.wrapped(&strip, &next, &mut ahead_names)?;
        let others = self.of.columns(|at| {
            let mut stmts = match &ahead {
                Some((begin, k)) => self.prefetch_at(&self.axes(&strip, k, &(begin + &at.first))?)?,
                None => Vec::new(),
            };
            stmts.extend(self.reduce(&strip, &next, at)?);
            Ok(stmts)
        })?;
        let left = self.of.known.simplify(&(extent - 1));
        let others = Stmt::for_loop(&k, Expr::i64(1), left, ForKind::Serial, with_names(ahead_names, others));
        let at = self.state.components.first().ok_or_else(|| Fault::of_call("there is no index"))?;
        let results = self.of.columns(|vector| {
            Ok(vec![self.of.result(vector, |column| {
                let axes = self.axes(&strip, &load(at, &[column])?, &(&self.begin(&strip) + column))?;
                self.of.store_result(&axes, &formula_at(index, &axes, &[]))
            })?])
        })?;
        let steps = Stmt::seq([first_elements, others, results]);
        let nothing = self.of.columns(|vector| {
            Ok(vec![self.of.result(vector, |column| {
                let axes = self.axes(&strip, &Expr::i64(0), &(&self.begin(&strip) + column))?;
                self.of.store_result(&axes, none_found)
            })?])
        })?;
        let steps = match extent.as_int() {
            Some(_) => steps,
            None => {
                let condition = compare(CmpOp::Gt, extent, &Expr::i64(0))?;
                StmtKind::If { condition, then: steps, otherwise: Some(nothing) }.into()
            }
        };
        Ok(serial(&number, count, with_names(names, steps)))
    }

    /// The states of a vector of rows after their first elements.
    fn first_elements(&self, strip: &Row, at: &Vector) -> Result<Vec<Stmt>, Fault> {
        let names = &self.state.monoid.names;
        let zero = Expr::int(0, names.begin.dtype);
        let component = |(component, own): (&Component, &Buffer)| {
            self.of.vector(at, |_, column| {
                let values = [
                    (names.begin.clone(), zero.clone()),
                    (names.run.clone(), self.element(strip, &Expr::i64(0), column)?),
                ];
                let first = component.of_first.as_ref().unwrap_or(&component.identity);
                store(own, &[column], &substituted(first, &values))
            })
        };
        self.state.monoid.state.iter().zip(&self.state.components).map(component).collect()
    }

    fn init_state(&self) -> Result<Stmt, Fault> {
        self.of.columns(|at| {
            let identities = self.state.monoid.state.iter().map(|component| component.identity.clone());
            let all =
                self.state.components.iter().zip(identities).chain([(&self.m.total, Expr::float(0.0, DataType::F32))]);
            all.map(|(own, value)| self.of.vector(at, |_, column| store(own, &[column], &value))).collect()
        })
    }

    /// Loops over all steps and vectors of rows: as many steps as are taken together, and what is left.
    fn each(&self, body: impl Fn(&Steps, &Vector) -> Result<Vec<Stmt>, Fault>) -> Result<Stmt, Fault> {
        let (all, count) = (&self.program.column()?.extent, self.plan.steps);
        let (several, one) = (self.of.var("several"), self.of.var("one"));
        let whole = self.of.known.simplify(&binary(BinOp::FloorDiv, all, &Expr::i64(count))?);
        let number = Expr::var(&several);
        let together = Steps { first: &number * count, count, number };
        let together = self.of.columns(|at| body(&together, at))?;
        let mut stmts = vec![serial(&several, &whole, together)];
        let rest = self.of.known.simplify(&binary(BinOp::FloorMod, all, &Expr::i64(count))?);
        if rest.as_int() != Some(0) {
            let number = Expr::var(&one);
            let steps = Steps { first: &(&whole * count) + &number, count: 1, number: &whole + &number };
            stmts.push(serial(&one, &rest, self.of.columns(|at| body(&steps, at))?));
        }
        Ok(Stmt::seq(stmts))
    }

    /// Reduces some elements of each row of a vector of rows.
    fn reduce(&self, strip: &Row, steps: &Steps, at: &Vector) -> Result<Vec<Stmt>, Fault> {
        let (of, zero) = (&self.of, Expr::i64(0));
        let element = |step: i64, column: &Expr| self.element(strip, &steps.at(step), column);
        let mut stmts = Vec::new();
        if self.state.monoid.tail.is_some() {
            stmts.extend(self.prefetch(strip, steps, at)?);
        }
        // A run of one element from the identity on is that element.
        let is_element = |head: &&Head| steps.count == 1 && head.from.equal(&head.fold.identity);
        let folded = self.state.monoid.head.as_ref().filter(|head| !is_element(head));
        if let Some(head) = folded {
            stmts.push(of.vector(at, |l, column| {
                store(&self.m.run, &[&zero, l], &substituted(&head.from, &self.state.load(column)?))
            })?);
            for step in 0..steps.count {
                stmts.push(of.vector(at, |l, column| {
                    let run = load(&self.m.run, &[&zero, l])?;
                    store(&self.m.run, &[&zero, l], &head.fold.op.both(&run, &element(step, column)?)?)
                })?);
            }
        }
        let values = |l: &Expr, column: &Expr| {
            let run = if folded.is_some() { load(&self.m.run, &[&zero, l])? } else { element(0, column)? };
            self.values(steps, run, column)
        };
        stmts.extend(self.tails(steps, at, &element, &values)?);
        for (merge, own) in self.state.monoid.merge.iter().zip(&self.state.components) {
            stmts.push(of.vector(at, |l, column| store(own, &[column], &substituted(merge, &values(l, column)?)))?);
        }
        if self.state.keep {
            stmts.push(of.vector(at, |_, column| {
                store(&self.state.kept_from, &[&steps.number, column], &self.state.load_first(column)?)
            })?);
        }
        Ok(stmts)
    }

    /// Values of the monoid's names for a run of a row.
    fn values(&self, steps: &Steps, run: Expr, column: &Expr) -> Result<Row, Fault> {
        let names = &self.state.monoid.names;
        let mut values = self.state.load(column)?;
        values.extend([
            (names.run.clone(), run),
            (names.begin.clone(), typed(steps.first.cast(names.begin.dtype))?),
            (names.is_first.clone(), compare(CmpOp::Eq, &steps.first, &Expr::i64(0))?),
            (names.before.clone(), typed(steps.first.cast(DataType::F32))?),
            (names.length.clone(), Expr::float(steps.count as f64, DataType::F32)),
        ]);
        for (var, value) in &self.state.monoid.lets {
            values.push((var.clone(), substituted(value, &values)));
        }
        Ok(values)
    }

    /// What some elements of a vector of rows add to their sums; what the result reads again is kept.
    fn tails(
        &self,
        steps: &Steps,
        at: &Vector,
        element: &dyn Fn(i64, &Expr) -> Result<Expr, Fault>,
        values: &dyn Fn(&Expr, &Expr) -> Result<Row, Fault>,
    ) -> Result<Vec<Stmt>, Fault> {
        let (of, zero, mut stmts) = (&self.of, Expr::i64(0), Vec::new());
        let Some(tail) = &self.state.monoid.tail else { return Ok(stmts) };
        for step in 0..steps.count {
            let k = steps.at(step);
            let own = |l: &Expr, column: &Expr| {
                let x = (self.state.monoid.names.x.clone(), element(step, column)?);
                Ok(substituted(tail, &[values(l, column)?, vec![x]].concat()))
            };
            let add = |l: &Expr, tail: &Expr| match step {
                0 => store(&self.m.sum, &[&zero, l], tail),
                _ => store(&self.m.sum, &[&zero, l], &binary(BinOp::Add, &load(&self.m.sum, &[&zero, l])?, tail)?),
            };
            if self.state.keep {
                stmts.push(of.vector(at, |l, column| store(&self.state.kept, &[&k, column], &own(l, column)?))?);
                stmts.push(of.vector(at, |l, column| add(l, &load(&self.state.kept, &[&k, column])?))?);
            } else {
                stmts.push(of.vector(at, |l, column| add(l, &own(l, column)?))?);
            }
        }
        stmts.push(of.vector(at, |l, column| {
            let mut before = load(&self.m.total, &[column])?;
            if let Some(rescale) = &self.state.monoid.rescale {
                before = binary(BinOp::Mul, &before, &substituted(rescale, &values(l, column)?))?;
            }
            store(&self.m.total, &[column], &binary(BinOp::Add, &before, &load(&self.m.sum, &[&zero, l])?)?)
        })?);
        Ok(stmts)
    }

    /// Computes what the results of the rows are made with, whose elements are all reduced.
    fn finish(&self) -> Result<Stmt, Fault> {
        self.of.columns(|at| {
            let one = |(number, (_, formula)): (i64, &(Var, Expr))| {
                self.of.vector(at, |_, column| {
                    let totals = self.state.totals(column, load(&self.m.total, &[column])?)?;
                    store(&self.m.of_row, &[&Expr::i64(number), column], &substituted(formula, &totals))
                })
            };
            let mut stmts: Vec<Stmt> = (0..).zip(&self.state.monoid.of_row).map(one).collect::<Result<_, _>>()?;
            if self.state.again.is_some() {
                stmts.push(self.of.vector(at, |_, column| self.state.store_last(column))?);
            }
            Ok(stmts)
        })
    }

    /// The results of a vector of rows in some steps.
    fn results(&self, strip: &Row, steps: &Steps, at: &Vector) -> Result<Vec<Stmt>, Fault> {
        let (map, state, zero, mut stmts) = (self.program.elements()?, &self.state, Expr::i64(0), Vec::new());
        if state.keep {
            stmts.push(self.of.vector(at, |l, column| {
                let scale = state.scale(column, &load(&state.kept_from, &[&steps.number, column])?)?;
                store(&self.m.scale, &[&zero, l], &scale.ok_or_else(|| Fault::of_call("nothing is rescaled"))?)
            })?);
        } else {
            stmts.extend(self.prefetch(strip, steps, at)?);
        }
        for step in 0..steps.count {
            let k = steps.at(step);
            stmts.push(self.of.result(at, |column| {
                let axes = self.axes(strip, &k, &(&self.begin(strip) + column))?;
                let term = if state.keep {
                    let l = self.of.known.simplify(&(column - &at.first));
                    state.term(column, &axes, Some((&[&k, column], &load(&self.m.scale, &[&zero, &l])?)))?
                } else {
                    state.term(column, &axes, None)?
                };
                let mut numbers: Row = term.into_iter().collect();
                for (number, (var, _)) in (0..).zip(&state.monoid.of_row) {
                    numbers.push((var.clone(), load(&self.m.of_row, &[&Expr::i64(number), column])?));
                }
                self.of.store_result(&axes, &formula_at(&map.value, &axes, &numbers))
            })?);
        }
        Ok(stmts)
    }

    /// The axes of an element of a row, by the number of that among its neighbours.
    fn axes(&self, strip: &Row, k: &Expr, row: &Expr) -> Result<Row, Fault> {
        let reduced = self.of.axes_at(&self.program.reduced.inner, k)?;
        Ok([strip.clone(), reduced, self.of.axes_at(self.neighbours, &self.of.known.simplify(row))?].concat())
    }

    fn element(&self, strip: &Row, k: &Expr, column: &Expr) -> Result<Expr, Fault> {
        Ok(formula_at(&self.state.monoid.element, &self.axes(strip, k, &(&self.begin(strip) + column))?, &[]))
    }

    /// Prefetches of what comes some steps after these.
    fn prefetch(&self, strip: &Row, steps: &Steps, at: &Vector) -> Result<Vec<Stmt>, Fault> {
        let bytes = self.plan.strip * self.state.monoid.element.dtype.bytes() as i64;
        let ahead = (PREFETCH_BYTES_OF_EXPS / bytes / self.plan.steps).max(1) * self.plan.steps;
        let row = &self.begin(strip) + &at.first;
        let one = |step: i64| self.prefetch_at(&self.axes(strip, &(&steps.first + (step + ahead)), &row)?);
        Ok((0..steps.count).map(one).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn prefetch_at(&self, axes: &Row) -> Result<Vec<Stmt>, Fault> {
        self.of.prefetch(std::slice::from_ref(&self.state.monoid.element), axes)
    }

    /// The first row and the index that are prefetched meanwhile: some indices further on, or the first of the next
    /// strip; nothing where rows are short.
    fn wrapped(&self, strip: &Row, steps: &Steps, names: &mut Row) -> Result<Option<(Expr, Expr)>, Fault> {
        let bytes = self.plan.strip * self.state.monoid.element.dtype.bytes() as i64;
        let further = (PREFETCH_BYTES / bytes.max(1)).max(1);
        let extent = self.program.column()?.extent.as_int();
        let Some(all) = extent.filter(|&all| all > 2 * further) else { return Ok(None) };
        let (next, begin) = (&steps.first + further, self.begin(strip));
        let is_here = compare(CmpOp::Lt, &next, &Expr::i64(all))?;
        let begin = typed(Expr::select(&is_here, &begin, &(&begin + self.plan.strip)))?;
        let begin = named("next_strip", &begin, names);
        let k = named("next", &typed(Expr::select(&is_here, &next, &(&next - all)))?, names);
        Ok(Some((begin, k)))
    }
}

impl Memory {
    fn of(monoid: &Monoid, plan: &SideBySidePlan) -> Self {
        let (lanes, strip, float32) = (plan.lanes, whole_strip(plan), DataType::F32);
        Self {
            total: global("total", &[strip], float32),
            run: local("run", &[1, lanes], monoid.element.dtype),
            sum: local("sum", &[1, lanes], float32),
            of_row: global("of_row", &[monoid.of_row.len().max(1) as i64, strip], float32),
            scale: local("scale", &[1, lanes], float32),
        }
    }
}

/// Rows of a strip in whole vectors.
fn whole_strip(plan: &SideBySidePlan) -> i64 {
    ceil_div(plan.strip, plan.lanes) * plan.lanes
}

/// The states of the rows of a strip.
fn state(program: &RowProgram, plan: &SideBySidePlan) -> Result<State, Fault> {
    let (monoid, again) = (Monoid::of(program, index_dtype(program)?)?, State::again(program));
    let (steps, strip, keep) = (plan.steps, whole_strip(plan), plan.keep && again.is_some());
    let all = program.reduced.inner.size.as_int().filter(|_| keep).unwrap_or(1);
    let component = |component: &Component| global(&component.var.name, &[strip], component.var.dtype);
    Ok(State {
        components: monoid.state.iter().map(component).collect(),
        last: global("last", &[strip], DataType::F32),
        kept: global("kept", &[all, strip], DataType::F32),
        kept_from: global("kept_from", &[all / steps + all % steps, strip], DataType::F32),
        keep,
        monoid,
        again,
    })
}
