//! Ops of neural networks.

family! {
    relu,
}
