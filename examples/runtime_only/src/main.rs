//! Runs a saved executable with nothing but the runtime linked in:
//!
//! ```text
//! tilewright compile model.py -o model.twx
//! runtime-only model.twx [FUNCTION [INPUT...]]
//! ```
//!
//! Each input is a file with a tensor's elements, little-endian and row-major; without inputs, tensors of zeros with
//! the sizes that the function declares (1 where it leaves them open). Without a function, prints the program.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use tilewright_runtime::program::{DimPattern, Kind};
use tilewright_runtime::tensor::{DataType, Tensor};
use tilewright_runtime::{Executable, Value, VirtualMachine};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else { return Err("expected: MODEL [FUNCTION [INPUT...]]".into()) };
    let executable = Arc::new(Executable::open(path)?);
    let Some(name) = args.next() else {
        println!("target {:?}\n{}", executable.target(), executable.program().as_text());
        println!("{}", executable.program().stats());
        return Ok(());
    };
    let function = VirtualMachine::new(executable, &[])?.function(&name)?;
    let inputs: Vec<_> = args.collect();
    let mut values = Vec::new();
    for (index, param) in function.signature().params.iter().enumerate() {
        let (dtype, shape) = tensor_of(&param.kind).ok_or_else(|| format!("\"{}\" is no tensor", param.name))?;
        values.push(Value::from(match inputs.get(index) {
            Some(file) => Tensor::from_bytes(dtype, &shape, &std::fs::read(file)?)?,
            None => Tensor::zeros(dtype, &shape)?,
        }));
    }
    let start = Instant::now();
    let result = function.call(&values)?;
    println!("{result:?} in {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    if let Value::Tensor(tensor) = &result
        && let Ok(elements) = tensor.as_slice::<f32>()
    {
        println!("{:?}", &elements[..elements.len().min(16)]);
    }
    Ok(())
}

fn tensor_of(kind: &Kind) -> Option<(DataType, Vec<i64>)> {
    let Kind::Tensor { dtype: Some(dtype), dims: Some(dims), .. } = kind else { return None };
    let size = |dim: &DimPattern| match dim {
        DimPattern::Const(size) => *size,
        DimPattern::Slot(_) | DimPattern::Any => 1,
    };
    Some((*dtype, dims.iter().map(size).collect()))
}
