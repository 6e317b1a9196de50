//! Random calls of operators, by their declarations alone.

use tilewright::ir::node::FloatBits;
use tilewright::ir::op::{ArgKind, AttrDef, AttrDefault, AttrKind, InferCx, OpRef};
use tilewright::ir::relax::{Expr, StructInfo};
use tilewright::ir::{Attr, Attrs};
use tilewright_interp::Random;

use super::DIM;

/// The maximum number of elements of a value if the symbolic dimension is 4.
const MOST: i64 = 2048;

/// A call of the operator on some of the values; `None` where its rule refuses what the dice said, or the result is
/// large.
pub(super) fn call(cx: &InferCx, random: &mut Random, op: OpRef, known: &[Expr]) -> Option<Expr> {
    let mut args = Vec::new();
    for arg in op.args {
        args.push(match arg.kind {
            ArgKind::Tensor | ArgKind::Operand | ArgKind::Value => pick(random, known)?,
            ArgKind::OptionalTensor if random.below(2) == 0 => Expr::tuple(Vec::new()),
            ArgKind::OptionalTensor => pick(random, known)?,
            ArgKind::Tuple => {
                let fields = (0..1 + random.below(3)).map(|_| pick(random, known)).collect::<Option<Vec<_>>>()?;
                Expr::tuple(fields)
            }
            ArgKind::OptionalTuple | ArgKind::OptionalScalar | ArgKind::OptionalShape => Expr::tuple(Vec::new()),
            ArgKind::Shape | ArgKind::ResultShape => shape(random, known)?,
            ArgKind::Scalar => {
                Expr::prim(tilewright::expr::Expr::float(random.below(5) as f64 - 2.0, tilewright::DataType::F32))
            }
            ArgKind::Function | ArgKind::Condition | ArgKind::Values => return None,
        });
    }
    let attrs: Attrs = op.attrs.iter().filter_map(|def| Some((def.name.into(), attr(random, def)?))).collect();
    let call = Expr::call_op(cx, op, args, attrs).ok()?;
    is_small(&call.struct_info).then_some(call)
}

/// One of the last values, so that graphs are deep.
pub(super) fn pick(random: &mut Random, known: &[Expr]) -> Option<Expr> {
    let back = random.below(known.len().min(8)) + 1;
    known.get(known.len().checked_sub(back)?).cloned()
}

/// The shape of a value, or one with the same elements.
fn shape(random: &mut Random, known: &[Expr]) -> Option<Expr> {
    let mut dims = pick(random, known)?.struct_info.dims()?.to_vec();
    if random.below(2) == 0 {
        dims.reverse();
    }
    if random.below(3) == 0 {
        dims.insert(0, tilewright::expr::Expr::i64(1));
    }
    Some(Expr::shape(dims))
}

/// A value for an attribute; `None`: as its default is.
fn attr(random: &mut Random, def: &AttrDef) -> Option<Attr> {
    if def.default != AttrDefault::Required && random.below(2) == 0 {
        return None;
    }
    let mut int = |least: i64, sides: usize| Attr::Int(least + random.below(sides) as i64);
    Some(match def.kind {
        // A program runs on one worker.
        AttrKind::Int if def.name == "num_workers" => Attr::Int(1),
        AttrKind::Bool => Attr::Bool(random.below(2) == 0),
        AttrKind::Int | AttrKind::OptionalInt => int(-1, 4),
        AttrKind::Ints | AttrKind::OptionalInts | AttrKind::IntOrInts => {
            Attr::Array((0..1 + random.below(2)).map(|_| Attr::Int(random.below(4) as i64 - 1)).collect())
        }
        AttrKind::Each(_) | AttrKind::OptionalEach(_) => int(1, 2),
        AttrKind::Sides(_) => int(0, 2),
        AttrKind::Float | AttrKind::OptionalFloat => Attr::Float(FloatBits(0.5 + random.below(3) as f64)),
        AttrKind::Floats | AttrKind::Str | AttrKind::OptionalStr | AttrKind::DType => return None,
        AttrKind::VDevice | AttrKind::IndexMap => return None,
    })
}

/// Whether all is known of a value, and it has few elements.
pub(super) fn is_small(info: &StructInfo) -> bool {
    match info {
        StructInfo::Tuple(fields) => fields.iter().all(is_small),
        StructInfo::Tensor { dtype: Some(_), .. } => info.dims().is_some_and(|dims| {
            let sizes = dims.iter().map(|dim| match dim.as_int() {
                Some(size) => Some(size),
                None => size(dim),
            });
            dims.len() <= 5
                && sizes.collect::<Option<Vec<_>>>().is_some_and(|sizes| sizes.iter().product::<i64>() <= MOST)
        }),
        _ => false,
    }
}

/// A dimension where the symbolic one is 4.
fn size(dim: &tilewright::expr::Expr) -> Option<i64> {
    let four = |e: &tilewright::expr::Expr| {
        e.as_var().filter(|var| &*var.name == DIM).map(|_| tilewright::expr::Expr::int(4, e.dtype))
    };
    let dim = tilewright::expr::node::rewrite(dim, four).unwrap_or_else(|| dim.clone());
    tilewright::arith::Analyzer::default().simplify(&dim).as_int()
}
