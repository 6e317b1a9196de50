//! Contractions that dequantise B: it is computed from words of packed codes that several neighbours along K share.
//!
//! ```text
//! out[m, n] += a[m, k] * ((f(words[n, k / 8] >> 4 * (k % 8) & 15) - zero) * scale[n, k / 32])
//! ```
//!
//! The formula of an element may be any, and words may lie along K or along N. A *run* of neighbours along K reads each
//! word, scale and zero once; [`Decoded`] says what is read and the elements that follow from it.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Intrinsic, Range, Var};
use tilewright_tensor::DataType;

use super::Contraction;
use crate::build::exprs::{binary, substituted, typed};
use crate::fault::Fault;

/// Lengths of runs, the longest first: a group of most formats of weights, and a word of four bits for each element.
const RUNS: [i64; 3] = [32, 16, 8];
/// Bytes of a word that is read as one where elements are bytes or parts of them.
const WORD_BYTES: i64 = 4;

/// What is known of such a contraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedCodes {
    /// Neighbours along K that are computed together; K is a multiple.
    pub(crate) run: i64,
}

impl PackedCodes {
    /// The spec of a contraction, of vectors of `lanes` columns.
    pub(crate) fn of(c: &Contraction, lanes: i64) -> Option<Self> {
        let extent = c.k.axes.last()?.extent.as_int().filter(|&extent| extent > 0)?;
        if c.needs_im2col() || !c.b.dtype.is_float() || !reads_integers(&c.b) || is_conditional(&c.b) {
            return None;
        }
        let runs = RUNS.into_iter().filter(|run| extent % run == 0);
        runs.map(|run| Self { run }).find(|spec| spec.shares_words(c, lanes) == Some(true))
    }

    /// Whether at least two elements of a run share each word of integers.
    fn shares_words(self, c: &Contraction, lanes: i64) -> Option<bool> {
        let (n, k) = (&c.n.axes.last()?.var, &c.k.axes.last()?.var);
        let (vector, lane, first) = (n.renewed(), Var::new("lane", n.dtype), k.renewed());
        let column = &(&Expr::var(&vector) * lanes) + &Expr::var(&lane);
        let at = |step: i64| &(&Expr::var(&first) * self.run) + step;
        let element = |step| substituted(&c.b, &[(n.clone(), column.clone()), (k.clone(), at(step))]);
        let decoded = Decoded::of(&Analyzer::new(), (&lane, lanes), (0..self.run).map(element)).ok()?;
        let words = decoded.words.iter().filter(|(word, _)| word.dtype.is_int()).count() as i64;
        Some(words > 0 && 2 * words <= self.run)
    }
}

/// Whether the expression reads integers of memory.
fn reads_integers(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| found |= matches!(e.kind, ExprKind::Load { .. }) && e.dtype.is_int());
    found
}

/// Whether parts of the expression have a value under a condition only.
fn is_conditional(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| {
        found |= matches!(
            e.kind,
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. }
                | ExprKind::Select { .. }
                | ExprKind::Load { predicate: Some(_), .. }
        );
    });
    found
}

/// Elements of a lane, and what they read of memory, each once.
pub(crate) struct Decoded {
    pub(crate) words: Vec<(Var, Expr)>,
    /// Elements in terms of the words.
    pub(crate) elements: Vec<Expr>,
}

impl Decoded {
    /// The elements of a lane of so many; neighbouring lanes are neighbouring columns.
    pub(crate) fn of(
        known: &Analyzer,
        (lane, lanes): (&Var, i64),
        elements: impl Iterator<Item = Expr>,
    ) -> Result<Self, Fault> {
        let mut known = known.clone();
        known.bind(lane, &Range::up_to(Expr::int(lanes, lane.dtype)));
        let elements: Vec<Expr> =
            elements.map(|e| in_words(&known, lane, &known.simplify(&e))).collect::<Result<_, _>>()?;
        let mut words: Vec<(Var, Expr)> = Vec::new();
        for element in &elements {
            walk(element, |e: &Expr| {
                if is_read(e) && !words.iter().any(|(_, word)| word.equal(e)) {
                    let name = if e.dtype.is_int() { "word" } else { "factor" };
                    words.push((Var::new(name, e.dtype), e.clone()));
                }
            });
        }
        let named = |e: &Expr| {
            let named = rewrite(e, |e: &Expr| {
                let word = words.iter().find(|(_, word)| word.equal(e));
                word.map(|(var, _)| Expr::var(var))
            });
            named.unwrap_or_else(|| e.clone())
        };
        let elements = elements.iter().map(named).collect();
        Ok(Self { words, elements })
    }
}

/// Whether the expression is an element of memory, or a word of several bytes, whose index is not read itself.
fn is_read(e: &Expr) -> bool {
    let load = match &e.kind {
        ExprKind::Reinterpret(load) => load,
        _ if e.dtype.is_scalar() => e,
        _ => return false,
    };
    let ExprKind::Load { indices, .. } = &load.kind else { return false };
    let mut reads = false;
    indices.iter().for_each(|index| walk(index, |e: &Expr| reads |= matches!(e.kind, ExprKind::Load { .. })));
    !reads
}

/// The same in which bytes whose neighbours belong to the lane, too, are parts of words: those of all lanes are
/// adjacent then.
fn in_words(known: &Analyzer, lane: &Var, element: &Expr) -> Result<Expr, Fault> {
    let mut fault = None;
    let replaced = rewrite(element, |e: &Expr| match byte_of_word(known, lane, e) {
        Ok(byte) => byte,
        Err(found) => {
            fault = Some(found);
            None
        }
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(replaced.unwrap_or_else(|| element.clone())),
    }
}

fn byte_of_word(known: &Analyzer, lane: &Var, e: &Expr) -> Result<Option<Expr>, Fault> {
    let ExprKind::Load { buffer, indices, predicate: None } = &e.kind else { return Ok(None) };
    let Some((last, outer)) = indices.split_last().filter(|_| buffer.dtype == DataType::U8) else { return Ok(None) };
    let Some(linear) = known.linear_in(last, std::slice::from_ref(lane)) else { return Ok(None) };
    let by = Expr::int(WORD_BYTES, last.dtype);
    let number = known.simplify(&binary(BinOp::FloorMod, last, &by)?).as_int();
    let (Some(number), [WORD_BYTES]) = (number, linear.coefficients.as_slice()) else { return Ok(None) };
    let first = known.simplify(&(last - number));
    let bytes = typed(Expr::ramp(&first, &Expr::int(1, first.dtype), WORD_BYTES as u16))?;
    let indices = outer.iter().cloned().chain([bytes]).collect();
    let word = typed(typed(Expr::load(buffer, indices))?.reinterpret(DataType::U32))?;
    let shift = Expr::int(8 * number, DataType::U32);
    let byte = if number == 0 { word } else { binary(BinOp::Shr, &word, &shift)? };
    typed(byte.cast(DataType::U8)).map(Some)
}
