//! Channels laid out as pixels.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::legalize as legalize_formula;
use tilewright_te::topi::depth_to_space::{Image, Order, depth_to_space};

use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// An image that is larger by `upscale_factor` in both directions, and has fewer channels by its square: the
    /// channels of a pixel become a square of pixels, as `torch.pixel_shuffle`.
    "nn.pixel_shuffle" {
        args: { data: Tensor, "The image: its last three dimensions are channels, height and width."; }
        attrs: { upscale_factor: Int = AttrDefault::Required, "By how much height and width grow."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn factor(call: &OpCall<'_>) -> Result<i64, InferError> {
    match attributes::int(call, "upscale_factor")? {
        factor @ 1..=65_536 => Ok(factor),
        other => Err(InferError::new(format!("`nn.pixel_shuffle` takes factors from 1 to 65536, found {other}"))),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((shape, dtype), factor) = (call.tensor(0)?, factor(call)?);
    let ranked = |rank: usize| match rank {
        3.. => Ok(rank),
        _ => Err(InferError::at(0, format!("`nn.pixel_shuffle` needs at least 3 dimensions, found {rank}"))),
    };
    let grown = |dims: &[Expr]| {
        let channel = ranked(dims.len())? - 3;
        if cx.leaves_rest(&dims[channel], factor * factor) {
            let (channels, square) = (shapes::dim_text(&dims[channel]), factor * factor);
            let message = format!("`nn.pixel_shuffle`: {square} pixels cannot be made of each of {channels} channels");
            return Err(InferError::at(0, message));
        }
        let square = Expr::i64(factor * factor);
        let mut grown = dims.to_vec();
        grown[channel] = Expr::binary(BinOp::FloorDiv, &dims[channel], &square).map_err(|e| InferError::new(e.0))?;
        for at in [channel + 1, channel + 2] {
            grown[at] = &dims[at] * factor;
        }
        Ok(grown.iter().map(|dim| cx.analyzer.simplify(dim)).collect())
    };
    Ok(StructInfo::tensor_with(shapes::map_shape(shape, grown, ranked)?, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, factor) = (shapes::result_dims(call)?, factor(call)?);
    let channels = dims.len().saturating_sub(3);
    let image = Image { channels, rows: channels + 1, columns: channels + 2 };
    legalize_formula(call, |inputs| {
        let name = block_name(call);
        inputs.iter().map(|x| depth_to_space(x, factor, Order::ChannelsFirst, image, &name)).collect()
    })
}
