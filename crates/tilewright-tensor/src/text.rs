//! The elements of a tensor as text, for lines that programs print.

use std::fmt;

use crate::{DataType, Tensor, bf16, f16};

/// A tensor of more elements is written in short.
const MOST: usize = 1000;

/// The elements in nested brackets, such as `[[1, 2], [3, 4]]`; one without dimensions as the number alone. A large
/// tensor as its shape and type.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match elements(self).filter(|_| self.num_elements() <= MOST) {
            Some(elements) => nested(f, self.shape(), &elements),
            None => write!(f, "a {} tensor of shape {:?}", self.dtype(), self.shape()),
        }
    }
}

fn nested(f: &mut fmt::Formatter<'_>, shape: &[i64], elements: &[String]) -> fmt::Result {
    let Some((&extent, inner)) = shape.split_first() else {
        return f.write_str(elements.first().map_or("", String::as_str));
    };
    f.write_str("[")?;
    let stride = usize::try_from(extent).ok().filter(|n| *n > 0).map_or(0, |n| elements.len() / n);
    for at in 0..usize::try_from(extent).unwrap_or(0) {
        if at > 0 {
            f.write_str(", ")?;
        }
        nested(f, inner, elements.get(at * stride..(at + 1) * stride).unwrap_or_default())?;
    }
    f.write_str("]")
}

/// Every element as text; `None` for types that no Rust type stands for.
fn elements(tensor: &Tensor) -> Option<Vec<String>> {
    macro_rules! text {
        ($($dtype:ident: $rust:ty),*) => {
            match tensor.dtype() {
                DataType::BOOL => tensor.to_vec::<bool>().ok()?.iter().map(|&b| if b { "True" } else { "False" }.into()).collect(),
                $(DataType::$dtype => tensor.to_vec::<$rust>().ok()?.iter().map(|value| format!("{value:?}")).collect(),)*
                _ => return None,
            }
        };
    }
    Some(text!(
        I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
        F16: f16, BF16: bf16, F32: f32, F64: f64
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stand_in_nested_brackets() {
        let text = |tensor: Tensor| tensor.to_string();
        assert_eq!(text(Tensor::from_vec(&[2, 2], vec![1i32, -2, 3, 4]).unwrap()), "[[1, -2], [3, 4]]");
        assert_eq!(text(Tensor::scalar(1.5f32)), "1.5");
        assert_eq!(text(Tensor::scalar(true)), "True");
        assert_eq!(text(Tensor::from_vec(&[2], vec![f32::NAN, f32::INFINITY]).unwrap()), "[NaN, inf]");
        assert_eq!(text(Tensor::zeros(DataType::F16, &[0, 3]).unwrap()), "[]");
        assert_eq!(text(Tensor::zeros(DataType::F32, &[2, 0]).unwrap()), "[[], []]");
        assert_eq!(text(Tensor::zeros(DataType::I8, &[1001]).unwrap()), "a int8 tensor of shape [1001]");
    }
}
