//! `tilewright doctor`: what this machine has, and whether compiling and running work on it.

use tilewright::{CompileOptions, SourceFile, Target, Tensor, Value, VirtualMachine};

use crate::{Failure, Outcome};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {}

/// The program that the doctor compiles and runs: a row times a matrix, cut off at 0.
const PROBE: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def layer(X: T.Buffer((1, 3), "float32"), W: T.Buffer((2, 3), "float32"), Y: T.Buffer((1, 2), "float32")):
        Z = T.alloc_buffer((1, 2), "float32")
        for i, j, k in T.grid(1, 2, 3):
            with T.block("Z"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Z[vi, vj] = T.float32(0)
                Z[vi, vj] = Z[vi, vj] + X[vi, vk] * W[vj, vk]
        for i, j in T.grid(1, 2):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(Z[vi, vj], T.float32(0))

    @R.function
    def main(x: R.Tensor((1, 3), "float32"), w: R.Tensor((2, 3), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.layer, (x, w), out_sinfo=R.Tensor((1, 2), dtype="float32"))
            R.output(y)
        return y
"#;

pub(crate) fn run(_: &Arguments) -> Outcome {
    let host = Target::host();
    println!("tilewright   {}", env!("CARGO_PKG_VERSION"));
    println!("LLVM         {}", tilewright::llvm::version());
    println!("target       {host}");
    println!("threads      {}", tilewright::runtime::num_threads());
    let result = probe()?;
    // 1*1 - 2*1 + 3*0.5 = 0.5, and -4.5 below 0.
    if result != [0.5, 0.0] {
        return Err(Failure(format!("a small network gave {result:?} instead of [0.5, 0.0]")));
    }
    println!("compile+run  ok");
    Ok(())
}

fn probe() -> Result<Vec<f32>, Failure> {
    let module = tilewright::parse_module(&SourceFile::new("doctor", PROBE))?;
    let machine = VirtualMachine::new(tilewright::compile(&module, &CompileOptions::default())?, &[])?;
    let x = Tensor::from_vec(&[1, 3], vec![1.0f32, -2.0, 3.0])?;
    let w = Tensor::from_vec(&[2, 3], vec![1.0f32, 1.0, 0.5, -1.0, 1.0, -0.5])?;
    match machine.function("main")?.call(&[x.into(), w.into()])? {
        Value::Tensor(y) => Ok(y.to_vec()?),
        other => Err(Failure(format!("a small network gave {other:?} instead of a tensor"))),
    }
}
