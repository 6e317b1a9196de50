//! Ops of neural networks.

mod attended;
#[macro_use]
mod convolution;
mod convolution_gradient;
mod decomposition;
mod exponentials;
pub(crate) mod likelihood;
mod normalised;
mod phases;
#[macro_use]
pub(crate) mod pooling;

family! {
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    attention,
    attention_bias,
    attention_var_len,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    batch_norm,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    cross_entropy_with_logits,
    dense,
    dropout,
    gelu,
    gelu_tanh,
    group_norm,
    instance_norm,
    layer_norm,
    leakyrelu,
    log_softmax,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    nll_loss,
    pad,
    pixel_shuffle,
    prelu,
    relu,
    rms_norm,
    selu,
    silu,
    softmax,
    softplus,
}
