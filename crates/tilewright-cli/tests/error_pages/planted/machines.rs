//! Programs that cannot be loaded, and calls that fail.

use std::sync::Arc;

use tilewright::runtime::device::copy_elements;
use tilewright::runtime::{Device, DeviceKind, Error, Session, registry};
use tilewright::support::SourceFile;
use tilewright::vm_program::{FunctionBuilder, Kind, Package, ProgramBuilder, TargetInfo};
use tilewright::{CompileOptions, Executable, PassCx, Target, Tensor, Value, VirtualMachine};

use super::{Outcome, examples};

examples! {
    "machines.rs":
    tw0751 tw0752 tw0753 tw0754 tw0755 tw0756 tw0757 tw0760 tw0761 tw0762 tw0765 tw0766 tw0767 tw0768 tw0770
    tw0772
}

const MODEL: &str = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        with R.dataflow():
            z = R.add(x, y)
            R.output(z)
        return z
"#;

/// A program that calls a packed function `example.scale`.
const CALLING: &str = r#"
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        y = R.call_packed("example.scale", x, sinfo_args=R.Tensor((2,), "float32"))
        return y
"#;

type Made<T> = Result<T, Box<dyn std::error::Error>>;

/// Compiles a module for a target; nothing is loaded.
fn built(text: &str, target: Target) -> Made<tilewright::vm_program::ExecutableBytes> {
    let module = tilewright::parse_module(&SourceFile::new("model.py", text))?;
    let options = CompileOptions::for_target(target);
    Ok(tilewright::build_executable(&mut PassCx::default(), &module, &options)?)
}

/// The machine of a module, on this computer.
fn machine(text: &str) -> Made<VirtualMachine> {
    let executable = Executable::load(built(text, Target::host())?)?;
    Ok(VirtualMachine::new(Arc::new(executable), &[])?)
}

fn ones(size: usize) -> Made<Value> {
    Ok(Tensor::from_vec(&[size as i64], vec![1.0f32; size])?.into())
}

/// A program that returns its argument, for this device and this kind of machine.
fn identity(device: DeviceKind, target: TargetInfo) -> Made<Arc<Executable>> {
    let mut program = ProgramBuilder::default();
    let device = program.device(device);
    let mut main = FunctionBuilder::new("main");
    let x = main.param("x", Kind::Tensor { dtype: None, dims: None, device });
    main.ret(x);
    program.function(main);
    Ok(Arc::new(Executable::load(Package::new(target, program.finish()?).encode()?)?))
}

mod tw0751 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let bytes = built(MODEL, Target::host())?;
        let first = &bytes.as_slice()[..16];
        Executable::load_copy(first)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let bytes = built(MODEL, Target::host())?;
        Executable::load_copy(bytes.as_slice())?;
        Ok(())
    }
}

mod tw0752 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        Executable::open("missing.twx")?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let path = std::env::temp_dir().join(format!("error-page-{}.twx", std::process::id()));
        Executable::load(built(MODEL, Target::host())?)?.save(&path)?;
        Executable::open(&path)?;
        std::fs::remove_file(path)?;
        Ok(())
    }
}

mod tw0753 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let tensor = Tensor::from_vec(&[2, 3], vec![1.0f32; 6])?;
        tensor.reshape(&[4]).map_err(Error::from)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let tensor = Tensor::from_vec(&[2, 3], vec![1.0f32; 6])?;
        tensor.reshape(&[6]).map_err(Error::from)?;
        Ok(())
    }
}

mod tw0754 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let other = if cfg!(target_arch = "x86_64") { "aarch64" } else { "x86_64" };
        let target = Target::parse(&format!("llvm -mtriple={other}-linux-gnu"))?;
        let executable = Executable::load(built(MODEL, target)?)?;
        VirtualMachine::new(Arc::new(executable), &[])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let executable = Executable::load(built(MODEL, Target::host())?)?;
        VirtualMachine::new(Arc::new(executable), &[])?;
        Ok(())
    }
}

mod tw0755 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let program = Executable::load(built(MODEL, Target::host())?)?.program().clone();
        let features = vec!["feature-of-the-future".to_owned()];
        let target = TargetInfo { triple: Target::host().host.triple, features };
        let executable = Executable::load(Package::new(target, program).encode()?)?;
        VirtualMachine::new(Arc::new(executable), &[])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let program = Executable::load(built(MODEL, Target::host())?)?.program().clone();
        let features = Target::host().required_features();
        let target = TargetInfo { triple: Target::host().host.triple, features };
        let executable = Executable::load(Package::new(target, program).encode()?)?;
        VirtualMachine::new(Arc::new(executable), &[])?;
        Ok(())
    }
}

mod tw0756 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        VirtualMachine::new(identity(DeviceKind::Cpu, TargetInfo::portable())?, &[Device::cuda(99)])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        VirtualMachine::new(identity(DeviceKind::Cpu, TargetInfo::portable())?, &[Device::cpu()])?;
        Ok(())
    }
}

mod tw0757 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        VirtualMachine::new(identity(DeviceKind::Cuda, TargetInfo::portable())?, &[Device::cpu(), Device::cpu()])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        VirtualMachine::new(identity(DeviceKind::Cpu, TargetInfo::portable())?, &[Device::cpu()])?;
        Ok(())
    }
}

mod tw0760 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        registry::register("example.twice", |args| Ok(args[0].clone()))?;
        registry::register("example.twice", |args| Ok(args[0].clone()))?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        registry::register_override("example.twice", |args| Ok(args[0].clone()));
        registry::register_override("example.twice", |args| Ok(args[0].clone()));
        registry::unregister("example.twice");
        Ok(())
    }
}

mod tw0761 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        machine(MODEL)?.function("main")?.call(&[ones(3)?])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        machine(MODEL)?.function("main")?.call(&[ones(3)?, ones(3)?])?;
        Ok(())
    }
}

mod tw0762 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        machine(MODEL)?.function("main")?.call(&[ones(3)?, ones(4)?])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        machine(MODEL)?.function("main")?.call(&[ones(4)?, ones(4)?])?;
        Ok(())
    }
}

mod tw0765 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        registry::register_override("example.scale", |_| Err(Error::callback("no scale is set")));
        machine(CALLING)?.function("main")?.call(&[ones(2)?])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        registry::register_override("example.scale", |args| Ok(args[0].clone()));
        machine(CALLING)?.function("main")?.call(&[ones(2)?])?;
        Ok(())
    }
}

mod tw0766 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let result = machine(MODEL)?.function("main")?.call(&[ones(2)?, ones(2)?])?;
        result.as_int()?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let result = machine(MODEL)?.function("main")?.call(&[ones(2)?, ones(2)?])?;
        result.as_tensor()?;
        Ok(())
    }
}

mod tw0767 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let machine = machine(MODEL)?;
        machine.invoke_stateful("main")?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let machine = machine(MODEL)?;
        machine.set_input("main", &[ones(2)?, ones(2)?])?;
        machine.invoke_stateful("main")?;
        Ok(())
    }
}

mod tw0768 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let machine = machine(MODEL)?;
        machine.save_function("main", "main", &[ones(2)?, ones(2)?])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let machine = machine(MODEL)?;
        machine.save_function("main", "main_of_ones", &[ones(2)?, ones(2)?])?;
        Ok(())
    }
}

mod tw0770 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (target, source) = (ones(3)?, ones(4)?);
        copy_elements(target.as_tensor()?, source.as_tensor()?)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let (target, source) = (ones(4)?, ones(4)?);
        copy_elements(target.as_tensor()?, source.as_tensor()?)?;
        Ok(())
    }
}

mod tw0772 {
    use super::*;

    fn session() -> Made<Session> {
        Ok(Session::new(Arc::new(Executable::load(built(MODEL, Target::host())?)?))?)
    }

    fn ones(size: usize) -> Made<Tensor> {
        Ok(Tensor::from_vec(&[size as i64], vec![1.0f32; size])?)
    }

    pub(super) fn wrong() -> Outcome {
        session()?.run(&[("x", ones(2)?), ("z", ones(2)?)])?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        session()?.run(&[("x", ones(2)?), ("y", ones(2)?)])?;
        Ok(())
    }
}
