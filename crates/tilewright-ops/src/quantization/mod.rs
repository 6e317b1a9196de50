//! Affine quantisation: real numbers as integers with a scale and a zero point.

mod affine;

family! {
    dequantize,
    quantize,
}
