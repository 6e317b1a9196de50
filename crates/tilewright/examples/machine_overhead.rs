//! The overhead of the virtual machine:
//!
//! ```text
//! cargo run --release -p tilewright --example machine_overhead
//! ```
//!
//! prints the time of a call of a function that returns its argument, of the two-layer network, and of the same network
//! with machine code that returns at once instead of every kernel: the rest is the time of a call outside of
//! its kernels.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use tilewright::runtime::Timing;
use tilewright::{CompileOptions, Executable, SourceFile, Tensor, Value, VirtualMachine};

const NETWORK: &str = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 784), "float32"), w0: R.Tensor((784, 128), "float32"), b0: R.Tensor((128,), "float32"),
             w1: R.Tensor((128, 10), "float32"), b1: R.Tensor((10,), "float32")):
        with R.dataflow():
            lv0 = R.matmul(x, w0)
            lv1 = R.add(lv0, b0)
            lv2 = R.nn.relu(lv1)
            lv3 = R.matmul(lv2, w1)
            out = R.add(lv3, b1)
            R.output(out)
        return out

    @R.function
    def empty(x: R.Tensor((1, 784), "float32")):
        return x
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let module = tilewright::parse_module(&SourceFile::new("network.py", NETWORK))?;
    let executable = tilewright::compile(&module, &CompileOptions::default())?;
    let args = [&[1i64, 784][..], &[784, 128], &[128], &[128, 10], &[10]].map(|shape| {
        let count: i64 = shape.iter().product();
        let values = (0..count).map(|i| (i as f32 * 0.37).sin() * 0.1).collect();
        Tensor::from_vec(shape, values).map(Value::from)
    });
    let args = args.into_iter().collect::<Result<Vec<_>, _>>()?;
    let machine = VirtualMachine::new(Arc::clone(&executable), &[])?;
    report("empty function", &machine, "empty", &args[..1])?;
    report("two-layer network", &machine, "main", &args)?;
    if cfg!(target_arch = "x86_64") {
        let hollow = VirtualMachine::new(Arc::new(hollow(&executable)?), &[])?;
        report("two-layer network, its kernels empty", &hollow, "main", &args)?;
    }
    let (_, profile) = machine.profile("main", &args)?;
    println!("\n{profile}");
    Ok(())
}

fn report(what: &str, machine: &VirtualMachine, name: &str, args: &[Value]) -> Result<(), tilewright::runtime::Error> {
    let timing = Timing { number: 100, repeat: 30, min_repeat: Duration::from_millis(5), ..Timing::default() };
    let times = machine.time_evaluator(name, args, timing)?;
    println!("{what:<38} {:>9.3} us (median {:.3})", times.min() * 1e6, times.median() * 1e6);
    Ok(())
}

/// The executable with `xor eax, eax; ret` at the entry of every kernel.
fn hollow(executable: &Executable) -> Result<Executable, Box<dyn Error>> {
    let mut package = executable.package().clone();
    for image in &mut package.program.images {
        for export in &image.exports {
            let entry = export.offset as usize;
            image
                .text
                .get_mut(entry..entry + 3)
                .ok_or("a kernel of less than 3 bytes")?
                .copy_from_slice(&[0x31, 0xc0, 0xc3]);
        }
    }
    Ok(Executable::load(package.encode()?)?)
}
