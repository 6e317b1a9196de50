//! Boxes chosen by their scores, without those that overlap better ones.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::legalize::{Candidate, LegalizeCx};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::suppression::{BoxFormat, Suppressed, non_max_suppression};
use tilewright_te::{TeError, legalize as legalize_formula};
use tilewright_tensor::DataType;

use crate::elementwise::{block_name, float};
use crate::{attributes, shapes};

op! {
    /// Non-maximum suppression, as ONNX's `NonMaxSuppression` and `torchvision.ops.nms`: for each example and class the
    /// indices of the chosen boxes, the best first, then -1.
    ///
    /// Boxes are looked at in the order of falling scores, those of equal scores in their order. A box is chosen if its
    /// score is above `score_threshold`, and its intersection over union with no box chosen before is above
    /// `iou_threshold`.
    "image.non_max_suppression" {
        args: {
            boxes: Tensor, "The boxes: batch, boxes, 4.";
            scores: Tensor, "The scores: batch, classes, boxes.";
            iou_threshold: Tensor, "The greatest intersection over union of two chosen boxes, a tensor of one element.";
            score_threshold: Tensor, "What the score of a chosen box is above, a tensor of one element.";
        }
        attrs: {
            max_boxes: Int = AttrDefault::Int(-1), "How many boxes of a class are chosen at most; all where negative.";
            center_point_box: Bool = AttrDefault::Bool(false),
                "Whether a box is its centre and its sizes, not two opposite corners.";
        }
        infer: infer,
        legalize: Legalize::FirstOf(&[Candidate::for_any(legalize)]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

/// More boxes than a tensor has.
const MANY: i64 = 1 << 47;

/// The number of boxes of a class in the result.
fn most(call: &OpCall<'_>, boxes: &Expr) -> Result<Expr, InferError> {
    match (attributes::int(call, "max_boxes")?, boxes.as_int()) {
        (..0 | MANY.., _) => Ok(boxes.clone()),
        (0, _) => Ok(Expr::i64(0)),
        (most, Some(boxes)) => Ok(Expr::i64(most.min(boxes))),
        (most, None) => Ok(Expr::binary(BinOp::Min, boxes, &Expr::i64(most)).map_err(TeError::from)?),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    shapes::all_of_dtype(call, &[0, 1, 2, 3], float)?;
    for arg in 0..2 {
        if let Some(rank) = call.tensor(arg)?.0.rank().filter(|&rank| rank != 3) {
            return Err(InferError::at(arg, format!("expected 3 dimensions, found {rank}")));
        }
    }
    let (boxes, scores) = (call.tensor(0)?.0, call.tensor(1)?.0);
    let (TensorShape::Known(boxes), TensorShape::Known(scores)) = (boxes, scores) else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(3), Some(DataType::I64)));
    };
    let ([batch, count, four], [own_batch, classes, own_count]) = (boxes.as_slice(), scores.as_slice()) else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(3), Some(DataType::I64)));
    };
    if cx.clash(&Expr::i64(4), four) {
        return Err(InferError::at(0, format!("a box is 4 numbers, found {}", shapes::dim_text(four))));
    }
    if cx.clash(batch, own_batch) || cx.clash(count, own_count) {
        let message = format!(
            "expected scores of {} boxes in a batch of {}, found {} in {}",
            shapes::dim_text(count),
            shapes::dim_text(batch),
            shapes::dim_text(own_count),
            shapes::dim_text(own_batch)
        );
        return Err(InferError::at(1, message));
    }
    let dims = vec![batch.clone(), classes.clone(), most(call, count)?];
    Ok(StructInfo::tensor_with(TensorShape::Known(dims), Some(DataType::I64)))
}

fn legalize(cx: &LegalizeCx, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let count = shapes::dims_of(call, 1)?.last().cloned().unwrap_or_else(|| Expr::i64(0));
    let (most, name) = (most(call, &count)?, block_name(call));
    let format = match attributes::flag(call, "center_point_box") {
        true => BoxFormat::Center,
        false => BoxFormat::Corners,
    };
    legalize_formula(call, |inputs| match inputs {
        [boxes, scores, overlap, least] => {
            let given = Suppressed { boxes, scores, overlap, least, format };
            Ok(vec![non_max_suppression(&cx.capabilities, given, &most, &name)?])
        }
        _ => Ok(Vec::new()),
    })
}
