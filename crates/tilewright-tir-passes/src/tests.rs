//! The lowering against the interpreter: the same results after every pass, and the shape of what code generation gets.

mod bounds;
mod build;
mod devices;
mod errors;
mod gemm;
mod partition;
mod programs;
mod show;
mod stress;

use tilewright_interp::{Arg, InterpCx, Random};
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::PrimFunc;
use tilewright_tensor::{DataType, Tensor};

use crate::lowering_passes;

/// A tensor argument, by values.
pub(crate) enum Input {
    /// Random numbers between -1 and 1.
    F32(Vec<i64>),
    /// These integers.
    I32(Vec<i32>),
}

fn random_tensors(inputs: &[Input], random: &mut Random) -> Vec<Tensor> {
    let float = |random: &mut Random| (random.below(2001) as f32 - 1000.0) / 1000.0;
    inputs
        .iter()
        .map(|input| match input {
            Input::F32(shape) => {
                let count = shape.iter().product::<i64>() as usize;
                Tensor::from_vec(shape, (0..count).map(|_| float(random)).collect::<Vec<f32>>()).unwrap()
            }
            Input::I32(values) => Tensor::from_vec(&[values.len() as i64], values.clone()).unwrap(),
        })
        .collect()
}

/// Runs the function on copies of the tensors; gives the contents of all tensors afterwards.
fn run(
    function: &PrimFunc,
    flat: Option<(&KernelInterface, &[i64])>,
    tensors: &[Tensor],
) -> Result<Vec<Vec<u8>>, String> {
    let copies: Vec<Tensor> = tensors.iter().map(|t| t.copied().unwrap()).collect();
    let mut args: Vec<Arg> = Vec::new();
    for copy in &copies {
        let shape = if flat.is_some() { vec![copy.num_elements() as i64] } else { copy.shape().to_vec() };
        args.push(Arg::Tensor(copy.reshape(&shape).unwrap()));
    }
    if let Some((interface, dims)) = flat {
        for (scalar, &value) in interface.scalars.iter().zip(dims) {
            args.push(Arg::Scalar(tilewright_expr::semantics::Scalar::from_int(value, scalar.var.dtype)));
        }
    }
    InterpCx::new(3).run_prim_func(function, &args).map_err(|e| e.to_string())?;
    Ok(copies.iter().map(|t| t.as_bytes().unwrap().to_vec()).collect())
}

/// Lowers the function; after each pass, its results on random data are those that it had at first. `dims` are the
/// values of its symbolic dimensions. Gives the flat function as text.
#[track_caller]
pub(crate) fn check_with(function: &PrimFunc, inputs: &[Input], dims: &[i64]) -> String {
    let interface = KernelInterface::of(function);
    let tensors = random_tensors(inputs, &mut Random::new(11));
    let expected = run(function, None, &tensors).unwrap_or_else(|e| panic!("the program itself: {e}"));
    let mut current = function.clone();
    let mut flat = false;
    for (name, step) in lowering_passes() {
        let before = current;
        current = step.run(&before).unwrap_or_else(|e| panic!("{name}: {e}"));
        flat |= *name == "flatten_buffers";
        let found = run(&current, flat.then_some((&interface, dims)), &tensors);
        let text = || format!("before {name}:\n{}\nafter:\n{}", show::function(&before), show::function(&current));
        match found {
            Ok(found) => assert!(found == expected, "{name} changed the result\n{}", text()),
            Err(error) => panic!("{name}: {error}\n{}", text()),
        }
    }
    let low = tilewright_ir::low::LowTir::new("main", current);
    show::function(low.unwrap_or_else(|e| panic!("{e}")).function())
}

#[track_caller]
pub(crate) fn check(function: &PrimFunc, inputs: &[Input]) -> String {
    check_with(function, inputs, &[])
}

pub(crate) const F32: DataType = DataType::F32;
