//! Loads a model (an ONNX file, TVMScript or a saved executable), and runs it with ones:
//!
//! ```sh
//! cargo run --release -p tilewright --example session -- model.onnx
//! ```

use tilewright::runtime::session::Size;
use tilewright::runtime::tensor::{bf16, f16};
use tilewright::session::{LoadOptions, load};
use tilewright::{DataType, Tensor};

type Error = Box<dyn std::error::Error>;

/// A tensor of ones; symbolic dimensions are 1.
fn ones(dtype: DataType, shape: &[Size]) -> Result<Tensor, Error> {
    let shape: Vec<i64> = shape.iter().map(|size| if let Size::Known(size) = size { *size } else { 1 }).collect();
    let count = usize::try_from(shape.iter().product::<i64>())?;
    Ok(match dtype {
        DataType::F32 => Tensor::from_vec(&shape, vec![1.0f32; count])?,
        DataType::F64 => Tensor::from_vec(&shape, vec![1.0f64; count])?,
        DataType::F16 => Tensor::from_vec(&shape, vec![f16::ONE; count])?,
        DataType::BF16 => Tensor::from_vec(&shape, vec![bf16::ONE; count])?,
        DataType::I32 => Tensor::from_vec(&shape, vec![1i32; count])?,
        DataType::I64 => Tensor::from_vec(&shape, vec![1i64; count])?,
        // Bytes of 1: bools and small integers are ones of these.
        other => Tensor::from_bytes(other, &shape, &vec![1; count * other.element_bytes()])?,
    })
}

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).ok_or("expected: MODEL")?;
    let session = load(&path, &LoadOptions::default())?;
    let mut feeds = Vec::new();
    for input in session.inputs() {
        println!("input {input}");
        feeds.push((input.name.as_str(), ones(input.dtype, &input.shape)?));
    }
    for (name, output) in session.run(&feeds)? {
        println!("output {name}: {output:?}");
    }
    Ok(())
}
