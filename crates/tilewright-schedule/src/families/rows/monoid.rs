//! Row reductions as monoids: what is known of two parts of a row gives what is known of both.
//!
//! A [`Monoid`] is data: formulas of named numbers, for which a walk substitutes values. A part of a row is taken in as
//! a *run* of elements `x`:
//!
//! ```text
//! run    = head.fold of x over the run, from head.from         the greatest element of the run, or the sum
//! state  = merge(state, run)
//! sum   *= rescale                                             where a change of state changes what was summed
//! sum   += tail(x, run) of all x of the run
//! totals = finish(state, sum)
//! ```
//!
//! | monoid | state | head | tail |
//! |---|---|---|---|
//! | sum | | | `x` |
//! | online softmax | greatest element `m` | greatest, from `m` on | `exp(x - m)`, rescaled by `exp(old m - m)` |
//! | moments | mean (as a base and a drift from it), squares between runs | sum | `(x - mean of the run) ** 2` |
//! | argreduce | extreme, first index of its run | greatest or least | |
//!
//! Sources: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018; T. F. Chan, G. H. Golub
//! and R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.

use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, Intrinsic, Var};
use tilewright_tensor::DataType;

use super::{Combine, Fold, Map, Reduction, RowProgram, fault};
use crate::build::exprs::{binary, compare, greater, substituted, typed};
use crate::fault::Fault;

/// A number of a row, and what it is before the first run.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) var: Var,
    pub(crate) identity: Expr,
    /// What it is after the first element, whose index is [`Names::begin`], alone.
    pub(crate) of_first: Option<Expr>,
}

/// How a run is reduced to one number.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) fold: Fold,
    /// What the fold begins with: its identity, or a component of the state.
    pub(crate) from: Expr,
}

/// The names for which walks substitute values.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// An element.
    pub(crate) x: Var,
    /// A run, reduced.
    pub(crate) run: Var,
    /// The sum over all runs.
    pub(crate) sum: Var,
    /// Whether a run is the first of its row, how many elements are before it, how many it has, and the index of its
    /// first one.
    pub(crate) is_first: Var,
    pub(crate) before: Var,
    pub(crate) length: Var,
    pub(crate) begin: Var,
}

#[derive(Clone, Debug)]
pub(crate) struct Monoid {
    pub(crate) names: Names,
    /// An element as a formula of the axes.
    pub(crate) element: Expr,
    pub(crate) state: Vec<Component>,
    pub(crate) head: Option<Head>,
    /// Numbers of a run, each of those before it, of the state and of `run`.
    pub(crate) lets: Vec<(Var, Expr)>,
    /// The state after a run, in the order of `state`. No formula reads a component in front of its own.
    pub(crate) merge: Vec<Expr>,
    pub(crate) rescale: Option<Expr>,
    /// What an element adds to the sum.
    pub(crate) tail: Option<Expr>,
    /// The program's totals, of the state and `sum`.
    pub(crate) totals: Vec<(Var, Expr)>,
    /// What the result is made with once for a row, by its name in the map, of the totals.
    pub(crate) of_row: Vec<(Var, Expr)>,
}

fn float(value: f64) -> Expr {
    Expr::float(value, DataType::F32)
}

impl Combine {
    /// Two numbers as one.
    pub(crate) fn both(self, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        match self {
            Self::Add => binary(BinOp::Add, a, b),
            Self::Greater => greater(a, b),
            Self::Max => binary(BinOp::Max, a, b),
            Self::Min => binary(BinOp::Min, a, b),
        }
    }
}

impl Monoid {
    /// The reductions of a program as one monoid. Argreduce keeps indices in `index`.
    pub(crate) fn of(program: &RowProgram, index: DataType) -> Result<Self, Fault> {
        program.check_cost(program.reductions.get(..1).unwrap_or_default())?;
        match (program.reductions.as_slice(), &program.map) {
            ([best], Map::Index { .. }) => Self::argreduce(best, index),
            ([sum], Map::Elements(map)) if sum.fold.op == Combine::Add => Ok(Self::sum(sum, map.of_row.clone())),
            ([max, exps], Map::Elements(map)) if max.fold.op == Combine::Greater => {
                Self::online_softmax(max, exps, map.of_row.clone())
            }
            ([sum, squares], Map::Elements(map)) => Self::moments(program, sum, squares, &map.of_row),
            _ => Err(fault("there are not one or two sums and one result")),
        }
    }

    fn new(element: &Expr, index: DataType) -> Self {
        let float32 = |name: &str| Var::new(name, DataType::F32);
        let names = Names {
            x: Var::new("x", element.dtype),
            run: Var::new("run", element.dtype),
            sum: float32("sum"),
            is_first: Var::new("is_first", DataType::BOOL),
            before: float32("before"),
            length: float32("length"),
            begin: Var::new("begin", index),
        };
        Self {
            names,
            element: element.clone(),
            state: Vec::new(),
            head: None,
            lets: Vec::new(),
            merge: Vec::new(),
            rescale: None,
            tail: None,
            totals: Vec::new(),
            of_row: Vec::new(),
        }
    }

    fn sum(sum: &Reduction, of_row: Vec<(Var, Expr)>) -> Self {
        let mut monoid = Self::new(&sum.term.value, DataType::I64);
        monoid.tail = Some(Expr::var(&monoid.names.x));
        monoid.totals = vec![(sum.total.clone(), Expr::var(&monoid.names.sum))];
        monoid.of_row = of_row;
        monoid
    }

    /// The greatest element begins with a number, for of two infinities there would be no distance.
    fn online_softmax(max: &Reduction, exps: &Reduction, of_row: Vec<(Var, Expr)>) -> Result<Self, Fault> {
        let mut monoid = Self::new(&max.term.value, DataType::I64);
        let greatest = Var::new("running_max", DataType::F32);
        let (m, run) = (Expr::var(&greatest), Expr::var(&monoid.names.run));
        monoid.state = vec![Component { var: greatest, identity: float(f64::from(f32::MIN)), of_first: None }];
        monoid.head = Some(Head { fold: max.fold.clone(), from: m.clone() });
        monoid.merge = vec![run.clone()];
        monoid.rescale = Some(exp_of_distance(&m, &run)?);
        monoid.tail = Some(exp_of_distance(&Expr::var(&monoid.names.x), &run)?);
        let sum = Expr::var(&monoid.names.sum);
        monoid.totals = vec![(max.total.clone(), m), (exps.total.clone(), sum)];
        monoid.of_row = of_row;
        Ok(monoid)
    }

    /// The mean is kept as that of the first run and how far it drifted from there: numbers that are small next to
    /// large means, which would round them.
    fn moments(
        program: &RowProgram,
        sum: &Reduction,
        squares: &Reduction,
        of_row: &[(Var, Expr)],
    ) -> Result<Self, Fault> {
        let reduced = program.reduced.outer.axes.iter().chain(&program.reduced.inner.axes);
        let count = reduced.map(|axis| axis.extent.as_int()).try_fold(1, |all: i64, extent| all.checked_mul(extent?));
        let count = Expr::number(count.ok_or_else(|| fault("the length of a row is not known"))?, DataType::F32);
        let float32 = |name: &str| Var::new(name, DataType::F32);
        let mean = float32("mean");
        let distance = binary(BinOp::Sub, &sum.term.value, &Expr::var(&mean))?;
        let squared = substituted(&squares.term.value, &squares.term.of_row);
        if !of_mean(&squared, &sum.total, &mean, &count).equal(&binary(BinOp::Mul, &distance, &distance)?) {
            return Err(fault("the second sum is not of squares of distances from the mean"));
        }
        let mut monoid = Self::new(&sum.term.value, DataType::I64);
        let names = monoid.names.clone();
        let var = Expr::var;
        let [own, first, share, far] = ["own", "first", "share", "distance"].map(float32);
        let [between, drift, base] = ["between", "drift", "base"].map(float32);
        let (length, before) = (var(&names.length), var(&names.before));
        let apart = binary(BinOp::Sub, &binary(BinOp::Sub, &var(&own), &var(&first))?, &var(&drift))?;
        monoid.lets = vec![
            (own.clone(), binary(BinOp::Div, &var(&names.run), &length)?),
            (first.clone(), typed(Expr::select(&var(&names.is_first), &var(&own), &var(&base)))?),
            (share.clone(), binary(BinOp::Div, &length, &binary(BinOp::Add, &before, &length)?)?),
            (far.clone(), apart),
        ];
        let weighed = binary(BinOp::Mul, &var(&far), &binary(BinOp::Mul, &before, &var(&share))?)?;
        monoid.merge = vec![
            binary(BinOp::Add, &var(&between), &binary(BinOp::Mul, &var(&far), &weighed)?)?,
            binary(BinOp::Add, &var(&drift), &binary(BinOp::Mul, &var(&far), &var(&share))?)?,
            var(&first),
        ];
        let from_own = binary(BinOp::Sub, &var(&names.x), &var(&own))?;
        monoid.tail = Some(binary(BinOp::Mul, &from_own, &from_own)?);
        monoid.head = Some(Head { fold: sum.fold.clone(), from: float(0.0) });
        monoid.totals = vec![
            (mean.clone(), binary(BinOp::Add, &var(&base), &var(&drift))?),
            (squares.total.clone(), binary(BinOp::Add, &var(&names.sum), &var(&between))?),
        ];
        let component = |var: Var| Component { var, identity: float(0.0), of_first: None };
        monoid.state = [between, drift, base].map(component).into();
        let of_moments = |(var, value): &(Var, Expr)| (var.clone(), of_mean(value, &sum.total, &mean, &count));
        monoid.of_row = of_row.iter().map(of_moments).collect();
        Ok(monoid)
    }

    fn argreduce(best: &Reduction, index: DataType) -> Result<Self, Fault> {
        let mut monoid = Self::new(&best.term.value, index);
        let (extreme, at) = (Var::new("best", best.term.value.dtype), Var::new("at", index));
        let (run, begin) = (Expr::var(&monoid.names.run), Expr::var(&monoid.names.begin));
        let take = is_better(best.fold.op, &run, &Expr::var(&extreme))?;
        monoid.head = Some(Head { fold: best.fold.clone(), from: best.fold.identity.clone() });
        monoid.merge = vec![
            typed(Expr::select(&take, &begin, &Expr::var(&at)))?,
            typed(Expr::select(&take, &run, &Expr::var(&extreme)))?,
        ];
        monoid.state = vec![
            Component { var: at, identity: Expr::int(0, index), of_first: Some(begin) },
            Component { var: extreme, identity: best.fold.identity.clone(), of_first: Some(run) },
        ];
        Ok(monoid)
    }

    /// What an element, whose run is not known any more, adds to the sum where the state is that of a whole row.
    pub(crate) fn tail_of_row(&self, x: &Expr, state: &[Expr]) -> Option<Expr> {
        let values = [(self.names.x.clone(), x.clone()), (self.names.run.clone(), state.first()?.clone())];
        Some(substituted(self.tail.as_ref()?, &values))
    }

    /// What a sum has to be multiplied by that was taken where the first component of the state was `then`.
    pub(crate) fn rescaled(&self, then: &Expr, state: &[Expr]) -> Option<Expr> {
        let first = self.state.first()?.var.clone();
        let values = [(first, then.clone()), (self.names.run.clone(), state.first()?.clone())];
        Some(substituted(self.rescale.as_ref()?, &values))
    }
}

/// Whether `other` takes the place of `best`, which stands before it: NaN is better than any number, and the first NaN
/// the best of all.
fn is_better(op: Combine, other: &Expr, best: &Expr) -> Result<Expr, Fault> {
    let better = compare(if op == Combine::Min { CmpOp::Lt } else { CmpOp::Gt }, other, best)?;
    if !other.dtype.is_float() {
        return Ok(better);
    }
    let is_nan = |e: &Expr| typed(Expr::call(Intrinsic::IsNan, std::slice::from_ref(e)));
    let first_nan = binary(BinOp::BitAnd, &is_nan(other)?, &typed(is_nan(best)?.not())?)?;
    binary(BinOp::BitOr, &better, &first_nan)
}

fn exp_of_distance(number: &Expr, from: &Expr) -> Result<Expr, Fault> {
    typed(Expr::call(Intrinsic::Exp, &[binary(BinOp::Sub, number, from)?]))
}

/// A formula of a sum as one of the mean.
fn of_mean(value: &Expr, sum: &Var, mean: &Var, count: &Expr) -> Expr {
    let with_mean = rewrite(value, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::Div, a, b) if a.as_var() == Some(sum) && b.equal(count) => Some(Expr::var(mean)),
        _ => None,
    });
    let value = with_mean.unwrap_or_else(|| value.clone());
    let whole = Expr::binary(BinOp::Mul, &Expr::var(mean), count);
    whole.map_or(value.clone(), |whole| substituted(&value, &[(sum.clone(), whole)]))
}
