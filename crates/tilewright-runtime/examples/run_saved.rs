//! Runs a function of a saved executable in a process that links nothing but the runtime.
//!
//! ```sh
//! tilewright compile model.py -o model.twx
//! cargo run -p tilewright-runtime --example run_saved -- model.twx main
//! ```
//!
//! Tensor parameters of constant shape are filled with a fixed wave between -1 and 1 (float32 only).

use std::sync::Arc;

use tilewright_runtime::{Executable, Value, VirtualMachine};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::{DimPattern, Kind};

type Error = Box<dyn std::error::Error>;

fn argument(name: &str, kind: &Kind) -> Result<Value, Error> {
    let Kind::Tensor { dtype: Some(DataType::F32), dims: Some(dims) } = kind else {
        return Err(format!("parameter `{name}` is no float32 tensor").into());
    };
    let shape = dims
        .iter()
        .map(|dim| match dim {
            DimPattern::Const(size) => Ok(*size),
            _ => Err(format!("parameter `{name}` has a symbolic dimension")),
        })
        .collect::<Result<Vec<i64>, _>>()?;
    let count = shape.iter().product::<i64>().max(0) as usize;
    Ok(Tensor::from_vec(&shape, (0..count).map(|i| (i as f32 * 0.37).sin()).collect())?.into())
}

fn main() -> Result<(), Error> {
    let mut words = std::env::args().skip(1);
    let Some(path) = words.next() else { return Err("usage: run_saved FILE [FUNCTION]".into()) };
    let name = words.next().unwrap_or_else(|| "main".to_owned());
    let machine = VirtualMachine::new(Arc::new(Executable::open(path)?), &[])?;
    let function = machine.function(&name)?;
    let args = function
        .signature()
        .params
        .iter()
        .map(|param| argument(&param.name, &param.kind))
        .collect::<Result<Vec<_>, _>>()?;
    let result = function.call(&args)?;
    let result = result.as_tensor()?;
    println!("{:?} {:?}", result.shape(), result.to_vec::<f32>()?);
    Ok(())
}
