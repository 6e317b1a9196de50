//! Operators of `torchvision` on boxes.

use tilewright_expr as scalar;
use tilewright_ops::binary::greater_equal;
use tilewright_ops::image::non_max_suppression;
use tilewright_tensor::DataType;

use super::super::rule::{Rule, in_float32, rule};
use super::masks::masked;
use crate::common::{Args, Cx, Res, Value};

pub const RULES: &[Rule] = &[in_float32(rule("torchvision.nms", "dets, scores, iou_threshold", suppressed))];

/// The indices of the boxes that overlap no better ones, the best first.
fn suppressed(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (boxes, scores) = (args.tensor("dets")?, args.tensor("scores")?);
    let (one, count, dtype) = (scalar::Expr::i64(1), cx.extent(&boxes, 0)?, cx.dtype(&scores)?);
    let boxes = cx.reshape(&boxes, vec![one.clone(), count.clone(), scalar::Expr::i64(4)])?;
    let scores = cx.reshape(&scores, vec![one.clone(), one, count.clone()])?;
    let overlap = cx.number(args.float("iou_threshold")?, dtype)?;
    let least = cx.number(f64::NEG_INFINITY, dtype)?;
    let chosen = cx.call(&non_max_suppression::OP, &[&boxes, &scores, &overlap, &least], [])?;
    let chosen = cx.emit(cx.reshape(&chosen, vec![count])?)?;
    let valid = cx.emit(cx.call(&greater_equal::OP, &[&chosen, &cx.number(0, DataType::I64)?], [])?)?;
    masked(cx, &chosen, &valid).map(Value::Tensor)
}
