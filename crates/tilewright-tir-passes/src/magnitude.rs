//! Overflow analysis of index arithmetic.
//!
//! The analyser reasons in unbounded integers; 64-bit arithmetic agrees unless it overflows. A scalar argument or an
//! element of 64 bits may have any value, so bounds computed from it are not trusted; an argument that a tensor's
//! dimension is computed from, such as `n` of `(n + 1) // 2`, is below [`SIZE_LIMIT`], which `guard_indices` checks
//! when the function begins. The product of the dimensions of one tensor fits into 64 bits, unless one of them is 0.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, VarId, walk};
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Var};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;

/// The largest dimension of a tensor: more bytes have no addresses.
const MAX_DIMENSION: u128 = 1 << 47;
/// The magnitude below which an argument that dimensions are computed from must be.
pub(crate) const SIZE_LIMIT: i64 = 1 << 52;
/// The most elements of a tensor, of types some of which share a byte.
const MAX_ELEMENTS: u128 = 1 << 50;
/// Magnitudes below this fit into int64, and so does the sum of two.
const MAGNITUDE_LIMIT: u128 = 1 << 62;
/// Factors of a product above which it is not analysed.
const MAX_FACTORS: usize = 16;

/// The largest magnitudes of variables, as far as they are known.
pub(crate) struct Magnitudes {
    vars: Map<VarId, Option<u128>>,
    /// The dimensions of each tensor that are no numbers, where the other ones are positive.
    shapes: Vec<Vec<Expr>>,
    /// Variables with the value of a division whose divisor may have overflowed.
    doubtful: Set<VarId>,
    /// Whether something is divided by a symbol at all.
    has_symbolic_divisors: bool,
}

impl Magnitudes {
    pub(crate) fn of(function: &PrimFunc) -> Self {
        let buffers = || function.params.iter().filter_map(|param| param.buffer.as_ref());
        let dims = buffers().flat_map(|buffer| &buffer.shape).filter_map(Expr::as_var);
        let shapes = buffers().filter(|buffer| buffer.strides.is_empty()).filter_map(|buffer| {
            let (known, others): (Vec<Expr>, Vec<Expr>) =
                buffer.shape.iter().cloned().partition(|dim| dim.as_int().is_some());
            known.iter().all(|dim| dim.as_int().is_some_and(|dim| dim > 0)).then_some(others)
        });
        let sizes = sizes_of_dimensions(function);
        let sizes = sizes.iter().map(|size| (size.id(), Some(u128::from(SIZE_LIMIT.unsigned_abs()))));
        Self {
            vars: sizes.chain(dims.map(|dim| (dim.id(), Some(MAX_DIMENSION)))).collect(),
            shapes: shapes.collect(),
            doubtful: Set::default(),
            has_symbolic_divisors: has_symbolic_divisors(function),
        }
    }

    /// A loop's variable.
    pub(crate) fn bind(&mut self, known: &Analyzer, var: &Var, min: &Expr, extent: &Expr) {
        let size = self.largest(known, min).zip(self.largest(known, extent));
        self.vars.insert(var.id(), size.map(|(min, extent)| min.saturating_add(extent)));
        self.doubtful.remove(&var.id());
    }

    pub(crate) fn bind_value(&mut self, known: &Analyzer, var: &Var, value: &Expr) {
        let size = self.largest(known, value);
        self.vars.insert(var.id(), size);
        match self.divides_exactly(known, value) {
            true => self.doubtful.remove(&var.id()),
            false => self.doubtful.insert(var.id()),
        };
    }

    /// Whether the value, and all that it is computed from, certainly fits into 64 bits.
    pub(crate) fn fits(&self, known: &Analyzer, expr: &Expr) -> bool {
        self.largest(known, expr).is_some_and(|size| size < MAGNITUDE_LIMIT)
    }

    /// Whether the condition means the same in unbounded integers as in 64 bits.
    pub(crate) fn trusts(&self, known: &Analyzer, condition: &Expr) -> bool {
        let mut all = true;
        walk(condition, |e: &Expr| {
            if let ExprKind::Compare(_, a, b) = &e.kind
                && a.dtype.is_int()
            {
                all &= [a, b].into_iter().all(|side| self.is_exact(known, side));
            }
        });
        all
    }

    /// Whether the divisors in the expression do not overflow.
    pub(crate) fn divides_exactly(&self, known: &Analyzer, expr: &Expr) -> bool {
        let mut all = true;
        if !self.has_symbolic_divisors {
            return all;
        }
        walk(expr, |e: &Expr| {
            all &= match &e.kind {
                ExprKind::Var(var) => !self.doubtful.contains(&var.id()),
                _ => symbolic_divisor(e).is_none_or(|divisor| self.is_exact(known, divisor)),
            };
        });
        all
    }

    /// The variables that are factors of the product and not negative: none is 0 if the product is not, whatever the
    /// others are.
    pub(crate) fn natural_factors(known: &Analyzer, product: &Expr) -> Vec<VarId> {
        let natural = |factor: Expr| factor.as_var().filter(|_| known.bounds(&factor).at_least(0)).map(Var::id);
        factors(product).into_iter().flatten().filter_map(natural).collect()
    }

    /// Whether no factor of the product overflows: in 64 bits it is 0, too, if one of them is.
    pub(crate) fn factors_fit(&self, known: &Analyzer, product: &Expr) -> bool {
        factors(product).is_some_and(|factors| factors.iter().all(|factor| self.is_exact(known, factor)))
    }

    /// Whether the expression computes nothing, or its result fits.
    fn is_exact(&self, known: &Analyzer, expr: &Expr) -> bool {
        let computes = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Call { .. } | ExprKind::Let { .. });
        !computes || self.fits(known, expr)
    }

    fn largest(&self, known: &Analyzer, expr: &Expr) -> Option<u128> {
        self.size(known, expr, &mut Map::default())
    }

    /// `sizes` are results by address; the expression keeps its nodes alive.
    fn size(&self, known: &Analyzer, expr: &Expr, sizes: &mut Map<usize, Option<u128>>) -> Option<u128> {
        if let Some(&size) = sizes.get(&expr.address()) {
            return size;
        }
        let size = with_stack(|| self.size_of_node(known, expr, sizes));
        if expr.is_shared() {
            sizes.insert(expr.address(), size);
        }
        size
    }

    fn size_of_node(&self, known: &Analyzer, expr: &Expr, sizes: &mut Map<usize, Option<u128>>) -> Option<u128> {
        let by_type = || (expr.dtype.is_int() && expr.dtype.bits <= 32).then_some(1 << 32);
        match &expr.kind {
            ExprKind::Int(value) => Some(u128::from(value.unsigned_abs())),
            ExprKind::Var(var) => self.vars.get(&var.id()).copied().flatten().or_else(by_type),
            ExprKind::Binary(op, a, b) => {
                let divisor = b.as_int().map_or(1, |b| u128::from(b.unsigned_abs().max(1)));
                let (a, b) = (self.size(known, a, sizes)?, self.size(known, b, sizes)?);
                match op {
                    BinOp::Add | BinOp::Sub => Some(a.saturating_add(b)),
                    BinOp::Mul => match a.saturating_mul(b) {
                        size @ ..MAGNITUDE_LIMIT => Some(size),
                        size => Some(self.part_of_a_tensor(known, expr).unwrap_or(size)),
                    },
                    BinOp::Mod | BinOp::FloorMod if a.max(b) < MAGNITUDE_LIMIT => Some(b),
                    BinOp::Min | BinOp::Max | BinOp::Mod | BinOp::FloorMod => Some(a.max(b)),
                    // An overflowed value has no known magnitude.
                    BinOp::Div | BinOp::FloorDiv if a.max(b) >= MAGNITUDE_LIMIT => Some(a.max(b)),
                    BinOp::Div | BinOp::FloorDiv => Some((a / divisor).saturating_add(1)),
                    _ => by_type(),
                }
            }
            ExprKind::Cast(a) if expr.dtype.is_int() => match self.size(known, a, sizes) {
                Some(size) => Some(size),
                None => by_type(),
            },
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [_, a, b] => Some(self.size(known, a, sizes)?.max(self.size(known, b, sizes)?)),
                _ => None,
            },
            _ => by_type(),
        }
    }

    /// The largest product of dimensions of one tensor, or of numbers of their pieces, whose other dimensions are not
    /// 0.
    fn part_of_a_tensor(&self, known: &Analyzer, product: &Expr) -> Option<u128> {
        let (numbers, dims): (Vec<Expr>, Vec<Expr>) =
            factors(product)?.into_iter().partition(|factor| factor.as_int().is_some());
        let number = numbers.iter().filter_map(Expr::as_int).map(|value| u128::from(value.unsigned_abs()));
        let is_below = |dim: &Expr, other: &Expr| {
            known.bounds(dim).at_least(0) && Expr::compare(CmpOp::Le, dim, other).is_ok_and(|below| known.prove(&below))
        };
        let has = |shape: &Vec<Expr>| {
            let mut others = shape.clone();
            let mut take = |dim: &Expr| {
                let same = others.iter().position(|other| other.equal(dim));
                let at = same.or_else(|| others.iter().position(|other| is_below(dim, other)));
                at.map(|at| others.swap_remove(at)).is_some()
            };
            let all = dims
                .iter()
                .all(|dim| take(dim) || dimensions_above(dim).is_some_and(|dims| dims.iter().all(&mut take)));
            all && others.iter().all(|other| known.bounds(other).at_least(1))
        };
        self.shapes.iter().any(has).then(|| number.fold(MAX_ELEMENTS, u128::saturating_mul))
    }
}

/// Arguments of 64 bits that dimensions of the function's tensors are computed from.
pub(crate) fn sizes_of_dimensions(function: &PrimFunc) -> Vec<Var> {
    let scalars = KernelInterface::scalars_of(function);
    let buffers = function.params.iter().filter_map(|param| param.buffer.as_ref());
    let mut found: Vec<Var> = Vec::new();
    for dim in buffers.flat_map(|buffer| &buffer.shape).filter(|dim| dim.as_var().is_none()) {
        walk(&vec![dim.clone()], |var: &Var| {
            let is_argument = scalars.iter().any(|scalar| scalar.param.is_some() && scalar.var == *var);
            if is_argument && var.dtype == DataType::I64 && !found.contains(var) {
                found.push(var.clone());
            }
        });
    }
    found
}

fn has_symbolic_divisors(function: &PrimFunc) -> bool {
    let mut found = false;
    walk(&function.body, |e: &Expr| found |= symbolic_divisor(e).is_some());
    found
}

/// The divisor of a division, unless it is a constant.
fn symbolic_divisor(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, divisor) => {
            Some(divisor).filter(|divisor| expr.dtype.is_int() && divisor.as_int().is_none())
        }
        _ => None,
    }
}

/// The factors of a product of few; anything else is one factor.
fn factors(product: &Expr) -> Option<Vec<Expr>> {
    let (mut open, mut found) = (vec![product.clone()], Vec::new());
    while let Some(next) = open.pop() {
        if open.len() + found.len() > MAX_FACTORS {
            return None;
        }
        match &next.kind {
            ExprKind::Binary(BinOp::Mul, a, b) => open.extend([b.clone(), a.clone()]),
            _ => found.push(next),
        }
    }
    Some(found)
}

/// The dimensions of the product `n` of `(n + c) // k`, `0 <= c < k`, which is not larger where `n` is not negative.
fn dimensions_above(expr: &Expr) -> Option<Vec<Expr>> {
    let ExprKind::Binary(BinOp::FloorDiv | BinOp::Div, x, k) = &expr.kind else { return None };
    let k = k.as_int().filter(|&k| k > 0)?;
    match &x.kind {
        ExprKind::Binary(BinOp::Add, x, c) if (0..k).contains(&c.as_int()?) => factors(x),
        _ => factors(x),
    }
}
