//! Layers: the weights that they declare, and the functions that they compute.
//!
//! What a layer computes is an entry of the table of [`op`], or of the functions in `forward`, which Python's class of
//! the layer calls too: [`LAYERS`] says which one, and where its arguments are from.

pub mod forward;

use crate::op::OpFn;
use crate::{Dim, Error, Path, Result, Tensor, Weight, op};

/// A layer as Rust and Python have it.
#[derive(Debug)]
pub struct LayerDef {
    /// The name of Python's class.
    pub name: &'static str,
    /// The parameters of the function that a call of the layer gives. The others are the layer's own: its attributes of
    /// the same names.
    pub inputs: &'static [&'static str],
    /// The attributes that are weights, in the order in which they are declared; a layer may lack some.
    pub weights: &'static [&'static str],
    pub forward: &'static OpFn,
}

/// Every layer.
pub static LAYERS: &[LayerDef] = &[
    LayerDef { name: "Linear", inputs: X, weights: AFFINE, forward: &forward::linear::FN },
    LayerDef { name: "Conv1D", inputs: X, weights: AFFINE, forward: &op::conv1d::FN },
    LayerDef { name: "Conv2D", inputs: X, weights: AFFINE, forward: &op::conv2d::FN },
    LayerDef { name: "Conv3D", inputs: X, weights: AFFINE, forward: &op::conv3d::FN },
    LayerDef { name: "ConvTranspose1D", inputs: X, weights: AFFINE, forward: &op::conv1d_transpose::FN },
    LayerDef { name: "LayerNorm", inputs: X, weights: AFFINE, forward: &op::layer_norm::FN },
    LayerDef { name: "RMSNorm", inputs: X, weights: AFFINE, forward: &forward::rms_norm::FN },
    LayerDef {
        name: "GroupNorm",
        inputs: &["x", "channel_axis", "axes"],
        weights: AFFINE,
        forward: &op::group_norm::FN,
    },
    LayerDef { name: "Embedding", inputs: X, weights: &["weight"], forward: &forward::embedding::FN },
];

const X: &[&str] = &["x"];
const AFFINE: &[&str] = &["weight", "bias"];

/// The layer of this name.
pub fn layer(name: &str) -> Option<&'static LayerDef> {
    LAYERS.iter().find(|layer| layer.name == name)
}

/// The tensor of a weight that a layer may lack.
fn optional(x: &Tensor, weight: Option<&Weight>) -> Result<Option<Tensor>> {
    weight.map(|weight| x.graph().weight(weight)).transpose()
}

/// `x @ weight.T + bias`, with a weight of (outputs, inputs).
#[derive(Clone, Debug)]
pub struct Linear {
    pub weight: Weight,
    pub bias: Option<Weight>,
}

impl Linear {
    pub fn new(at: &Path, inputs: impl Into<Dim>, outputs: impl Into<Dim>) -> Self {
        let outputs = outputs.into();
        let plain = Self::without_bias(at, inputs, outputs.clone());
        Self { bias: Some(at.weight("bias", &[outputs])), ..plain }
    }

    pub fn without_bias(at: &Path, inputs: impl Into<Dim>, outputs: impl Into<Dim>) -> Self {
        Self { weight: at.weight("weight", &[outputs.into(), inputs.into()]), bias: None }
    }

    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let bias = optional(x, self.bias.as_ref())?.into();
        let options = forward::linear::Options { bias, ..Default::default() };
        forward::linear::with(x, &x.graph().weight(&self.weight)?, options)
    }
}

/// How a convolution runs over its input; as PyTorch has it, and by default with steps of 1 and no border.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvOptions {
    pub stride: i64,
    pub padding: i64,
    pub dilation: i64,
    pub groups: i64,
    pub bias: bool,
}

impl Default for ConvOptions {
    fn default() -> Self {
        Self { stride: 1, padding: 0, dilation: 1, groups: 1, bias: true }
    }
}

/// A convolution of (batch, channels, spatial dimensions…) over `RANK` of them.
#[derive(Clone, Debug)]
pub struct Conv<const RANK: usize> {
    pub weight: Weight,
    pub bias: Option<Weight>,
    options: ConvOptions,
}

/// A convolution of (batch, channels, w).
pub type Conv1d = Conv<1>;
/// A convolution of images, (batch, channels, h, w).
pub type Conv2d = Conv<2>;
/// A convolution of volumes, (batch, channels, d, h, w).
pub type Conv3d = Conv<3>;

impl<const RANK: usize> Conv<RANK> {
    /// The kernel is of (outputs, inputs / groups, sizes…).
    pub fn new(at: &Path, inputs: i64, outputs: i64, kernel: [i64; RANK], options: ConvOptions) -> Result<Self> {
        if options.groups < 1 || inputs % options.groups != 0 {
            let message = format!("{inputs} channels are not divided into {} groups", options.groups);
            return Err(Error::new(message));
        }
        let mut shape = vec![Dim::from(outputs), Dim::from(inputs / options.groups)];
        shape.extend(kernel.map(Dim::from));
        let weight = at.weight("weight", &shape);
        let bias = options.bias.then(|| at.weight("bias", &[outputs.into()]));
        Ok(Self { weight, bias, options })
    }

    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let ConvOptions { stride, padding, dilation, groups, .. } = self.options;
        let (weight, bias) = (x.graph().weight(&self.weight)?, optional(x, self.bias.as_ref())?);
        let (stride, padding, dilation) = (stride.into(), padding.into(), dilation.into());
        let (bias, groups) = (bias.into(), groups.into());
        match RANK {
            1 => op::conv1d::with(x, &weight, op::conv1d::Options { bias, stride, padding, dilation, groups }),
            2 => {
                let defaults = op::conv2d::Options::default();
                op::conv2d::with(
                    x,
                    &weight,
                    op::conv2d::Options { bias, stride, padding, dilation, groups, ..defaults },
                )
            }
            3 => {
                let defaults = op::conv3d::Options::default();
                op::conv3d::with(
                    x,
                    &weight,
                    op::conv3d::Options { bias, stride, padding, dilation, groups, ..defaults },
                )
            }
            _ => Err(Error::new(format!("there is no convolution over {RANK} dimensions"))),
        }
    }
}

/// The last dimension, or dimensions, brought to mean 0 and variance 1, times a weight plus a bias.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    pub weight: Weight,
    pub bias: Weight,
    pub epsilon: f64,
}

impl LayerNorm {
    pub fn new(at: &Path, shape: &[Dim]) -> Self {
        Self { weight: at.weight("weight", shape), bias: at.weight("bias", shape), epsilon: 1e-5 }
    }

    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (weight, bias) = (x.graph().weight(&self.weight)?, x.graph().weight(&self.bias)?);
        let options =
            op::layer_norm::Options { weight: weight.clone().into(), bias: bias.into(), eps: self.epsilon.into() };
        op::layer_norm::with(x, weight.shape()?, options)
    }
}

/// The elements divided by the root of their mean square along the last dimension, times a weight.
#[derive(Clone, Debug)]
pub struct RmsNorm {
    pub weight: Weight,
    pub epsilon: f64,
}

impl RmsNorm {
    pub fn new(at: &Path, size: impl Into<Dim>, epsilon: f64) -> Self {
        Self { weight: at.weight("weight", &[size.into()]), epsilon }
    }

    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let options = forward::rms_norm::Options { epsilon: self.epsilon.into(), ..Default::default() };
        forward::rms_norm::with(x, &x.graph().weight(&self.weight)?, [-1], options)
    }
}

/// Groups of channels brought to mean 0 and variance 1, times a weight plus a bias of the channel.
#[derive(Clone, Debug)]
pub struct GroupNorm {
    pub weight: Weight,
    pub bias: Weight,
    pub groups: i64,
    pub epsilon: f64,
}

impl GroupNorm {
    pub fn new(at: &Path, groups: i64, channels: impl Into<Dim>) -> Self {
        let channels = [channels.into()];
        let (weight, bias) = (at.weight("weight", &channels), at.weight("bias", &channels));
        Self { weight, bias, groups, epsilon: 1e-5 }
    }

    /// Of (batch, channels, others…): mean and variance are those over the others.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (weight, bias) = (x.graph().weight(&self.weight)?, x.graph().weight(&self.bias)?);
        let options = op::group_norm::Options { eps: self.epsilon.into(), ..Default::default() };
        op::group_norm::with(x, self.groups, Some(&weight), Some(&bias), options)
    }
}

/// A row of the weight for each index.
#[derive(Clone, Debug)]
pub struct Embedding {
    pub weight: Weight,
}

impl Embedding {
    pub fn new(at: &Path, rows: impl Into<Dim>, width: impl Into<Dim>) -> Self {
        Self { weight: at.weight("weight", &[rows.into(), width.into()]) }
    }

    /// The rows along a new last dimension.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        forward::embedding(x, &x.graph().weight(&self.weight)?)
    }
}
