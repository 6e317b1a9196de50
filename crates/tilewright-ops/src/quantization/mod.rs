//! Ops between numbers and the few integers that stand for them.

mod scaled;

family! {
    dequantize,
    quantize,
}
