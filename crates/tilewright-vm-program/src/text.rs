//! Programs as text, for people; nothing reads it back.

use std::borrow::Cow;
use std::fmt::{self, Write};

use tilewright_tensor::DataType;

use crate::program::{
    Access, DeviceIndex, Dim, Function, Instruction, Literal, Program, Reg, Scalar, ScalarOp, Storage,
};

/// Characters of a name that stand in a line.
const MAX_NAME: usize = 120;

/// Dimensions that a shape is written with.
const MAX_RANK: usize = 16;

/// A program's size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    pub functions: usize,
    pub instructions: usize,
    pub kernel_calls: usize,
    pub packed_calls: usize,
    /// Calls of functions of the program and of function values.
    pub function_calls: usize,
    pub kernels: usize,
    pub constants: usize,
    pub constant_bytes: usize,
    pub devices: usize,
    /// The largest arena of any function.
    pub arena_bytes: u64,
    pub code_bytes: usize,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "functions     {}", self.functions)?;
        writeln!(f, "instructions  {}", self.instructions)?;
        writeln!(f, "  kernel calls  {}", self.kernel_calls)?;
        writeln!(f, "  packed calls  {}", self.packed_calls)?;
        writeln!(f, "  other calls   {}", self.function_calls)?;
        writeln!(f, "kernels       {} ({} bytes of code)", self.kernels, self.code_bytes)?;
        writeln!(f, "constants     {} ({} bytes)", self.constants, self.constant_bytes)?;
        writeln!(f, "devices       {}", self.devices)?;
        writeln!(f, "arena         {} bytes", self.arena_bytes)
    }
}

impl Program {
    pub fn stats(&self) -> Stats {
        let calls_function =
            |i: &Instruction| matches!(i, Instruction::CallFunction { .. } | Instruction::CallClosure { .. });
        let instructions = || self.functions.iter().flat_map(|function| &function.instructions);
        Stats {
            functions: self.functions.len(),
            instructions: instructions().count(),
            kernel_calls: instructions().filter(|i| matches!(i, Instruction::CallKernel { .. })).count(),
            packed_calls: instructions().filter(|i| matches!(i, Instruction::CallPacked { .. })).count(),
            function_calls: instructions().filter(|i| calls_function(i)).count(),
            kernels: self.kernels.len(),
            constants: self.constants.len(),
            constant_bytes: self.constants.iter().map(|tensor| tensor.num_bytes()).sum(),
            devices: self.devices.len(),
            arena_bytes: self.functions.iter().map(|function| function.arena_bytes).max().unwrap_or(0),
            code_bytes: self.images.iter().map(|image| image.text.len()).sum(),
        }
    }

    /// The program's functions as text.
    pub fn as_text(&self) -> String {
        let mut text = String::new();
        for function in &self.functions {
            if !text.is_empty() {
                text.push('\n');
            }
            // Writing to a string does not fail.
            let _ = FunctionText { program: self, function }.write(&mut text);
        }
        text
    }
}

struct FunctionText<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl FunctionText<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        let function = self.function;
        write!(out, "function {}(", function.name)?;
        for (index, param) in function.params.iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(out, "{separator}{}: {}", param.name, param.kind.display(&function.slots))?;
        }
        writeln!(out, ") -> {}:", function.result.display(&function.slots))?;
        writeln!(out, "  # {} registers, {} bytes of arena", function.num_registers, function.arena_bytes)?;
        let mut origins = function.origins.iter().peekable();
        for (index, instruction) in function.instructions.iter().enumerate() {
            if let Some(origin) = origins.next_if(|origin| origin.instruction as usize == index) {
                let file = self.program.files.get(origin.file as usize).map_or("?".into(), |name| short(name));
                writeln!(out, "  # {file}:{}", origin.line)?;
            }
            writeln!(out, "  {index:>4}: {}", self.instruction(instruction))?;
        }
        Ok(())
    }

    fn instruction(&self, instruction: &Instruction) -> String {
        match instruction {
            Instruction::CallKernel { kernel, tensors, scalars } => self.kernel_call(*kernel, tensors, scalars),
            Instruction::CallPacked { dst, name, args } => {
                let name = self.program.packed_names.get(*name as usize).map_or("?".into(), |name| short(name));
                let dst = dst.map_or(String::new(), |dst| format!("{} = ", reg(dst)));
                format!("{dst}packed \"{name}\"({})", regs(args))
            }
            Instruction::CallFunction { dst, function, args } => {
                let name = self.program.functions.get(*function as usize).map_or("?".into(), |f| short(&f.name));
                format!("{} = {name}({})", reg(*dst), regs(args))
            }
            Instruction::CallClosure { dst, callee, args } => {
                format!("{} = {}({})", reg(*dst), reg(*callee), regs(args))
            }
            Instruction::MakeClosure { dst, function, captured } => {
                let name = self.program.functions.get(*function as usize).map_or("?".into(), |f| short(&f.name));
                format!("{} = closure {name}({})", reg(*dst), regs(captured))
            }
            Instruction::LoadPacked { dst, name } => {
                let name = self.program.packed_names.get(*name as usize).map_or("?".into(), |name| short(name));
                format!("{} = packed \"{name}\"", reg(*dst))
            }
            Instruction::AllocTensor { dst, dtype, shape, storage, device } => {
                let place = match storage {
                    Storage::Fresh => "fresh".to_owned(),
                    Storage::Arena { offset, bytes } => format!("arena[{offset}, +{bytes}]"),
                };
                format!("{} = alloc ({}) {dtype} {place}{}", reg(*dst), self.dims(shape), on(*device))
            }
            Instruction::LoadConst { dst, constant, device } => {
                let load = format!("{} = const {constant}{}", reg(*dst), on(*device));
                match self.program.constants.get(*constant as usize) {
                    Some(tensor) if tensor.ndim() > MAX_RANK => format!("{load}  # {} dimensions", tensor.ndim()),
                    Some(tensor) => format!("{load}  # {:?} {}", tensor.shape(), tensor.dtype()),
                    None => load,
                }
            }
            Instruction::LoadLiteral { dst, value } => format!("{} = {}", reg(*dst), literal(value)),
            Instruction::MakeTuple { dst, items } => format!("{} = tuple({})", reg(*dst), regs(items)),
            Instruction::GetItem { dst, tuple, index } => format!("{} = {}[{index}]", reg(*dst), reg(*tuple)),
            Instruction::MakeShape { dst, dims } => format!("{} = shape({})", reg(*dst), self.dims(dims)),
            Instruction::Move { dst, src } => format!("{} = {}", reg(*dst), reg(*src)),
            Instruction::Match { value, kind, label } => {
                format!("match {}: {}  # {label}", reg(*value), kind.display(&self.function.slots))
            }
            Instruction::Compute { dst, op, dtype, args } => {
                format!("{} = {}", self.dim(Dim::Slot(*dst)), self.computation(*op, *dtype, args))
            }
            Instruction::MakeScalar { dst, dtype, value } => {
                format!("{} = {dtype}({})", reg(*dst), self.number(*dtype, *value))
            }
            Instruction::Copy { dst, src, device } => {
                format!("{} = copy {} to device {}", reg(*dst), reg(*src), device.0)
            }
            Instruction::CopyTo { target, src } => format!("copy {} into {}", reg(*src), reg(*target)),
            Instruction::Sync => "sync".to_owned(),
            Instruction::Kill { reg: dead } => format!("kill {}", reg(*dead)),
            Instruction::If { cond, otherwise } => format!("if {} else goto {otherwise}", reg(*cond)),
            Instruction::Goto { target } => format!("goto {target}"),
            Instruction::Ret { value } => format!("ret {}", reg(*value)),
        }
    }

    fn computation(&self, op: ScalarOp, dtype: DataType, args: &[Dim]) -> String {
        let args: Vec<_> = args
            .iter()
            .enumerate()
            .map(|(index, &arg)| match op {
                ScalarOp::Select if index == 0 => self.dim(arg),
                _ => self.number(dtype, arg),
            })
            .collect();
        let infix = match op {
            ScalarOp::Add => "+",
            ScalarOp::Sub => "-",
            ScalarOp::Mul => "*",
            ScalarOp::Div => "/",
            ScalarOp::FloorDiv => "//",
            ScalarOp::FloorMod => "%",
            ScalarOp::And => "&",
            ScalarOp::Or => "|",
            ScalarOp::Xor => "^",
            ScalarOp::Shl => "<<",
            ScalarOp::Shr => ">>",
            ScalarOp::Equal => "==",
            ScalarOp::NotEqual => "!=",
            ScalarOp::Less => "<",
            ScalarOp::LessEqual => "<=",
            ScalarOp::Greater => ">",
            ScalarOp::GreaterEqual => ">=",
            ScalarOp::Copy => return args.join(", "),
            ScalarOp::Mod => return format!("truncmod({})", args.join(", ")),
            ScalarOp::Min => return format!("min({})", args.join(", ")),
            ScalarOp::Max => return format!("max({})", args.join(", ")),
            ScalarOp::Not => return format!("not {}", args.join(", ")),
            ScalarOp::Select => return format!("select({})", args.join(", ")),
            ScalarOp::Cast(to) => return format!("{to}({dtype} {})", args.join(", ")),
            ScalarOp::Math(op) => return format!("{}({dtype} {})", op.name(), args.join(", ")),
        };
        let of = if dtype == DataType::I64 { String::new() } else { format!(" ({dtype})") };
        format!("{}{of}", args.join(&format!(" {infix} ")))
    }

    /// A number of the type.
    fn number(&self, dtype: DataType, number: Dim) -> String {
        match number {
            Dim::Const(bits) if dtype.is_float() => format!("{:?}", f64::from_bits(bits as u64)),
            _ => self.dim(number),
        }
    }

    fn kernel_call(&self, kernel: u32, tensors: &[Reg], scalars: &[Scalar]) -> String {
        let kernel = self.program.kernels.get(kernel as usize);
        let name = kernel.map_or("?".into(), |kernel| short(self.program.kernel_name(kernel)));
        let access = |index: usize| kernel.and_then(|kernel| kernel.tensors.get(index));
        let arguments: Vec<_> = tensors
            .iter()
            .enumerate()
            .map(|(index, &tensor)| match access(index) {
                Some(Access::Write) => format!("out {}", reg(tensor)),
                Some(Access::Read) | None => reg(tensor),
            })
            .collect();
        let scalars: Vec<_> = scalars
            .iter()
            .map(|scalar| match scalar {
                Scalar::Dim(dim) => self.dim(*dim),
                Scalar::Reg(value) => reg(*value),
            })
            .collect();
        let separator = if scalars.is_empty() { "" } else { "; " };
        format!("call {name}({}{separator}{})", arguments.join(", "), scalars.join(", "))
    }

    fn dim(&self, dim: Dim) -> String {
        match dim {
            Dim::Const(size) => size.to_string(),
            Dim::Slot(slot) => match self.function.slots.get(slot as usize) {
                Some(name) => short(name).into_owned(),
                None => format!("s{slot}"),
            },
        }
    }

    fn dims(&self, dims: &[Dim]) -> String {
        dims.iter().map(|&dim| self.dim(dim)).collect::<Vec<_>>().join(", ")
    }
}

/// A name as it stands in a line: its beginning, where it is long. One long name may stand in any number of lines, and
/// the text of a program is not to be much longer than the program.
pub(crate) fn short(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

fn on(device: DeviceIndex) -> String {
    if device == DeviceIndex::FIRST { String::new() } else { format!(" on device {}", device.0) }
}

fn reg(reg: Reg) -> String {
    format!("r{}", reg.0)
}

fn regs(list: &[Reg]) -> String {
    list.iter().map(|&item| reg(item)).collect::<Vec<_>>().join(", ")
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::None => "None".to_owned(),
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Float(value) => format!("{value:?}"),
        Literal::Str(text) => format!("{text:?}"),
        Literal::DataType(dtype) => dtype.to_string(),
    }
}
