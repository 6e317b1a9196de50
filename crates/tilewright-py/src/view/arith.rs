//! Arithmetic on integers as Python sees it: the analyser, sets, bounds and iterator maps of `tilewright.arith`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tilewright::arith::{
    self, Analyzer, ConstIntBound, IntSet, IterMark, IterSource, IterSplitExpr, IterSumExpr, ModularSet, Scope,
};
use tilewright::expr::{Expr, Range, Var};

use super::{Args, Field, FromPython, Node, argument, node_of, wrap};
use crate::error;

/// The results of the arithmetic, besides expressions.
#[derive(Clone, Debug)]
pub(crate) enum Arith {
    Bound(ConstIntBound),
    Modular(ModularSet),
    Set(IntSet),
    Mark(Arc<IterMark>),
    Split(IterSplitExpr),
    Sum(IterSumExpr),
}

pub(super) fn kind(arith: &Arith) -> &'static str {
    match arith {
        Arith::Bound(_) => "arith.ConstIntBound",
        Arith::Modular(_) => "arith.ModularSet",
        Arith::Set(_) => "arith.IntervalSet",
        Arith::Mark(_) => "arith.IterMark",
        Arith::Split(_) => "arith.IterSplitExpr",
        Arith::Sum(_) => "arith.IterSumExpr",
    }
}

/// The recipe of a result: a function of Python's and its arguments.
pub(super) fn made_again<'py>(
    object: &Bound<'py, PyAny>,
    answer: &Arith,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let py = object.py();
    if matches!(answer, Arith::Set(IntSet::Nothing)) {
        let make = py.import("tilewright._core")?.getattr("make_set")?;
        return Ok((make, PyTuple::new(py, ["nothing"])?));
    }
    let parts: &[&str] = match answer {
        Arith::Bound(_) | Arith::Set(_) => &["min_value", "max_value"],
        Arith::Modular(_) => &["coeff", "base"],
        Arith::Mark(_) => &["source", "extent"],
        Arith::Split(_) => &["source", "lower_factor", "extent", "scale"],
        Arith::Sum(_) => &["args", "base"],
    };
    let parts = parts.iter().map(|part| object.getattr(*part)).collect::<PyResult<Vec<_>>>()?;
    Ok((object.get_type().getattr("_make")?, PyTuple::new(py, parts)?))
}

pub(super) fn node(arith: Arith) -> Field {
    Field::Node(Node::Arith(arith))
}

pub(super) fn field(arith: &Arith, name: &str) -> Option<Field> {
    Some(match (arith, name) {
        (Arith::Bound(bound), "min_value") => Field::Int(bound.min_value),
        (Arith::Bound(bound), "max_value") => Field::Int(bound.max_value),
        (Arith::Modular(set), "coeff") => Field::Int(set.coeff),
        (Arith::Modular(set), "base") => Field::Int(set.base),
        (Arith::Set(set), "min_value") => Field::optional(set.min_value(), Field::scalar),
        (Arith::Set(set), "max_value") => Field::optional(set.max_value(), Field::scalar),
        (Arith::Mark(mark), "source") => match &mark.source {
            IterSource::Var { var, .. } => Field::var(var),
            IterSource::Sum(sum) => node(Arith::Sum((**sum).clone())),
        },
        (Arith::Mark(mark), "extent") => Field::scalar(&mark.extent),
        (Arith::Split(split), "source") => node(Arith::Mark(split.source.clone())),
        (Arith::Split(split), "lower_factor") => Field::scalar(&split.lower_factor),
        (Arith::Split(split), "extent") => Field::scalar(&split.extent),
        (Arith::Split(split), "scale") => Field::scalar(&split.scale),
        (Arith::Sum(sum), "args") => Field::list(&sum.args, |split| node(Arith::Split(split.clone()))),
        (Arith::Sum(sum), "base") => Field::scalar(&sum.base),
        (Arith::Split(IterSplitExpr { extent: of, .. }) | Arith::Sum(IterSumExpr { base: of, .. }), "dtype") => {
            Field::dtype(of.dtype)
        }
        _ => return None,
    })
}

pub(super) fn same(a: &Arith, b: &Arith) -> bool {
    match (a, b) {
        (Arith::Bound(a), Arith::Bound(b)) => a == b,
        (Arith::Modular(a), Arith::Modular(b)) => a == b,
        (Arith::Set(a), Arith::Set(b)) => sets(a, b),
        (Arith::Mark(a), Arith::Mark(b)) => Arc::ptr_eq(a, b) || marks(a, b),
        (Arith::Split(a), Arith::Split(b)) => splits(a, b),
        (Arith::Sum(a), Arith::Sum(b)) => sums(a, b),
        _ => false,
    }
}

fn sets(a: &IntSet, b: &IntSet) -> bool {
    let ends = |a: Option<&Expr>, b: Option<&Expr>| match (a, b) {
        (Some(a), Some(b)) => a.equal(b),
        (None, None) => true,
        _ => false,
    };
    matches!(a, IntSet::Nothing) == matches!(b, IntSet::Nothing)
        && ends(a.min_value(), b.min_value())
        && ends(a.max_value(), b.max_value())
}

fn marks(a: &IterMark, b: &IterMark) -> bool {
    let sources = match (&a.source, &b.source) {
        (IterSource::Var { var: a, min: x }, IterSource::Var { var: b, min: y }) => a == b && x.equal(y),
        (IterSource::Sum(a), IterSource::Sum(b)) => sums(a, b),
        _ => false,
    };
    sources && a.extent.equal(&b.extent)
}

fn splits(a: &IterSplitExpr, b: &IterSplitExpr) -> bool {
    marks(&a.source, &b.source)
        && a.lower_factor.equal(&b.lower_factor)
        && a.extent.equal(&b.extent)
        && a.scale.equal(&b.scale)
}

fn sums(a: &IterSumExpr, b: &IterSumExpr) -> bool {
    a.base.equal(&b.base) && a.args.len() == b.args.len() && a.args.iter().zip(&b.args).all(|(a, b)| splits(a, b))
}

pub(crate) fn text(arith: &Arith) -> String {
    let print = tilewright::script::print::print_expr;
    match arith {
        Arith::Bound(bound) => bound.to_string(),
        Arith::Modular(set) => format!("ModularSet(coeff={}, base={})", set.coeff, set.base),
        Arith::Set(IntSet::Nothing) => "IntervalSet(nothing)".to_owned(),
        Arith::Set(set) => {
            let end = |end: Option<&Expr>, none: &str| end.map_or_else(|| none.to_owned(), print);
            format!("IntervalSet[{}, {}]", end(set.min_value(), "neg_inf"), end(set.max_value(), "pos_inf"))
        }
        Arith::Mark(mark) => match &mark.source {
            IterSource::Var { var, .. } => format!("IterMark({}, extent={})", var.name, print(&mark.extent)),
            IterSource::Sum(sum) => {
                format!("IterMark({}, extent={})", text(&Arith::Sum((**sum).clone())), print(&mark.extent))
            }
        },
        Arith::Split(split) => format!(
            "IterSplit({}, lower_factor={}, extent={}, scale={})",
            text(&Arith::Mark(split.source.clone())),
            print(&split.lower_factor),
            print(&split.extent),
            print(&split.scale)
        ),
        Arith::Sum(sum) => {
            let args: Vec<String> = sum.args.iter().map(|split| text(&Arith::Split(split.clone()))).collect();
            format!("IterSum([{}], {})", args.join(", "), print(&sum.base))
        }
    }
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    let made = match args.kind() {
        "arith.ConstIntBound" => Arith::Bound(ConstIntBound::new(args.get(0, "min_value")?, args.get(1, "max_value")?)),
        "arith.ModularSet" => Arith::Modular(ModularSet::new(args.get(0, "coeff")?, args.get(1, "base")?)),
        "arith.IntervalSet" => Arith::Set(interval(args)?),
        "arith.IterMark" => {
            let extent = args.get(1, "extent")?;
            let source = match node_of(&args.object(0)?) {
                Some(Node::Arith(Arith::Sum(sum))) => IterSource::Sum(Box::new(sum.clone())),
                _ => {
                    let var: Var = args.get(0, "source")?;
                    let min = Expr::int(0, var.dtype);
                    IterSource::Var { var, min }
                }
            };
            Arith::Mark(Arc::new(IterMark { source, extent }))
        }
        "arith.IterSplitExpr" => Arith::Split(IterSplitExpr {
            source: args.get(0, "source")?,
            lower_factor: args.get(1, "lower_factor")?,
            extent: args.get(2, "extent")?,
            scale: args.get(3, "scale")?,
        }),
        "arith.IterSumExpr" => Arith::Sum(IterSumExpr { args: args.get(0, "args")?, base: args.get(1, "base")? }),
        _ => return Ok(None),
    };
    Ok(Some(Node::Arith(made)))
}

/// `(min_value, max_value)`, integers or None.
fn interval(args: &Args<'_, '_>) -> PyResult<IntSet> {
    let (min, max): (Option<Expr>, Option<Expr>) = (args.get(0, "min_value")?, args.get(1, "max_value")?);
    let wrong = min.iter().chain(&max).find(|end| !end.dtype.is_int());
    match wrong {
        Some(end) => {
            let reason = format_args!("the end of an interval is an integer, found {}", end.dtype);
            Err(super::refused(args.py(), args.kind(), reason))
        }
        None => Ok(IntSet::interval(min, max)),
    }
}

macro_rules! from_python {
    ($($type:ty, $expected:literal, $variant:ident;)*) => {$(
        impl FromPython for $type {
            const EXPECTED: &'static str = $expected;
            fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
                Ok(match node_of(object) {
                    Some(Node::Arith(Arith::$variant(value))) => Some(value.clone()),
                    _ => None,
                })
            }
        }
    )*};
}

from_python! {
    ConstIntBound, "a ConstIntBound", Bound;
    ModularSet, "a ModularSet", Modular;
    IntSet, "an IntSet", Set;
    Arc<IterMark>, "an IterMark", Mark;
    IterSplitExpr, "an IterSplitExpr", Split;
    IterSumExpr, "an IterSumExpr", Sum;
}

/// Variables with their ranges (or sets), of a dict.
pub(super) fn by_var<T: FromPython>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<(Var, T)>> {
    if object.is_none() {
        return Ok(Vec::new());
    }
    if !object.hasattr("items")? || node_of(object).is_some() {
        return Err(error::wrong_type(format_args!("argument `{name}` is a dict from variables"), object));
    }
    let mut pairs = Vec::new();
    for item in object.call_method0("items")?.try_iter()? {
        let (var, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        pairs.push((argument(&var, name)?, argument(&value, name)?));
    }
    Ok(pairs)
}

/// Variables with their ranges, in the variables' own types.
pub(super) fn ranges_by_var(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<(Var, Range)>> {
    let typed = |(var, range): (Var, Range)| {
        let cast = |e: &Expr| e.cast(var.dtype).unwrap_or_else(|_| e.clone());
        let range = Range::new(cast(&range.min), cast(&range.extent));
        (var, range)
    };
    Ok(by_var::<Range>(object, name)?.into_iter().map(typed).collect())
}

pub(super) fn optional_field(found: Option<Vec<Field>>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Field::optional(found, Field::List).view(py)
}

/// Facts about variables, and the questions that they answer.
#[pyclass(frozen, subclass, name = "Analyzer", module = "tilewright.arith.analyzer")]
pub(crate) struct PyAnalyzer {
    cx: Mutex<Analyzer>,
    scopes: Mutex<Vec<Scope>>,
}

impl PyAnalyzer {
    fn lock(&self) -> MutexGuard<'_, Analyzer> {
        self.cx.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scalar<'py>(
        &self,
        expr: &Bound<'py, PyAny>,
        f: impl FnOnce(&Analyzer, &Expr) -> Expr,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value: Expr = argument(expr, "expr")?;
        wrap(expr.py(), Node::Scalar(f(&self.lock(), &value)))
    }
}

#[pymethods]
impl PyAnalyzer {
    #[new]
    fn new() -> Self {
        Self { cx: Mutex::default(), scopes: Mutex::default() }
    }

    /// The least and the greatest value that is known of an expression.
    #[pyo3(signature = (expr, dtype_bound=None))]
    fn const_int_bound<'py>(&self, expr: &Bound<'py, PyAny>, dtype_bound: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        let _ = dtype_bound;
        let value: Expr = argument(expr, "expr")?;
        node(Arith::Bound(self.lock().const_int_bound(&value))).view(expr.py())
    }

    /// The known remainder of an expression.
    fn modular_set<'py>(&self, expr: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let value: Expr = argument(expr, "expr")?;
        node(Arith::Modular(self.lock().modular_set(&value))).view(expr.py())
    }

    /// An interval that contains every value of an expression, where variables take the values of these sets.
    #[pyo3(signature = (expr, dom_map=None))]
    fn int_set<'py>(
        &self,
        expr: &Bound<'py, PyAny>,
        dom_map: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value: Expr = argument(expr, "expr")?;
        let mut sets = Vec::new();
        if let Some(map) = dom_map.filter(|map| !map.is_none()) {
            for (var, object) in by_var::<SetOrRange>(map, "dom_map")? {
                sets.push((var, object.0));
            }
        }
        node(Arith::Set(self.lock().int_set(&value, &sets))).view(expr.py())
    }

    /// The expression in a form that is not larger.
    #[pyo3(signature = (expr, steps=2))]
    fn simplify<'py>(&self, expr: &Bound<'py, PyAny>, steps: i64) -> PyResult<Bound<'py, PyAny>> {
        let _ = steps;
        self.scalar(expr, |cx, value| cx.simplify(value))
    }

    /// The same by rewrite rules.
    fn rewrite_simplify<'py>(&self, expr: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.scalar(expr, |cx, value| cx.simplify(value))
    }

    /// The expression as a sum in a fixed order, so that equal ones are often the same.
    fn canonical_simplify<'py>(&self, expr: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.scalar(expr, |cx, value| cx.canonical_simplify(value))
    }

    /// The variable has this value, or takes the values of this range.
    #[pyo3(signature = (var, expr, allow_override=false))]
    fn bind(&self, var: &Bound<'_, PyAny>, expr: &Bound<'_, PyAny>, allow_override: bool) -> PyResult<()> {
        let of: Var = argument(var, "var")?;
        let mut cx = self.lock();
        let known = cx.has_range(&of).then(|| cx.const_int_bound(&Expr::var(&of)));
        let scope = cx.enter();
        match node_of(expr) {
            Some(Node::Range(range)) => cx.bind(&of, range),
            _ => cx.bind_replaced(&of, &argument(expr, "expr")?),
        }
        let found = cx.const_int_bound(&Expr::var(&of));
        match known.filter(|known| *known != found && !allow_override) {
            Some(known) => {
                cx.leave(scope);
                let reason = format_args!("`{}` is bound to {known} already, found {found}", of.name);
                Err(error::general(var.py(), format_args!("{reason}: give `allow_override=True` to replace it")))
            }
            None => Ok(()),
        }
    }

    /// The variable's values are within this bound, have this remainder, or are in this set. Other facts of the same
    /// sort are an error, unless they are to be replaced.
    #[pyo3(signature = (var, info, r#override=false))]
    fn update(&self, var: &Bound<'_, PyAny>, info: &Bound<'_, PyAny>, r#override: bool) -> PyResult<()> {
        let of: Var = argument(var, "var")?;
        let mut cx = self.lock();
        let stated = match (node_of(info), r#override) {
            (Some(Node::Arith(Arith::Bound(bound))), false) => cx.state_bound(&of, *bound),
            (Some(Node::Arith(Arith::Bound(bound))), true) => {
                cx.update_bound(&of, *bound);
                Ok(())
            }
            (Some(Node::Arith(Arith::Modular(set))), false) => cx.state_modular(&of, *set),
            (Some(Node::Arith(Arith::Modular(set))), true) => {
                cx.replace_modular(&of, *set);
                Ok(())
            }
            (Some(Node::Arith(Arith::Set(set))), _) => {
                let end = |end: Option<&Expr>| end.and_then(Expr::as_int);
                cx.bind_bounds(&of, end(set.min_value()), end(set.max_value()));
                Ok(())
            }
            _ => return Err(error::wrong_type("expected a ConstIntBound, a ModularSet or an IntSet", info)),
        };
        stated.map_err(|reason| error::general(var.py(), reason))
    }

    /// Whether the condition certainly holds.
    #[pyo3(signature = (expr, strength=0))]
    fn can_prove(&self, expr: &Bound<'_, PyAny>, strength: i64) -> PyResult<bool> {
        let _ = strength;
        let value: Expr = argument(expr, "expr")?;
        Ok(self.lock().prove(&value))
    }

    /// Whether two expressions certainly are equal.
    fn can_prove_equal(&self, lhs: &Bound<'_, PyAny>, rhs: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (a, b): (Expr, Expr) = (argument(lhs, "lhs")?, argument(rhs, "rhs")?);
        let (a, b) = Expr::matched(&a, &b).map_err(|reason| error::general(lhs.py(), reason))?;
        Ok(self.lock().prove_equal(&a, &b))
    }

    fn _enter(&self, condition: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: Expr = argument(condition, "constraint")?;
        let mut cx = self.lock();
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner).push(cx.enter());
        cx.assume(&value);
        Ok(())
    }

    fn _leave(&self) {
        let scope = self.scopes.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(scope) = scope {
            self.lock().leave(scope);
        }
    }
}

/// A set of integers, which may be given as a range.
struct SetOrRange(IntSet);

impl FromPython for SetOrRange {
    const EXPECTED: &'static str = "an IntSet or a Range";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Arith(Arith::Set(set))) => Some(Self(set.clone())),
            Some(Node::Range(range)) => Some(Self(IntSet::from_range(range))),
            _ => None,
        })
    }
}

/// The values of a variable for which a condition holds, whatever the relaxed variables are; nothing where not known.
#[pyfunction]
pub(crate) fn deduce_bound<'py>(
    var: &Bound<'py, PyAny>,
    cond: &Bound<'py, PyAny>,
    relaxed: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (of, condition): (Var, Expr) = (argument(var, "var")?, argument(cond, "cond")?);
    let sets: Vec<(Var, IntSet)> =
        by_var::<SetOrRange>(relaxed, "relax_map")?.into_iter().map(|(v, s)| (v, s.0)).collect();
    let found = arith::deduce_bound(&Analyzer::new(), &of, &condition, &sets);
    node(Arith::Set(found.unwrap_or(IntSet::Nothing))).view(var.py())
}

/// The region that an access covers over loops: `which` is "lower", "strict" or "upper". None where it is not known.
#[pyfunction]
pub(crate) fn estimate_region<'py>(
    which: &str,
    region: &Bound<'py, PyAny>,
    loops: &Bound<'py, PyAny>,
    predicate: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (ranges, loops): (Vec<Range>, Vec<(Var, Range)>) =
        (argument(region, "region")?, ranges_by_var(loops, "var_dom")?);
    let (condition, mut cx): (Expr, Analyzer) = (argument(predicate, "predicate")?, Analyzer::new());
    let found = match which {
        "lower" => arith::estimate_region_lower_bound(&mut cx, &ranges, &loops, &condition),
        "strict" => arith::estimate_region_strict_bound(&mut cx, &ranges, &loops, &condition),
        _ => Some(arith::estimate_region_upper_bound(&mut cx, &ranges, &loops, &condition)),
    };
    optional_field(found.map(|sets| sets.into_iter().map(|set| node(Arith::Set(set))).collect()), region.py())
}

/// The smallest interval around several sets (`union`), or the one in all of them.
#[pyfunction]
pub(crate) fn combine_sets<'py>(sets: &Bound<'py, PyAny>, union: bool) -> PyResult<Bound<'py, PyAny>> {
    let (all, cx): (Vec<IntSet>, Analyzer) = (argument(sets, "sets")?, Analyzer::new());
    let combined = if union { IntSet::union(&cx, &all) } else { IntSet::intersect(&cx, &all) };
    node(Arith::Set(combined)).view(sets.py())
}

/// A set by its sort: "nothing", "everything", "point" of an expression, or "vector" of one.
#[pyfunction]
#[pyo3(signature = (sort, value=None))]
pub(crate) fn make_set<'py>(
    py: Python<'py>,
    sort: &str,
    value: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let value: Option<Expr> = value.map(|value| argument(value, "value")).transpose()?;
    let set = match (sort, value) {
        ("point", Some(value)) => IntSet::single_point(value),
        ("vector", Some(value)) => IntSet::vector(&Analyzer::new(), &value),
        ("nothing", _) => IntSet::nothing(),
        ("everything", _) => IntSet::everything(),
        _ => return Err(error::general(py, format_args!("a set that is a {sort} needs a value"))),
    };
    node(Arith::Set(set)).view(py)
}

/// A property of a set: "nothing", "everything" or "single_point".
#[pyfunction]
pub(crate) fn set_is(set: &Bound<'_, PyAny>, what: &str) -> PyResult<bool> {
    let set: IntSet = argument(set, "set")?;
    Ok(match what {
        "nothing" => matches!(set, IntSet::Nothing),
        "single_point" => set.is_single_point(),
        _ => !matches!(set, IntSet::Nothing) && set.min_value().is_none() && set.max_value().is_none(),
    })
}

/// The simplifier's rules: `(group, equation, condition)` each.
#[pyfunction]
pub(crate) fn rewrite_rules(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let rules = PyDict::new(py);
    for rule in arith::rewrite_rules() {
        rules.set_item(rule.equation, (rule.group, rule.condition))?;
    }
    Ok(rules)
}
