//! A border round a tensor.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::topi::{self, Border};
use tilewright_te::{Tensor, Value, legalize as legalize_formula};
use tilewright_tensor::DataType;

use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// The tensor with a border along each of its dimensions.
    ///
    /// The mode decides the elements of the border: `constant`, a value; `edge`, the nearest element; `reflect`, the
    /// elements mirrored at the outermost one; `circular`, those of the other side. In the last two a border is at most
    /// as wide as there are such elements.
    "nn.pad" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            pad_width: Ints = AttrDefault::Required,
                "The widths of the border before and after the elements, for each dimension in turn.";
            pad_value: Float = AttrDefault::Float(0.0), "The value of a constant border.";
            pad_mode: Str = AttrDefault::Str("constant"), "`constant`, `edge`, `reflect` or `circular`.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "pad", "PadInput",
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Constant,
    Edge,
    Reflect,
    Circular,
}

fn mode(call: &OpCall<'_>) -> Result<Mode, InferError> {
    match attributes::text(call, "pad_mode") {
        "constant" => Ok(Mode::Constant),
        "edge" | "replicate" => Ok(Mode::Edge),
        "reflect" => Ok(Mode::Reflect),
        "circular" => Ok(Mode::Circular),
        other => Err(InferError::new(format!(
            "`nn.pad` knows the modes `constant`, `edge`, `reflect` and `circular`, not `{other}`"
        ))),
    }
}

/// The widths before and after, for each dimension.
fn widths(call: &OpCall<'_>, rank: usize) -> Result<Vec<(i64, i64)>, InferError> {
    let given = attributes::ints(call, "pad_width")?;
    if given.len() != 2 * rank {
        let message =
            format!("`nn.pad` of a tensor of {rank} dimensions needs {} widths, found {}", 2 * rank, given.len());
        return Err(InferError::new(message));
    }
    if let Some(negative) = given.iter().find(|width| **width < 0) {
        return Err(InferError::new(format!("a border cannot be {negative} wide")));
    }
    Ok(given.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let mode = mode(call)?;
    let padded = |dims: &[Expr]| {
        let widths = widths(call, dims.len())?;
        for (dim, (before, after)) in dims.iter().zip(&widths) {
            check_border(cx, mode, dim, *before.max(after))?;
        }
        Ok(dims.iter().zip(widths).map(|(dim, (a, b))| cx.analyzer.simplify(&(dim + a + b))).collect())
    };
    let shape = shapes::map_shape(shape, padded, |rank| Ok(widths(call, rank)?.len()))?;
    Ok(StructInfo::tensor_with(shape, dtype))
}

/// Refuses a border for which a dimension has too few elements.
fn check_border(cx: &InferCx, mode: Mode, dim: &Expr, width: i64) -> Result<(), InferError> {
    let needed = match mode {
        Mode::Constant => return Ok(()),
        Mode::Edge => i64::from(width > 0),
        Mode::Reflect => width + i64::from(width > 0),
        Mode::Circular => width,
    };
    if cx.exceeds(&Expr::i64(needed), dim) {
        let dim = shapes::dim_text(dim);
        return Err(InferError::at(0, format!("`nn.pad`: a border of {width} needs {needed} elements, found {dim}")));
    }
    Ok(())
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, mode) = (shapes::result_dims(call)?, mode(call)?);
    let (widths, value) = (widths(call, dims.len())?, attributes::float(call, "pad_value")?);
    let side = |of: fn(&(i64, i64)) -> i64| -> Vec<Expr> {
        widths.iter().zip(&dims).map(|(pair, dim)| Expr::int(of(pair), dim.dtype)).collect()
    };
    let (before, after, name) = (side(|pair| pair.0), side(|pair| pair.1), block_name(call));
    legalize_formula(call, |inputs| {
        let bordered = |x: &Tensor| {
            let border = match mode {
                Mode::Constant => Border::Constant(Value::from(Expr::float(value, DataType::F64)).cast(x.dtype())),
                Mode::Edge => Border::Edge,
                Mode::Reflect => Border::Reflect,
                Mode::Circular => Border::Circular,
            };
            topi::bordered(x, &before, &after, &border, &name)
        };
        inputs.iter().map(bordered).collect()
    })
}
