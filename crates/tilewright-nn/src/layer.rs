//! Layers: the weights that they declare, and the functions that they compute.

use tilewright_ir::Attr;
use tilewright_ir::op::OpDef;
use tilewright_ops::nn;

use crate::{Dim, Error, Path, Result, Tensor, Weight, op};

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
        let weight = op::permute_dims(&x.graph().weight(&self.weight)?)?;
        let product = op::matmul(x, &weight)?;
        match &self.bias {
            Some(bias) => op::add(&product, &x.graph().weight(bias)?),
            None => Ok(product),
        }
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

    /// The operator, and what it is called.
    fn operator() -> (&'static OpDef, &'static str) {
        match RANK {
            1 => (&nn::conv1d::OP, "conv1d"),
            2 => (&nn::conv2d::OP, "conv2d"),
            _ => (&nn::conv3d::OP, "conv3d"),
        }
    }

    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (graph, (operator, name)) = (x.graph(), Self::operator());
        let attrs = [
            ("strides", Attr::Int(self.options.stride)),
            ("padding", Attr::Int(self.options.padding)),
            ("dilation", Attr::Int(self.options.dilation)),
            ("groups", Attr::Int(self.options.groups)),
        ];
        let weight = graph.weight(&self.weight)?;
        let result = graph.call(operator, vec![x.expr().clone(), weight.expr().clone()], attrs, name)?;
        let Some(bias) = &self.bias else { return Ok(result) };
        let bias = graph.weight(bias)?;
        let mut shape = vec![tilewright_expr::Expr::i64(1); RANK + 2];
        shape[1] = bias.dim(0)?;
        op::add(&result, &op::reshape(&bias, shape)?)
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
        let options = op::rms_norm::Options { epsilon: self.epsilon.into() };
        op::rms_norm::with(x, &x.graph().weight(&self.weight)?, [-1], options)
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
        let weight = x.graph().weight(&self.weight)?;
        if x.shape()?.len() == 1 {
            return op::take::with(&weight, x, op::take::Options { axis: 0.into() });
        }
        let rows = op::take::with(&weight, &op::reshape(x, [-1])?, op::take::Options { axis: 0.into() })?;
        let mut shape = x.shape()?.to_vec();
        shape.push(weight.dim(1)?);
        op::reshape(&rows, shape)
    }
}
