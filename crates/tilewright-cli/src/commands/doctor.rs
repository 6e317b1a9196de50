//! `tilewright doctor`: the properties of this machine, and whether compiling and running work on it.

use std::sync::Arc;

use tilewright::runtime::{self, Device, environment};
use tilewright::support::nearest;
use tilewright::target::presets::{self, NumberOf};
use tilewright::tensor::abi::ABI_VERSION;
use tilewright::vm_program::FORMAT_VERSION;
use tilewright::{
    CompileOptions, Executable, IRModule, PassCx, SourceFile, Stage, Target, Tensor, Value, VirtualMachine,
};

use crate::failure::{ErrorFormat, Failure, Outcome};
use crate::output::say;

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Only describe a processor: every number that the compiler has of it, and what measured it
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "llvm")]
    machine: Option<String>,
}

/// The program that the doctor compiles and runs: a matrix times a matrix, its rows on all threads, cut off at 0.
const PROBE: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def layer(X: T.Buffer((64, 3), "float32"), W: T.Buffer((2, 3), "float32"), Y: T.Buffer((64, 2), "float32")):
        Z = T.alloc_buffer((64, 2), "float32")
        for i in T.parallel(64):
            for j, k in T.grid(2, 3):
                with T.block("Z"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        Z[vi, vj] = T.float32(0)
                    Z[vi, vj] = Z[vi, vj] + X[vi, vk] * W[vj, vk]
        for i, j in T.grid(64, 2):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(Z[vi, vj], T.float32(0))

    @R.function
    def main(x: R.Tensor((64, 3), "float32"), w: R.Tensor((2, 3), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.layer, (x, w), out_sinfo=R.Tensor((64, 2), dtype="float32"))
            R.output(y)
        return y
"#;

/// Machines that the doctor compiles for, besides this one.
const OTHERS: [&str; 2] = ["haswell", "neoverse-n1"];

pub(crate) fn run(arguments: &Arguments, format: ErrorFormat) -> Outcome {
    if let Some(target) = &arguments.machine {
        return describe_machine(&Target::parse(target)?);
    }
    describe()?;
    let module = tilewright::parse_module(&SourceFile::new("doctor", PROBE))?;
    let mut failed = 0;
    let mut check = |what: &str, outcome: Outcome| match outcome {
        Ok(()) => say!("{what:<24} ok"),
        Err(failure) => {
            failed += 1;
            say!("{what:<24} failed")?;
            format.report(&failure);
            Ok(())
        }
    };
    check("compile and run", probe_run(&module))?;
    check("save, load and run", probe_saved(&module))?;
    for name in OTHERS {
        check(&format!("compile for {name}"), probe_other(&module, name))?;
    }
    if failed > 0 {
        return Err(Failure::Message(format!("{failed} checks failed: please report them with this output")));
    }
    Ok(())
}

fn describe() -> Outcome {
    let host = Target::host();
    say!(
        "tilewright   {} (executables of version {FORMAT_VERSION}, kernel ABI {ABI_VERSION})",
        env!("CARGO_PKG_VERSION")
    )?;
    say!("LLVM         {}", tilewright::llvm::version())?;
    say!("target       {host}")?;
    say!("features     {}", host.required_features().join(" "))?;
    let limits = &host.limits;
    let kib = |bytes: u64| bytes / 1024;
    say!(
        "vectors      {} bits; caches {} KiB, {} KiB, {} KiB",
        host.vector_bits,
        kib(limits.l1_bytes),
        kib(limits.l2_bytes),
        kib(limits.l3_bytes)
    )?;
    let core = &host.core;
    say!(
        "machine      as {}: {} fused multiply-adds of {} bits a cycle, {} cycles each (doctor --machine has all)",
        host.name,
        core.fma_pipes,
        core.vector_pipe_bits,
        core.fma_latency_cycles
    )?;
    if !host.units.is_empty() {
        let units: Vec<&str> = host.units.iter().map(String::as_str).collect();
        say!("units        {} (matrix units)", units.join(" "))?;
    }
    let threads = match std::env::var("TILEWRIGHT_NUM_THREADS") {
        Ok(text) => format!("{} (TILEWRIGHT_NUM_THREADS={text})", runtime::num_threads()),
        Err(_) => format!("{} (one for each processor; TILEWRIGHT_NUM_THREADS sets it)", runtime::num_threads()),
    };
    say!("threads      {threads}")?;
    let numbers: Vec<String> = runtime::available_processors().iter().map(ToString::to_string).collect();
    say!("processors   {} (TILEWRIGHT_AFFINITY binds workers to some of them)", numbers.join(" "))?;
    say!("kernel cache {}", cache())?;
    let devices = [Device::cpu(), Device::cuda(0)].map(|device| match device.exists() {
        true => format!("{device} is there"),
        false => format!("{device} is not"),
    });
    say!("devices      {}", devices.join(", "))?;
    unknown_settings()
}

/// Every number of a processor with its unit and its source. What the system says of this machine's caches, and what
/// the target's features change, stands in the place of what the preset says.
fn describe_machine(target: &Target) -> Outcome {
    say!("# {}: numbers of {}", target.cpu, target.name)?;
    let Some(preset) = presets::find(target.arch, &target.name) else { return Ok(()) };
    let mut section = "";
    for (number, used) in preset.numbers().zip(target.number_values()) {
        let NumberOf { field, value, source } = number;
        if section != field.section {
            section = field.section;
            say!("\n[{section}]")?;
        }
        let origin = match value == used {
            true if source.preset == preset.name => source.text.clone(),
            true => format!("{} ({})", source.text, source.preset),
            false => format!("of this target; {value} in {}", preset.name),
        };
        say!("{:<28} {used:>10} {:<20} # {origin}", field.name, field.unit)?;
    }
    Ok(())
}

/// Variables of the environment that look like settings and are none.
fn unknown_settings() -> Outcome {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut odd: Vec<String> = names
        .filter(|name| name.starts_with("TILEWRIGHT_") && !environment::VARIABLES.contains(&name.as_str()))
        .collect();
    odd.sort();
    odd.iter().try_for_each(|name| match nearest(name, environment::VARIABLES) {
        Some(near) => say!("settings     {name} has no effect: did you mean {near}?"),
        None => say!("settings     {name} has no effect"),
    })
}

/// Where compiled kernels are kept between processes.
fn cache() -> String {
    match tilewright::build::cache::default_folder() {
        Some(folder) => format!("{} (TILEWRIGHT_CACHE_DIR sets it)", folder.display()),
        None => "in memory alone (TILEWRIGHT_CACHE_DIR is empty)".to_owned(),
    }
}

fn probe_run(module: &IRModule) -> Outcome {
    answer(tilewright::compile(module, &CompileOptions::default())?)
}

fn probe_saved(module: &IRModule) -> Outcome {
    let path = std::env::temp_dir().join(format!("tilewright-doctor-{}.twx", std::process::id()));
    let executable = tilewright::compile(module, &CompileOptions::default())?;
    let outcome = executable.save(&path).and_then(|()| Executable::open(&path));
    let _ = std::fs::remove_file(&path);
    answer(Arc::new(outcome?))
}

fn probe_other(module: &IRModule, target: &str) -> Outcome {
    let options = CompileOptions::for_target(Target::parse(target)?);
    Ok(tilewright::emit(&mut PassCx::default(), module, &options, Stage::Exe).map(drop)?)
}

/// Runs the probe and compares: rows of 1, -2, 3 by (1, 1, 0.5) are 0.5, by (-1, 1, -0.5) are -4.5, which is cut off.
fn answer(executable: Arc<Executable>) -> Outcome {
    let machine = VirtualMachine::new(executable, &[])?;
    let x = Tensor::from_vec(&[64, 3], [1.0f32, -2.0, 3.0].repeat(64))?;
    let w = Tensor::from_vec(&[2, 3], vec![1.0f32, 1.0, 0.5, -1.0, 1.0, -0.5])?;
    let result = machine.function("main")?.call(&[x.into(), w.into()])?;
    let Value::Tensor(y) = &result else {
        return Err(Failure::Message(format!("a small network gave {result:?} instead of a tensor")));
    };
    let y = y.to_vec::<f32>()?;
    if y != [0.5, 0.0].repeat(64) {
        return Err(Failure::Message(format!("a small network gave {y:?} instead of rows of [0.5, 0.0]")));
    }
    Ok(())
}
