//! Ops between real numbers and the small integers that represent them.

mod scaled;

family! {
    dequantize,
    quantize,
}
