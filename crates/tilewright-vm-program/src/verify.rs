//! What makes a program valid.
//!
//! Tables: every image's offsets and symbols exist; kernels name existing exports and packed names and take scalars of
//! tensor element types; constants are contiguous; function names are unique.
//!
//! Functions, in any code: registers, slots, kernels, packed names, functions, constants, devices, source files and
//! jump targets exist; jumps go forward, and the last instruction does not fall off the end; calls have the callee's
//! number of arguments, and closures do not capture more; operations on numbers have their number of operands and a
//! type that exists; constant sizes are not negative; arena tensors lie within the arena at multiples of 64 and, if
//! their size is constant, fit their place, and lie on the function's device; a kernel's image is for the kind of its
//! device.
//!
//! Functions, along every path from the entry: a register or slot is written before it is read, and not read after
//! `Kill`; an arena tensor is not returned; a kernel's written tensor is not passed to it twice and shares no part of
//! the arena with another of its arguments; a kernel's tensors lie on its device, as far as they are known to lie on
//! one; the register of a pending copy from a device to the host is not read before [`Instruction::Sync`]. That
//! holds for the register: other handles of its tensor, which a tuple or a caller may have, are not followed.

use std::collections::BTreeMap;
use std::fmt;

use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::{DataType, Layout};

use crate::locations::Locations;
use crate::program::{Access, DeviceIndex, Dim, Function, Instruction, Kernel, Program, Reg, ScalarOp, Storage};
use crate::signature::{DimPattern, Kind, MAX_NESTING};
use crate::uses::{Use, each_register, each_slot};

/// Bounds the verifier's time: jumps × registers and slots of each.
const MAX_STATE_CELLS: usize = 1 << 26;
/// Bounds the verifier's memory: states kept for jumps that have not landed × registers and slots of each.
const MAX_WAITING_CELLS: usize = 1 << 22;
/// No machine has more; keeps sums of sizes from overflowing.
const MAX_MEMORY: u64 = 1 << 47;

/// What is wrong with a program, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The function's name; empty for the program's tables.
    pub function: String,
    pub instruction: Option<usize>,
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.function.is_empty() {
            write!(f, "function \"{}\"", self.function)?;
            if let Some(index) = self.instruction {
                write!(f, ", instruction {index}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

pub(crate) type Check = Result<(), String>;

impl Program {
    /// Checks everything that this module's documentation lists.
    pub fn verify(&self) -> Result<(), VerifyError> {
        self.verify_tables().map_err(|message| VerifyError { function: String::new(), instruction: None, message })?;
        for function in &self.functions {
            Verifier { program: self, function }.verify().map_err(|(instruction, message)| VerifyError {
                function: function.name.clone(),
                instruction,
                message,
            })?;
        }
        Ok(())
    }

    fn verify_tables(&self) -> Check {
        for (index, image) in self.images.iter().enumerate() {
            image.verify().map_err(|message| format!("image {index}: {message}"))?;
        }
        for (index, kernel) in self.kernels.iter().enumerate() {
            self.verify_kernel(kernel).map_err(|message| format!("kernel {index}: {message}"))?;
        }
        for (index, constant) in self.constants.iter().enumerate() {
            if !constant.is_contiguous() {
                return Err(format!("constant {index} is not contiguous"));
            }
        }
        let mut names = Set::default();
        match self.functions.iter().find(|function| !names.insert(function.name.as_str())) {
            Some(function) => Err(format!("two functions are called \"{}\"", function.name)),
            None => Ok(()),
        }
    }

    fn verify_kernel(&self, kernel: &Kernel) -> Check {
        let Some(image) = self.images.get(kernel.image as usize) else {
            return Err(format!("image {} of {}", kernel.image, self.images.len()));
        };
        if kernel.export as usize >= image.exports.len() {
            return Err(format!("export {} of {}", kernel.export, image.exports.len()));
        }
        if let Some(dtype) = kernel.scalars.iter().find(|dtype| !DataType::TENSOR_ELEMENTS.contains(dtype)) {
            return Err(format!("a scalar argument of type {dtype}"));
        }
        if kernel.scratch_bytes > MAX_MEMORY {
            return Err(format!("{} bytes of scratch", kernel.scratch_bytes));
        }
        kernel.packed.iter().try_for_each(|&name| index("packed name", name, self.packed_names.len()))?;
        self.verify_device(kernel.device)?;
        let device = self.devices[kernel.device.0 as usize];
        if image.kind == device {
            return match image.plans.get(kernel.export as usize).filter(|_| image.is_launched()) {
                Some(plan) => plan.verify(kernel.tensors.len(), kernel.scalars.len()),
                None => Ok(()),
            };
        }
        let (index, device, image) = (kernel.device.0, device.name(), image.kind.name());
        Err(format!("it runs on device {index}, which is of kind {device}, but its image is for {image}"))
    }

    fn verify_device(&self, device: DeviceIndex) -> Check {
        index("device", device.0, self.devices.len())
    }
}

/// What is known about a register at a point of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Undefined,
    /// A value that is no arena tensor of this function (or is one by way of a packed function, which the machine
    /// looks after).
    Value,
    /// The arena tensor that this instruction made.
    Arena {
        alloc: u32,
    },
    /// Holds arena tensors: a tuple of some, or different ones on different paths.
    HoldsArena,
}

#[derive(Clone)]
struct State {
    registers: Vec<Content>,
    locations: Locations,
    slots: Vec<bool>,
}

impl State {
    fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.registers.iter_mut().zip(&other.registers) {
            if mine != theirs {
                *mine = match (*mine, *theirs) {
                    (Content::Undefined, _) | (_, Content::Undefined) => Content::Undefined,
                    _ => Content::HoldsArena,
                };
            }
        }
        self.locations.merge(&other.locations);
        for (mine, theirs) in self.slots.iter_mut().zip(&other.slots) {
            *mine &= theirs;
        }
    }
}

struct Verifier<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Verifier<'_> {
    fn verify(&self) -> Result<(), (Option<usize>, String)> {
        self.header().map_err(|message| (None, message))?;
        for (index, instruction) in self.function.instructions.iter().enumerate() {
            self.shape_of(index, instruction).map_err(|message| (Some(index), message))?;
        }
        self.paths()
    }

    fn header(&self) -> Check {
        let function = self.function;
        let registers = function.num_registers as usize;
        let (params, instructions) = (function.params.len(), function.instructions.len());
        // Every register beyond the parameters is written by some instruction, which bounds their number by the input.
        if registers < params || registers > params + instructions {
            return Err(format!("{registers} registers for {params} parameters and {instructions} instructions"));
        }
        if function.arena_bytes > MAX_MEMORY {
            return Err(format!("an arena of {} bytes", function.arena_bytes));
        }
        let jumps = function.instructions.iter().filter(|i| target_of(i).is_some()).count();
        if (jumps + 1).saturating_mul(registers + function.slots.len()) > MAX_STATE_CELLS {
            return Err(format!("{jumps} jumps over {registers} registers are too many"));
        }
        self.program.verify_device(function.device)?;
        self.origins()?;
        for param in &function.params {
            self.kind(&param.kind, 0).map_err(|message| format!("parameter \"{}\": {message}", param.name))?;
        }
        self.kind(&function.result, 0).map_err(|message| format!("result: {message}"))?;
        match function.instructions.last() {
            Some(Instruction::Ret { .. }) => Ok(()),
            Some(_) => Err("the last instruction is not a return".to_owned()),
            None => Err("the function has no instructions".to_owned()),
        }
    }

    fn origins(&self) -> Check {
        let mut next = 0;
        for origin in &self.function.origins {
            index("source file", origin.file, self.program.files.len())?;
            if origin.instruction < next || origin.instruction as usize >= self.function.instructions.len() {
                return Err(format!("the origin of instruction {} is out of order", origin.instruction));
            }
            next = origin.instruction + 1;
        }
        Ok(())
    }

    fn kind(&self, kind: &Kind, depth: usize) -> Check {
        match kind {
            Kind::Object | Kind::Function => Ok(()),
            Kind::Prim { dtype, value } => {
                scalar(*dtype)?;
                match value {
                    DimPattern::Slot(slot) => self.slot(*slot),
                    DimPattern::Const(_) | DimPattern::Any => Ok(()),
                }
            }
            Kind::Tensor { dtype, dims, device } => {
                dtype.map_or(Ok(()), element)?;
                self.program.verify_device(*device)?;
                self.pattern(dims.as_deref())
            }
            Kind::Shape { dims } => self.pattern(dims.as_deref()),
            Kind::Tuple(_) if depth >= MAX_NESTING => Err(format!("tuples nested deeper than {MAX_NESTING}")),
            Kind::Tuple(fields) => fields.iter().try_for_each(|field| with_stack(|| self.kind(field, depth + 1))),
        }
    }

    fn pattern(&self, dims: Option<&[DimPattern]>) -> Check {
        dims.unwrap_or_default().iter().try_for_each(|dim| match *dim {
            DimPattern::Const(size) => not_negative(size),
            DimPattern::Slot(slot) => self.slot(slot),
            DimPattern::Any => Ok(()),
        })
    }

    fn slot(&self, slot: u32) -> Check {
        index("slot", slot, self.function.slots.len())
    }

    /// Checks one instruction by itself: everything it names exists.
    fn shape_of(&self, position: usize, instruction: &Instruction) -> Check {
        let (program, function) = (self.program, self.function);
        each_register(instruction, &mut |reg, _| index("register", reg.0, function.num_registers as usize))?;
        each_slot(instruction, &mut |slot, _| self.slot(slot))?;
        if let Some(target) = target_of(instruction)
            && (target as usize <= position || target as usize >= function.instructions.len())
        {
            return Err(format!("a jump to {target}, expected a later instruction"));
        }
        match instruction {
            Instruction::CallKernel { kernel, tensors, scalars } => {
                index("kernel", *kernel, program.kernels.len())?;
                let kernel = &program.kernels[*kernel as usize];
                count("tensors", tensors.len(), kernel.tensors.len())?;
                count("scalars", scalars.len(), kernel.scalars.len())
            }
            Instruction::CallPacked { name, .. } | Instruction::LoadPacked { name, .. } => {
                index("packed name", *name, program.packed_names.len())
            }
            Instruction::CallFunction { function, args, .. } => {
                index("function", *function, program.functions.len())?;
                count("arguments", args.len(), program.functions[*function as usize].params.len())
            }
            Instruction::MakeClosure { function, captured, .. } => {
                index("function", *function, program.functions.len())?;
                let params = program.functions[*function as usize].params.len();
                if captured.len() <= params {
                    return Ok(());
                }
                Err(format!("{} captured values for a function of {params} parameters", captured.len()))
            }
            Instruction::LoadConst { constant, device, .. } => {
                program.verify_device(*device)?;
                index("constant", *constant, program.constants.len())
            }
            Instruction::AllocTensor { dtype, shape, storage, device, .. } => {
                program.verify_device(*device)?;
                if matches!(storage, Storage::Arena { .. }) && *device != function.device {
                    let (here, there) = (function.device.0, device.0);
                    return Err(format!("a tensor of device {there} in an arena of device {here}"));
                }
                self.alloc(*dtype, shape, *storage)
            }
            Instruction::Compute { op, dtype, args, .. } => {
                scalar(*dtype)?;
                if let ScalarOp::Cast(to) = op {
                    scalar(*to)?;
                }
                count("operands", args.len(), op.arity())
            }
            Instruction::Copy { device, .. } => program.verify_device(*device),
            Instruction::MakeScalar { dtype, .. } => scalar(*dtype),
            Instruction::MakeShape { dims, .. } => constant_dims(dims).map(|_| ()),
            Instruction::Match { kind, .. } => self.kind(kind, 0),
            Instruction::LoadLiteral { .. }
            | Instruction::MakeTuple { .. }
            | Instruction::GetItem { .. }
            | Instruction::Move { .. }
            | Instruction::CallClosure { .. }
            | Instruction::CopyTo { .. }
            | Instruction::Sync
            | Instruction::Kill { .. }
            | Instruction::If { .. }
            | Instruction::Goto { .. }
            | Instruction::Ret { .. } => Ok(()),
        }
    }

    fn alloc(&self, dtype: DataType, shape: &[Dim], storage: Storage) -> Check {
        element(dtype)?;
        let constant = constant_dims(shape)?;
        let needed = match constant {
            Some(shape) => Some(Layout::compact(dtype, &shape).map_err(|error| error.to_string())?.num_bytes() as u64),
            None => None,
        };
        let Storage::Arena { offset, bytes } = storage else { return Ok(()) };
        let end = offset.checked_add(bytes);
        if !offset.is_multiple_of(TENSOR_ALIGN as u64) || end.is_none_or(|end| end > self.function.arena_bytes) {
            let arena = self.function.arena_bytes;
            return Err(format!("{bytes} bytes at {offset} of an arena of {arena} bytes, expected a multiple of 64"));
        }
        match needed {
            Some(needed) if needed > bytes => Err(format!("{needed} bytes in a place of {bytes}")),
            _ => Ok(()),
        }
    }

    /// Follows all paths at once: forward jumps only, so that each instruction is looked at once.
    fn paths(&self) -> Result<(), (Option<usize>, String)> {
        let function = self.function;
        let mut entry = State {
            registers: vec![Content::Undefined; function.num_registers as usize],
            locations: Locations::on_entry(function),
            slots: vec![false; function.slots.len()],
        };
        entry.registers[..function.params.len()].fill(Content::Value);
        for param in &function.params {
            param.kind.for_each_slot(&mut |slot| entry.slots[slot as usize] = true);
        }
        let mut waiting: BTreeMap<u32, State> = BTreeMap::new();
        let mut current = Some(entry);
        for (position, instruction) in function.instructions.iter().enumerate() {
            if let Some(jumped) = waiting.remove(&(position as u32)) {
                match &mut current {
                    Some(state) => state.merge(&jumped),
                    None => current = Some(jumped),
                }
            }
            let Some(state) = &mut current else { continue };
            self.step(state, position, instruction).map_err(|message| (Some(position), message))?;
            if let Some(target) = target_of(instruction) {
                match waiting.get_mut(&target) {
                    Some(other) => other.merge(state),
                    None => {
                        let cells = (waiting.len() + 1).saturating_mul(state.registers.len() + state.slots.len());
                        if cells > MAX_WAITING_CELLS {
                            let message = "too many jumps over too many registers".to_owned();
                            return Err((Some(position), message));
                        }
                        waiting.insert(target, state.clone());
                    }
                }
            }
            if matches!(instruction, Instruction::Goto { .. } | Instruction::Ret { .. }) {
                current = None;
            }
        }
        Ok(())
    }

    /// Whether two devices are of one kind: such may be the same one when the program runs.
    fn are_alike(&self, a: DeviceIndex, b: DeviceIndex) -> bool {
        let kind = |device: DeviceIndex| self.program.devices.get(device.0 as usize);
        kind(a) == kind(b)
    }

    /// Checks what the instruction reads, then records what it writes.
    fn step(&self, state: &mut State, position: usize, instruction: &Instruction) -> Check {
        each_register(instruction, &mut |reg, use_| match use_ {
            Use::Read if state.registers[reg.0 as usize] == Content::Undefined => {
                Err(format!("register {} is read before it is written", reg.0))
            }
            Use::Read | Use::Write => Ok(()),
        })?;
        state.locations.arrived(instruction)?;
        each_slot(instruction, &mut |slot, use_| match use_ {
            Use::Read if !state.slots[slot as usize] => {
                Err(format!("the size \"{}\" is read before it has a value", self.function.slots[slot as usize]))
            }
            Use::Read | Use::Write => Ok(()),
        })?;
        let content = |reg: &Reg| state.registers[reg.0 as usize];
        let holds_arena = |reg: &Reg| matches!(content(reg), Content::Arena { .. } | Content::HoldsArena);
        let written = match instruction {
            Instruction::Move { src, .. } => content(src),
            // Nothing is copied if it lies there already, and devices of one kind may be one.
            Instruction::Copy { src, device, .. }
                if state.locations.device(*src).is_none_or(|from| self.are_alike(from, *device)) =>
            {
                content(src)
            }
            Instruction::GetItem { tuple, .. } => content(tuple),
            Instruction::MakeTuple { items, .. } | Instruction::MakeClosure { captured: items, .. }
                if items.iter().any(holds_arena) =>
            {
                Content::HoldsArena
            }
            Instruction::AllocTensor { storage: Storage::Arena { .. }, .. } => {
                Content::Arena { alloc: position as u32 }
            }
            Instruction::Kill { .. } => Content::Undefined,
            Instruction::Ret { value } if holds_arena(value) => {
                return Err(format!("register {} holds an arena tensor and is returned", value.0));
            }
            Instruction::CallKernel { kernel, tensors, .. } => {
                let kernel = &self.program.kernels[*kernel as usize];
                state.locations.are_on_device(self.program, kernel, tensors)?;
                self.distinct(state, kernel, tensors)?;
                Content::Value
            }
            _ => Content::Value,
        };
        each_register(instruction, &mut |reg, use_| {
            if use_ == Use::Write {
                state.registers[reg.0 as usize] = written;
            }
            Ok(())
        })?;
        state.locations.step(self.program, instruction)?;
        each_slot(instruction, &mut |slot, use_| {
            if use_ == Use::Write {
                state.slots[slot as usize] = true;
            }
            Ok(())
        })
    }

    /// A written tensor is no other argument, and shares no part of the arena with one.
    fn distinct(&self, state: &State, kernel: &Kernel, tensors: &[Reg]) -> Check {
        let shared = |a: Reg, b: Reg, written: bool| {
            let (written, other) = if written { (a.0, b.0) } else { (b.0, a.0) };
            let name = self.program.kernel_name(kernel);
            Err(format!("kernel \"{name}\" writes register {written}, whose memory register {other} shares"))
        };
        let mut seen: Map<Reg, bool> = Map::default();
        let mut places = Vec::new();
        for (&reg, &access) in tensors.iter().zip(&kernel.tensors) {
            let written = access == Access::Write;
            if let Some(before) = seen.insert(reg, written)
                && (written || before)
            {
                return shared(reg, reg, written);
            }
            if let Some((offset, bytes)) = self.place(state, reg).filter(|(_, bytes)| *bytes > 0) {
                places.push((offset, offset + bytes, reg, written));
            }
        }
        // In the order of their first bytes, a place overlaps one before it if it begins before that one's end: it is
        // enough to know the one that reaches farthest, and the one of those written that does.
        places.sort_unstable_by_key(|(start, ..)| *start);
        let (mut farthest, mut farthest_written) = ((0, Reg(0)), (0, Reg(0)));
        for (start, end, reg, written) in places {
            let before = if written { farthest } else { farthest_written };
            if start < before.0 {
                return shared(reg, before.1, written);
            }
            farthest = std::cmp::max_by_key((end, reg), farthest, |(end, _)| *end);
            if written {
                farthest_written = std::cmp::max_by_key((end, reg), farthest_written, |(end, _)| *end);
            }
        }
        Ok(())
    }

    /// Where in the arena the register's tensor lies: its offset and bytes, if it is known to lie there.
    fn place(&self, state: &State, reg: Reg) -> Option<(u64, u64)> {
        let Content::Arena { alloc } = state.registers[reg.0 as usize] else { return None };
        match self.function.instructions[alloc as usize] {
            Instruction::AllocTensor { storage: Storage::Arena { offset, bytes }, .. } => Some((offset, bytes)),
            _ => None,
        }
    }
}

/// A type that a number can have.
fn scalar(dtype: DataType) -> Check {
    match DataType::TENSOR_ELEMENTS.contains(&dtype) {
        true => Ok(()),
        false => Err(format!("the type {dtype} is none of a number")),
    }
}

fn element(dtype: DataType) -> Check {
    match dtype.is_tensor_element() {
        true => Ok(()),
        false => Err(format!("the type {dtype} is none of a tensor's elements")),
    }
}

fn not_negative(size: i64) -> Check {
    if size < 0 { Err(format!("a dimension of size {size}")) } else { Ok(()) }
}

fn index(what: &str, index: u32, count: usize) -> Check {
    if (index as usize) < count { Ok(()) } else { Err(format!("{what} {index} of {count}")) }
}

fn count(what: &str, found: usize, expected: usize) -> Check {
    if found == expected { Ok(()) } else { Err(format!("{found} {what}, expected {expected}")) }
}

/// The sizes if all of them are constant; an error if one is negative.
fn constant_dims(dims: &[Dim]) -> Result<Option<Vec<i64>>, String> {
    let mut sizes = Vec::new();
    for dim in dims {
        if let Dim::Const(size) = *dim {
            not_negative(size)?;
            sizes.push(size);
        }
    }
    Ok((sizes.len() == dims.len()).then_some(sizes))
}

fn target_of(instruction: &Instruction) -> Option<u32> {
    match instruction {
        Instruction::If { otherwise: target, .. } | Instruction::Goto { target } => Some(*target),
        _ => None,
    }
}
