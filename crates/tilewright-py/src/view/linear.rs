//! Linear equations and inequalities over integers, as Python sees them.

use pyo3::prelude::*;
use tilewright::arith::{self, Analyzer, IntConstraints};
use tilewright::expr::{Expr, Var};

use super::arith::ranges_by_var;
use super::{Field, Node, argument};

fn constraints(
    variables: &Bound<'_, PyAny>,
    ranges: &Bound<'_, PyAny>,
    relations: &Bound<'_, PyAny>,
) -> PyResult<IntConstraints> {
    let variables = if variables.is_none() { Vec::new() } else { argument(variables, "variables")? };
    Ok(IntConstraints {
        variables,
        ranges: ranges_by_var(ranges, "ranges")?,
        relations: argument(relations, "equations")?,
    })
}

fn constraints_field(system: &IntConstraints) -> Field {
    let ranges = system.ranges.iter().map(|(var, range)| (Field::var(var), Field::Node(Node::Range(range.clone()))));
    Field::List(vec![
        Field::list(&system.variables, Field::var),
        Field::Dict(ranges.collect()),
        Field::scalars(&system.relations),
    ])
}

fn values(pairs: &[(Var, Expr)]) -> Field {
    Field::Dict(pairs.iter().map(|(var, value)| (Field::var(var), Field::scalar(value))).collect())
}

/// A system of linear equations in other variables: `(src, dst, src_to_dst, dst_to_src)`.
#[pyfunction]
pub(crate) fn solve_linear_equations<'py>(
    equations: &Bound<'py, PyAny>,
    variables: &Bound<'py, PyAny>,
    ranges: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let system = constraints(variables, ranges, equations)?;
    let found = arith::solve_linear_equations(&Analyzer::new(), &system);
    let parts = vec![
        constraints_field(&found.src),
        constraints_field(&found.dst),
        values(&found.src_to_dst),
        values(&found.dst_to_src),
    ];
    Field::List(parts).view(equations.py())
}

/// The bounds of the variables of a system of linear inequalities, `(var, coef, lower, equal, upper)` each, and the
/// rest.
#[pyfunction]
pub(crate) fn solve_linear_inequalities<'py>(
    inequalities: &Bound<'py, PyAny>,
    variables: &Bound<'py, PyAny>,
    ranges: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let system = constraints(variables, ranges, inequalities)?;
    let found = arith::solve_linear_inequalities(&Analyzer::new(), &system);
    let bounds = Field::list(&found.bounds, |(var, bounds)| {
        Field::List(vec![
            Field::var(var),
            Field::Int(bounds.coef),
            Field::scalars(&bounds.lower),
            Field::scalars(&bounds.equal),
            Field::scalars(&bounds.upper),
        ])
    });
    Field::List(vec![bounds, Field::scalars(&found.others)]).view(inequalities.py())
}

/// The same with a range for each variable: `(variables, ranges, relations)`.
#[pyfunction]
pub(crate) fn solve_inequalities_to_range<'py>(
    inequalities: &Bound<'py, PyAny>,
    variables: &Bound<'py, PyAny>,
    ranges: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let system = constraints(variables, ranges, inequalities)?;
    constraints_field(&arith::solve_inequalities_to_range(&Analyzer::new(), &system)).view(inequalities.py())
}

/// The coefficients of the variables and the rest; empty where the expression is not linear in them.
#[pyfunction]
pub(crate) fn detect_linear_equation<'py>(
    expr: &Bound<'py, PyAny>,
    vars: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (value, vars): (Expr, Vec<Var>) = (argument(expr, "expr")?, argument(vars, "var_list")?);
    let found = arith::detect_linear_equation(&Analyzer::new(), &value, &vars);
    let parts = found.map(|found| found.coefficients.iter().chain([&found.base]).map(Field::scalar).collect());
    Field::List(parts.unwrap_or_default()).view(expr.py())
}

/// The least and the greatest value of each variable that the condition leaves; empty where it says more than that.
#[pyfunction]
pub(crate) fn detect_clip_bound<'py>(
    expr: &Bound<'py, PyAny>,
    vars: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (value, vars): (Expr, Vec<Var>) = (argument(expr, "expr")?, argument(vars, "var_list")?);
    let found = arith::detect_clip_bound(&Analyzer::new(), &value, &vars).unwrap_or_default();
    let ends = found.iter().flat_map(|bound| [&bound.min, &bound.max]);
    Field::list(ends, |end| Field::optional(end.as_ref(), Field::scalar)).view(expr.py())
}

/// The operations that occur at least `threshold` times in an expression, with how often.
#[pyfunction]
pub(crate) fn detect_common_subexpr<'py>(expr: &Bound<'py, PyAny>, threshold: usize) -> PyResult<Bound<'py, PyAny>> {
    let value: Expr = argument(expr, "expr")?;
    let found = arith::common_subexpressions(&value, threshold);
    let pairs = found.iter().map(|(part, count)| (Field::scalar(part), Field::Int(*count as i64)));
    Field::Dict(pairs.collect()).view(expr.py())
}
