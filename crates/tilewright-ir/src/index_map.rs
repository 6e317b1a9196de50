//! Index maps: the indices of an element in one layout as expressions of its indices in another.

use tilewright_arith::{Analyzer, IterMapLevel, detect_iter_map, inverse_affine_iter_map};
use tilewright_expr::node::{IrNode, rewrite, walk};
use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};
use tilewright_support::Map;

/// A map of indices, such as `(i) -> (i // 4, i % 4)`.
#[derive(Clone, Debug, IrNode)]
pub struct IndexMap {
    #[ir(bind, name = "initial_indices")]
    initial: Vec<Var>,
    #[ir(name = "final_indices")]
    results: Vec<Expr>,
}

/// The inverse of an index map.
#[derive(Clone, Debug)]
pub struct Inverse {
    /// The extents of the mapped indices.
    pub shape: Vec<Expr>,
    /// The initial indices, as expressions of the mapped ones.
    pub initial: Vec<Expr>,
    /// Whether an index tuple has an element (is no padding); `None` if each does.
    pub inside: Option<Expr>,
}

impl IndexMap {
    /// The map, whose results speak of nothing but its initial indices.
    pub fn new(initial: Vec<Var>, results: Vec<Expr>) -> Result<Self, String> {
        if let Some(other) = results.iter().find(|index| !index.dtype.is_int() || !index.dtype.is_scalar()) {
            return Err(format!("an index is an integer, found {}", other.dtype));
        }
        let mut unknown = None;
        walk(&results, |var: &Var| {
            if !initial.contains(var) {
                unknown.get_or_insert_with(|| var.name.to_string());
            }
        });
        match unknown {
            Some(name) => Err(format!("`{name}` is none of the indices that are mapped")),
            None => Ok(Self { initial, results }),
        }
    }

    pub fn initial(&self) -> &[Var] {
        &self.initial
    }

    pub fn results(&self) -> &[Expr] {
        &self.results
    }

    /// The inverse map, for outputs within this shape; `None` if the map is not known to be one-to-one.
    ///
    /// If a dimension is split by a factor that does not divide it, it is padded to whole parts, and padding has no
    /// element.
    pub fn inverse(&self, cx: &mut Analyzer, shape: &[Expr], outputs: &[Var]) -> Option<Inverse> {
        let filled: Vec<Expr> =
            self.initial.iter().zip(shape).map(|(var, extent)| self.filled(cx, var, extent)).collect::<Option<_>>()?;
        let range = |extent: &Expr| {
            Range::up_to(if extent.as_int() == Some(0) { Expr::int(1, extent.dtype) } else { extent.clone() })
        };
        let ranges: Vec<(Var, Range)> = self.initial.iter().cloned().zip(filled.iter().map(range)).collect();
        let truth = Expr::bool(true);
        let found = detect_iter_map(cx, &self.results, &ranges, &truth, IterMapLevel::Bijective, true);
        let mapped = match filled.iter().any(|extent| extent.as_int() == Some(0)) {
            true => self.empty(cx, &filled),
            false => self.extents(cx, &ranges)?,
        };
        let scope = cx.enter();
        outputs.iter().zip(&mapped).for_each(|(var, extent)| cx.bind(var, &Range::up_to(extent.clone())));
        let back = inverse_affine_iter_map(cx, &found.indices, &outputs.iter().map(Expr::var).collect::<Vec<_>>());
        // An index of one value takes part in no other.
        let of = |var: &Var, back: &[(Var, Expr)]| {
            let value = back.iter().find(|(other, _)| other == var).map(|(_, value)| cx.simplify(value));
            value.unwrap_or_else(|| Expr::int(0, var.dtype))
        };
        let initial = back.map(|back| self.initial.iter().map(|var| of(var, &back)).collect::<Vec<_>>());
        cx.leave(scope);
        let initial = initial.filter(|_| found.indices.len() == self.results.len())?;
        let open =
            initial.iter().zip(shape).zip(&filled).filter(|((_, extent), filled)| !cx.prove_equal(extent, filled));
        let conditions = open.map(|((index, extent), _)| Expr::compare(CmpOp::Lt, index, extent).ok());
        let inside = conditions.collect::<Option<Vec<_>>>()?.into_iter();
        let inside = inside.reduce(|a, b| Expr::binary(BinOp::And, &a, &b).unwrap_or(a));
        Some(Inverse { shape: mapped, initial, inside })
    }

    /// The extents of the mapped indices, where the initial ones have these ranges.
    fn extents(&self, cx: &Analyzer, ranges: &[(Var, Range)]) -> Option<Vec<Expr>> {
        let extent = |index: &Expr| Some(cx.simplify(&(cx.int_set_over(index, ranges).max_value()? + 1)));
        self.results.iter().map(extent).collect()
    }

    /// The same for a tensor without elements: the bound after the last index, which an empty dimension has at -1.
    fn empty(&self, cx: &Analyzer, filled: &[Expr]) -> Vec<Expr> {
        let last: Map<_, Expr> =
            self.initial.iter().zip(filled).map(|(var, extent)| (var.id(), extent.clone() - 1)).collect();
        let at_last = |expr: &Expr| expr.as_var().and_then(|var| last.get(&var.id()).cloned());
        let whole = rewrite(&self.results, at_last).unwrap_or_else(|| self.results.clone());
        whole.iter().map(|index| cx.simplify(&(index.clone() + 1))).collect()
    }

    /// The extent of an index filled up to whole parts of every size by which the map divides it.
    fn filled(&self, cx: &Analyzer, var: &Var, extent: &Expr) -> Option<Expr> {
        let mut part: i64 = 1;
        let mut fits = true;
        walk(&self.results, |expr: &Expr| {
            if let ExprKind::Binary(BinOp::FloorDiv | BinOp::FloorMod, a, b) = &expr.kind
                && let Some(size) = b.as_int().filter(|size| *size > 0)
                && speaks_of(a, var)
            {
                match (part / gcd(part, size)).checked_mul(size) {
                    Some(all) => part = all,
                    None => fits = false,
                }
            }
        });
        if !fits {
            return None;
        }
        Some(cx.simplify(&(extent.ceil_div(part).ok()? * part)))
    }
}

fn speaks_of(expr: &Expr, var: &Var) -> bool {
    let mut found = false;
    walk(&vec![expr.clone()], |other: &Var| found |= other == var);
    found
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
