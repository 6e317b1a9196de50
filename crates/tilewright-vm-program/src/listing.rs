//! Programs as listings in Python's syntax, one statement for each instruction; for people, nothing reads them back.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use crate::program::{DeviceIndex, Dim, Function, Instruction, Literal, Program, Reg, Scalar, Storage};
use crate::text::short;

impl Program {
    /// The program as statements of a builder, in Python's syntax: devices, then the functions.
    pub fn as_python(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_python(&mut text);
        text
    }

    fn write_python(&self, out: &mut String) -> fmt::Result {
        let devices: Vec<_> = self.devices.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
        writeln!(out, "program = ProgramBuilder(devices=[{}])", devices.join(", "))?;
        for function in &self.functions {
            out.push('\n');
            Listing { program: self, function }.write(out)?;
        }
        Ok(())
    }
}

struct Listing<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Listing<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        let function = self.function;
        writeln!(out, "with program.function({:?}) as f:", function.name)?;
        for (index, param) in function.params.iter().enumerate() {
            writeln!(out, "    r{index} = f.param({:?}, \"{}\")", param.name, param.kind.display(&function.slots))?;
        }
        writeln!(out, "    f.result(\"{}\")", function.result.display(&function.slots))?;
        if function.arena_bytes > 0 {
            writeln!(out, "    f.arena({}{})", function.arena_bytes, device(function.device))?;
        }
        let targets: BTreeSet<u32> = function.instructions.iter().filter_map(target).collect();
        let mut origins = function.origins.iter().peekable();
        for (index, instruction) in function.instructions.iter().enumerate() {
            if let Some(origin) = origins.next_if(|origin| origin.instruction as usize == index) {
                let file = self.program.files.get(origin.file as usize).map_or("?".into(), |name| short(name));
                writeln!(out, "    # {file}:{}", origin.line)?;
            }
            if targets.contains(&(index as u32)) {
                writeln!(out, "    f.label(\"L{index}\")")?;
            }
            writeln!(out, "    {}", self.statement(instruction))?;
        }
        Ok(())
    }

    fn statement(&self, instruction: &Instruction) -> String {
        match instruction {
            Instruction::CallKernel { kernel, tensors, scalars } => {
                let name = self
                    .program
                    .kernels
                    .get(*kernel as usize)
                    .map_or("?".into(), |k| short(self.program.kernel_name(k)));
                let scalars: Vec<_> = scalars.iter().map(|scalar| self.scalar(*scalar)).collect();
                format!("f.call_kernel({name:?}, {}, [{}])", regs(tensors), scalars.join(", "))
            }
            Instruction::CallPacked { dst, name, args } => {
                let call = format!("f.call_packed({}, {})", self.packed(*name), regs(args));
                dst.map_or(call.clone(), |dst| format!("{} = {call}", reg(dst)))
            }
            Instruction::CallFunction { dst, function, args } => {
                format!("{} = f.call({}, {})", reg(*dst), self.function_name(*function), regs(args))
            }
            Instruction::CallClosure { dst, callee, args } => {
                format!("{} = f.call_closure({}, {})", reg(*dst), reg(*callee), regs(args))
            }
            Instruction::MakeClosure { dst, function, captured } => {
                format!("{} = f.make_closure({}, {})", reg(*dst), self.function_name(*function), regs(captured))
            }
            Instruction::LoadPacked { dst, name } => format!("{} = f.packed({})", reg(*dst), self.packed(*name)),
            Instruction::AllocTensor { dst, dtype, shape, storage, device: place } => {
                let storage = match storage {
                    Storage::Fresh => String::new(),
                    Storage::Arena { offset, bytes } => format!(", arena=({offset}, {bytes})"),
                };
                format!("{} = f.alloc([{}], \"{dtype}\"{storage}{})", reg(*dst), self.dims(shape), device(*place))
            }
            Instruction::LoadConst { dst, constant, device: place } => {
                format!("{} = f.const({constant}{})", reg(*dst), device(*place))
            }
            Instruction::LoadLiteral { dst, value } => format!("{} = {}", reg(*dst), literal(value)),
            Instruction::MakeTuple { dst, items } => format!("{} = f.tuple({})", reg(*dst), regs(items)),
            Instruction::GetItem { dst, tuple, index } => format!("{} = f.item({}, {index})", reg(*dst), reg(*tuple)),
            Instruction::MakeShape { dst, dims } => format!("{} = f.shape([{}])", reg(*dst), self.dims(dims)),
            Instruction::Move { dst, src } => format!("{} = {}", reg(*dst), reg(*src)),
            Instruction::Match { value, kind, label } => {
                format!("f.match({}, \"{}\", label={label:?})", reg(*value), kind.display(&self.function.slots))
            }
            Instruction::Compute { dst, op, dtype, args } => {
                let (dst, op) = (self.dim(Dim::Slot(*dst)), format!("{op:?}"));
                format!("{dst} = f.compute({op:?}, \"{dtype}\", [{}])", self.dims(args))
            }
            Instruction::MakeScalar { dst, dtype, value } => {
                format!("{} = f.scalar(\"{dtype}\", {})", reg(*dst), self.dim(*value))
            }
            Instruction::Copy { dst, src, device } => {
                format!("{} = f.copy({}, device={})", reg(*dst), reg(*src), device.0)
            }
            Instruction::CopyTo { target, src } => format!("f.copy_to({}, {})", reg(*target), reg(*src)),
            Instruction::Sync => "f.sync()".to_owned(),
            Instruction::Kill { reg: dead } => format!("f.kill({})", reg(*dead)),
            Instruction::If { cond, otherwise } => format!("f.branch({}, otherwise=\"L{otherwise}\")", reg(*cond)),
            Instruction::Goto { target } => format!("f.goto(\"L{target}\")"),
            Instruction::Ret { value } => format!("f.ret({})", reg(*value)),
        }
    }

    fn packed(&self, name: u32) -> String {
        format!("{:?}", self.program.packed_names.get(name as usize).map_or("?".into(), |name| short(name)))
    }

    fn function_name(&self, function: u32) -> String {
        format!("{:?}", self.program.functions.get(function as usize).map_or("?".into(), |f| short(&f.name)))
    }

    fn scalar(&self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Dim(dim) => self.dim(dim),
            Scalar::Reg(value) => reg(value),
        }
    }

    fn dim(&self, dim: Dim) -> String {
        match dim {
            Dim::Const(size) => size.to_string(),
            Dim::Slot(slot) => format!("s[{slot}]"),
        }
    }

    fn dims(&self, dims: &[Dim]) -> String {
        dims.iter().map(|&dim| self.dim(dim)).collect::<Vec<_>>().join(", ")
    }
}

fn target(instruction: &Instruction) -> Option<u32> {
    match instruction {
        Instruction::If { otherwise: target, .. } | Instruction::Goto { target } => Some(*target),
        _ => None,
    }
}

fn device(device: DeviceIndex) -> String {
    if device == DeviceIndex::FIRST { String::new() } else { format!(", device={}", device.0) }
}

fn reg(reg: Reg) -> String {
    format!("r{}", reg.0)
}

fn regs(list: &[Reg]) -> String {
    format!("[{}]", list.iter().map(|&item| reg(item)).collect::<Vec<_>>().join(", "))
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::None => "None".to_owned(),
        Literal::Bool(true) => "True".to_owned(),
        Literal::Bool(false) => "False".to_owned(),
        Literal::Int(value) => value.to_string(),
        Literal::Float(value) if value.is_finite() => format!("{value:?}"),
        Literal::Float(value) => format!("float(\"{value}\")"),
        Literal::Str(text) => format!("{text:?}"),
        Literal::DataType(dtype) => format!("dtype(\"{dtype}\")"),
    }
}
