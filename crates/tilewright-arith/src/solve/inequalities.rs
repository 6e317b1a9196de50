//! Linear inequalities, by the elimination of Fourier and Motzkin.
//!
//! One variable after the other is taken out: what bounds it from below and from above is collected, brought to one
//! coefficient, and each lower bound must not exceed each upper one. The system that is left is weaker than the
//! original over the integers where that coefficient is not 1, so that it says what must hold, and its bounds contain
//! all solutions.

use tilewright_expr::{BinOp, CmpOp, Expr, Range, Var};

use super::{IntConstraints, against_zero, comparison, conjuncts, operation};
use crate::Analyzer;
use crate::linear::gcd;

/// Eliminations stop where more inequalities than this would be left.
const INEQUALITIES: usize = 2_000;

/// Bounds of `coef · var`, in the variables that are eliminated later.
#[derive(Clone, Debug, Default)]
pub struct IntGroupBounds {
    /// Positive.
    pub coef: i64,
    /// Each is at most `coef · var`.
    pub lower: Vec<Expr>,
    /// Each is `coef · var`.
    pub equal: Vec<Expr>,
    /// Each is at least `coef · var`.
    pub upper: Vec<Expr>,
}

/// The result of [`solve_linear_inequalities`].
#[derive(Clone, Debug)]
pub struct PartialSolution {
    /// In the order of elimination: bounds of a variable name only later variables.
    pub bounds: Vec<(Var, IntGroupBounds)>,
    /// The conditions without variables, and relations that are not linear in them.
    pub others: Vec<Expr>,
}

/// A linear inequality `Σ coefficient · var + rest <= 0`, or an equation.
#[derive(Clone)]
struct Row {
    coefficients: Vec<i64>,
    rest: Expr,
    equal: bool,
}

/// The system's variables, each bounded by those that follow it in the list.
pub fn solve_linear_inequalities(cx: &Analyzer, system: &IntConstraints) -> PartialSolution {
    let mut others = Vec::new();
    let mut rows = rows_of(cx, system, &mut others);
    let mut bounds = Vec::new();
    for (at, var) in system.variables.iter().enumerate() {
        let (with, without): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.coefficients[at] != 0);
        rows = without;
        let Some(found) = eliminate(cx, at, var, system, &with, &mut rows) else {
            others.extend(with.iter().map(|row| relation(cx, system, row)));
            bounds.push((var.clone(), IntGroupBounds { coef: 1, ..IntGroupBounds::default() }));
            continue;
        };
        bounds.push((var.clone(), found));
    }
    others.extend(rows.iter().map(|row| relation(cx, system, row)));
    if others.iter().any(|other| other.as_int() == Some(0)) {
        others = vec![Expr::bool(false)];
    }
    others.retain(|other| other.as_int() != Some(1));
    PartialSolution { bounds, others }
}

fn rows_of(cx: &Analyzer, system: &IntConstraints, others: &mut Vec<Expr>) -> Vec<Row> {
    let mut relations: Vec<Expr> = Vec::new();
    for (var, range) in &system.ranges {
        let end = operation(BinOp::Add, &range.min, &range.extent);
        relations.push(comparison(CmpOp::Le, &range.min, &Expr::var(var)));
        relations.push(comparison(CmpOp::Lt, &Expr::var(var), &end));
    }
    relations.extend(system.relations.iter().flat_map(conjuncts).cloned());
    let mut rows: Vec<Row> = Vec::new();
    for relation in relations {
        match row_of(cx, system, &relation) {
            Some(row) => push(cx, &mut rows, row),
            None => others.push(cx.simplify(&relation)),
        }
    }
    rows
}

fn row_of(cx: &Analyzer, system: &IntConstraints, relation: &Expr) -> Option<Row> {
    let (op, sum) = against_zero(relation)?;
    let (sign, more, equal) = match op {
        CmpOp::Le => (1, 0, false),
        CmpOp::Lt => (1, 1, false),
        CmpOp::Ge => (-1, 0, false),
        CmpOp::Gt => (-1, 1, false),
        CmpOp::Eq => (1, 0, true),
        CmpOp::Ne => return None,
    };
    let signed = operation(BinOp::Mul, &sum, &Expr::int(sign, sum.dtype));
    let signed = operation(BinOp::Add, &signed, &Expr::int(more, sum.dtype));
    let linear = cx.linear_in(&signed, &system.variables)?;
    Some(Row { coefficients: linear.coefficients, rest: linear.rest, equal })
}

/// Adds the row, divided by what its coefficients have in common; one that is there already, or always holds, is not.
fn push(cx: &Analyzer, rows: &mut Vec<Row>, mut row: Row) {
    let g = row.coefficients.iter().fold(0, |g, &c| gcd(g, c));
    if g > 1 && !row.equal {
        // g·s + rest <= 0 = s <= floor(-rest / g)
        row.coefficients.iter_mut().for_each(|c| *c /= g);
        let above = operation(BinOp::Add, &row.rest, &Expr::int(g - 1, row.rest.dtype));
        row.rest = cx.simplify(&operation(BinOp::FloorDiv, &above, &Expr::int(g, row.rest.dtype)));
    }
    let holds = g == 0 && !row.equal && cx.decide(CmpOp::Le, &row.rest, &Expr::int(0, row.rest.dtype)) == Some(true);
    let tighter = |old: &Row| {
        old.equal == row.equal
            && old.coefficients == row.coefficients
            && (old.rest.equal(&row.rest) || cx.decide(CmpOp::Ge, &old.rest, &row.rest) == Some(true) && !row.equal)
    };
    if !holds && !rows.iter().any(tighter) {
        rows.push(row);
    }
}

/// `Σ coefficient · var + rest`, without one variable.
fn sum(system: &IntConstraints, row: &Row, without: Option<usize>) -> Expr {
    let terms = system.variables.iter().zip(&row.coefficients).enumerate();
    let terms = terms.filter(|&(at, (_, &c))| c != 0 && Some(at) != without);
    terms.fold(row.rest.clone(), |sum, (_, (var, &c))| {
        let term = operation(BinOp::Mul, &Expr::var(var), &Expr::int(c, sum.dtype));
        operation(BinOp::Add, &sum, &term)
    })
}

fn relation(cx: &Analyzer, system: &IntConstraints, row: &Row) -> Expr {
    let sum = sum(system, row, None);
    let op = if row.equal { CmpOp::Eq } else { CmpOp::Le };
    cx.simplify(&comparison(op, &sum, &Expr::int(0, sum.dtype)))
}

/// The bounds of a variable, and in `rows` what they say of the others; `None` where that is too much or does not fit.
fn eliminate(
    cx: &Analyzer,
    at: usize,
    var: &Var,
    system: &IntConstraints,
    with: &[Row],
    rows: &mut Vec<Row>,
) -> Option<IntGroupBounds> {
    let lcm = |a: i64, b: i64| (a / gcd(a, b)).checked_mul(b.checked_abs()?);
    let coef = with.iter().try_fold(1, |all, row| lcm(all, row.coefficients[at]))?;
    let mut found = IntGroupBounds { coef, ..IntGroupBounds::default() };
    let (mut lower, mut upper): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
    for row in with {
        let factor = coef / row.coefficients[at].checked_abs()?;
        let scaled = scaled(cx, row, factor)?;
        let below = scaled.coefficients[at] < 0;
        // coef · v <= -(the others), or -coef · v + the others <= 0
        let others = sum(system, &scaled, Some(at));
        let zero = Expr::int(0, var.dtype);
        let bound = cx.simplify(&if below { others } else { operation(BinOp::Sub, &zero, &others) });
        match (row.equal, below) {
            (true, _) => found.equal.push(bound),
            (false, true) => found.lower.push(bound),
            (false, false) => found.upper.push(bound),
        }
        if row.equal || below {
            lower.push(oriented(cx, &scaled, at, -1)?);
        }
        if row.equal || !below {
            upper.push(oriented(cx, &scaled, at, 1)?);
        }
    }
    if lower.len().saturating_mul(upper.len()).saturating_add(rows.len()) > INEQUALITIES {
        return None;
    }
    let mut joined = Vec::new();
    for low in &lower {
        for high in &upper {
            let coefficients: Option<Vec<i64>> =
                low.coefficients.iter().zip(&high.coefficients).map(|(a, b)| a.checked_add(*b)).collect();
            let rest = cx.simplify(&operation(BinOp::Add, &low.rest, &high.rest));
            joined.push(Row { coefficients: coefficients?, rest, equal: false });
        }
    }
    joined.into_iter().for_each(|row| push(cx, rows, row));
    Some(found)
}

fn scaled(cx: &Analyzer, row: &Row, factor: i64) -> Option<Row> {
    let coefficients: Option<Vec<i64>> = row.coefficients.iter().map(|c| c.checked_mul(factor)).collect();
    let rest = cx.simplify(&operation(BinOp::Mul, &row.rest, &Expr::int(factor, row.rest.dtype)));
    Some(Row { coefficients: coefficients?, rest, equal: row.equal })
}

/// The row with the variable's coefficient of this sign: an equation is an inequality both ways.
fn oriented(cx: &Analyzer, row: &Row, at: usize, sign: i64) -> Option<Row> {
    let factor = if row.coefficients[at].signum() == sign { 1 } else { -1 };
    scaled(cx, row, factor).map(|row| Row { equal: false, ..row })
}

/// The system as ranges, each in the variables that follow; what is no range stays a relation.
pub fn solve_inequalities_to_range(cx: &Analyzer, system: &IntConstraints) -> IntConstraints {
    let PartialSolution { bounds, others } = solve_linear_inequalities(cx, system);
    let mut ranges = Vec::new();
    let mut relations = others;
    for (var, found) in bounds {
        let coef = Expr::int(found.coef, var.dtype);
        let above = Expr::int(found.coef - 1, var.dtype);
        let ceil = |e: &Expr| operation(BinOp::FloorDiv, &operation(BinOp::Add, e, &above), &coef);
        let floor = |e: &Expr| operation(BinOp::FloorDiv, e, &coef);
        let best = |all: Vec<Expr>, op| all.into_iter().reduce(|a, b| operation(op, &a, &b));
        let low = best(found.lower.iter().chain(&found.equal).map(ceil).collect(), BinOp::Max);
        let high = best(found.upper.iter().chain(&found.equal).map(floor).collect(), BinOp::Min);
        match (low, high) {
            (Some(low), Some(high)) => {
                let extent = operation(BinOp::Add, &operation(BinOp::Sub, &high, &low), &Expr::int(1, var.dtype));
                ranges.push((var, Range::new(cx.simplify(&low), cx.simplify(&extent))));
            }
            (low, high) => {
                let var = Expr::var(&var);
                relations.extend(low.map(|low| cx.simplify(&comparison(CmpOp::Le, &low, &var))));
                relations.extend(high.map(|high| cx.simplify(&comparison(CmpOp::Le, &var, &high))));
            }
        }
    }
    IntConstraints { variables: system.variables.clone(), ranges, relations }
}
