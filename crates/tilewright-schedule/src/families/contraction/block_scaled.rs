//! Contractions whose operands are integers with a scale for each *group* of neighbours along K, as quantised weights
//! and activations are:
//!
//! ```text
//! out[m, n] += (f32(a_code[m, g, i]) * a_scale[m, g]) * ((f32(b_code[n, g, i]) - zero) * b_scale[n, g] + b_min[n, g])
//! ```
//!
//! The last axis `i` of K is within a group, the others number the groups. The sum over a group is one of integers,
//! which the scales of the group multiply once; `zero` and `b_min` need the group's sum of `a_code` alone.
//!
//! Codes of B lie in *words*: for a vector of columns, four neighbours along K of each column are adjacent bytes, as
//! dot-product instructions take them. Codes of less than a byte are fields of bits of such words, at the same bits of
//! all bytes.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Range, Var};
use tilewright_tensor::DataType;

use super::{Contraction, reaches_whole_vectors};
use crate::build::exprs::{mentions_var, substituted};
use crate::units::ceil_div;

/// Neighbours along K in a word.
pub(crate) const WORD_CODES: i64 = 4;

/// A contraction of integers with scales.
#[derive(Clone, Debug)]
pub(crate) struct BlockScaled {
    /// The axis of K within a group, and its extent.
    pub(crate) inner: Var,
    pub(crate) group: i64,
    /// A signed byte, over M and K.
    pub(crate) a_code: Expr,
    pub(crate) a_scale: Expr,
    /// What is subtracted from each code of B.
    pub(crate) zero: i64,
    pub(crate) b_scale: Expr,
    pub(crate) b_min: Option<Expr>,
    /// The words of a group: codes `4 * word` and the next three.
    pub(crate) words: Vec<Word>,
}

/// Where four codes of each of the columns of a vector are.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) buffer: Buffer,
    /// The indices of the byte of the first column's first code, over N (at the vector's first column) and K.
    pub(crate) indices: Vec<Expr>,
    /// The lowest bit of a code within its byte.
    pub(crate) shift: i64,
    /// The bits of a code.
    pub(crate) bits: u32,
}

impl BlockScaled {
    /// The spec of a contraction, of vectors of `lanes` columns.
    pub(crate) fn of(c: &Contraction, lanes: i64) -> Option<Self> {
        if c.out.dtype != DataType::F32 {
            return None;
        }
        let axis = c.k.axes.last()?;
        let (inner, group) = (axis.var.clone(), axis.extent.as_int()?);
        if c.n.axes.len() != 1 || group <= 0 || group % WORD_CODES != 0 {
            return None;
        }
        let a = Scaled::of(&c.a, &inner)?;
        let b = Scaled::of(&c.b, &inner)?;
        let is_signed_byte = a.code.dtype == DataType::I8 && matches!(a.code.kind, ExprKind::Load { .. });
        if !is_signed_byte || a.zero != 0 || a.offset.is_some() || !is_adjacent(&a.code, &inner) {
            return None;
        }
        if !reaches_whole_vectors(c, lanes) {
            return None;
        }
        let words = (0..ceil_div(group, WORD_CODES)).map(|word| Word::of(c, &b.code, &inner, word, lanes));
        Some(Self {
            words: words.collect::<Option<_>>()?,
            a_code: a.code,
            a_scale: a.scale?,
            zero: b.zero,
            b_scale: b.scale?,
            b_min: b.offset,
            inner,
            group,
        })
    }
}

/// `(f32(code) - zero) * scale + offset`, in which only the code depends on the axis within a group.
struct Scaled {
    code: Expr,
    zero: i64,
    scale: Option<Expr>,
    offset: Option<Expr>,
}

impl Scaled {
    fn of(value: &Expr, inner: &Var) -> Option<Self> {
        let ExprKind::Binary(op, x, y) = &value.kind else {
            let ExprKind::Cast(code) = &value.kind else { return None };
            let is_code = value.dtype == DataType::F32 && code.dtype.is_int() && mentions_var(code, inner);
            return is_code.then(|| Self { code: code.clone(), zero: 0, scale: None, offset: None });
        };
        let (own, other, flipped) = match (mentions_var(x, inner), mentions_var(y, inner)) {
            (true, false) => (x, y, false),
            (false, true) => (y, x, true),
            _ => return None,
        };
        let all = Self::of(own, inner)?;
        match op {
            BinOp::Mul => all.times(other),
            BinOp::Sub if !flipped && all.scale.is_none() => all.minus_zero(other),
            BinOp::Sub if !flipped => all.plus(&Expr::binary(BinOp::Sub, &zero_like(other), other).ok()?),
            BinOp::Add if all.scale.is_some() => all.plus(other),
            _ => None,
        }
    }

    fn times(self, by: &Expr) -> Option<Self> {
        let product = |e: Option<Expr>| match e {
            Some(e) => Expr::binary(BinOp::Mul, &e, by).ok().map(Some),
            None => Some(None),
        };
        let scale = product(self.scale)?.unwrap_or_else(|| by.clone());
        Some(Self { scale: Some(scale), offset: product(self.offset)?, ..self })
    }

    fn minus_zero(self, zero: &Expr) -> Option<Self> {
        let ExprKind::Float(bits) = &zero.kind else { return None };
        let whole = bits.0 as i64;
        let exact = whole as f64 == bits.0 && (0..=i64::from(u8::MAX)).contains(&whole);
        exact.then(|| Self { zero: self.zero + whole, ..self })
    }

    fn plus(self, other: &Expr) -> Option<Self> {
        let offset = match &self.offset {
            Some(offset) => Expr::binary(BinOp::Add, offset, other).ok()?,
            None => other.clone(),
        };
        Some(Self { offset: Some(offset), ..self })
    }
}

fn zero_like(value: &Expr) -> Expr {
    Expr::float(0.0, value.dtype)
}

/// Whether neighbours along the axis are adjacent bytes, the first of which has an index that the axis does not decide.
fn is_adjacent(code: &Expr, inner: &Var) -> bool {
    let ExprKind::Load { indices, .. } = &code.kind else { return false };
    let Some((last, outer)) = indices.split_last() else { return false };
    let linear = Analyzer::new().linear_in(last, std::slice::from_ref(inner));
    linear.is_some_and(|linear| linear.coefficients == [1]) && !outer.iter().any(|index| mentions_var(index, inner))
}

impl Word {
    /// The `word`-th word of a group.
    fn of(c: &Contraction, code: &Expr, inner: &Var, word: i64, lanes: i64) -> Option<Self> {
        let n = &c.n.axes.first()?.var;
        let (vector, lane, part) = (n.renewed(), Var::new("lane", n.dtype), Var::new("part", inner.dtype));
        let mut known = Analyzer::new();
        known.bind(&lane, &Range::up_to(Expr::int(lanes, lane.dtype)));
        known.bind(&part, &Range::up_to(Expr::int(WORD_CODES, part.dtype)));
        let column = &(&Expr::var(&vector) * lanes) + &Expr::var(&lane);
        let at = &Expr::var(&part) + word * WORD_CODES;
        let of_lane = known.simplify(&substituted(code, &[(n.clone(), column), (inner.clone(), at)]));
        let field = Field::of(&of_lane)?;
        let (last, outer) = field.indices.split_last()?;
        let own = [lane, part];
        let linear = known.linear_in(last, &own)?;
        if linear.coefficients != [WORD_CODES, 1] || outer.iter().any(|index| mentions_any(index, &own)) {
            return None;
        }
        let zeros = own.map(|var| (var.clone(), Expr::int(0, var.dtype)));
        let first = |index: &Expr| {
            let index = known.simplify(&substituted(index, &zeros));
            // Vectors are numbered by their first column.
            let number = Expr::binary(BinOp::FloorDiv, &Expr::var(n), &Expr::int(lanes, n.dtype)).ok()?;
            Some(substituted(&index, &[(vector.clone(), number)]))
        };
        let indices = field.indices.iter().map(first).collect::<Option<_>>()?;
        Some(Self { buffer: field.buffer, indices, shift: field.shift, bits: field.bits })
    }
}

fn mentions_any(index: &Expr, vars: &[Var]) -> bool {
    vars.iter().any(|var| mentions_var(index, var))
}

/// Bits of a byte.
struct Field {
    buffer: Buffer,
    indices: Vec<Expr>,
    shift: i64,
    bits: u32,
}

impl Field {
    fn of(code: &Expr) -> Option<Self> {
        let (mut value, mut bits, mut shift) = (code, 8, 0);
        loop {
            match &value.kind {
                ExprKind::Binary(BinOp::BitAnd, x, mask) if bits == 8 && shift == 0 => {
                    let mask = u32::try_from(mask.as_int()?).ok()?;
                    bits = mask.trailing_ones();
                    if mask.count_ones() != bits || bits > 8 {
                        return None;
                    }
                    value = x;
                }
                ExprKind::Binary(BinOp::Shr, x, by) => {
                    shift += by.as_int()?;
                    value = x;
                }
                // A signed byte would be another number.
                ExprKind::Cast(x) if x.dtype == DataType::U8 && value.dtype.is_int() && value.dtype.bits > 8 => {
                    value = x
                }
                ExprKind::Load { buffer, indices, predicate: None } if buffer.dtype == DataType::U8 => {
                    let inside = (0..8).contains(&shift) && shift + i64::from(bits) <= 8;
                    let bits = if shift == 0 || inside { bits } else { return None };
                    return Some(Self { buffer: buffer.clone(), indices: indices.clone(), shift, bits });
                }
                _ => return None,
            }
        }
    }
}
