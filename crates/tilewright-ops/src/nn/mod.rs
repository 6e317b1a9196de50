//! Ops of neural networks.

mod exponentials;
mod normalised;

family! {
    batch_norm,
    dropout,
    gelu,
    gelu_tanh,
    group_norm,
    layer_norm,
    leakyrelu,
    log_softmax,
    pad,
    relu,
    rms_norm,
    silu,
    softmax,
    softplus,
}
