//! The memory of a run, instruction by instruction: which tensors are in use.
//!
//! Tensors that do not leave a run have a part of its arena, which is there for the whole run; a planner has put
//! tensors into the same bytes that are never in use together. Counted here are the bytes in use: the gap between them
//! and the arena is what planning loses. The instructions say which register holds which tensor; the sizes of tensors
//! with symbolic dimensions come from the calls of the run.

use tilewright_support::Map;
use tilewright_vm_program::{Dim, Function, Instruction, Program, Reg, Storage};

use super::Slice;
use tilewright_runtime::CallKind;

/// The memory of a run of a function, without that of functions that it calls.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// Bytes of the run's arena.
    pub arena: u64,
    /// Bytes of the program's constants.
    pub constants: u64,
    /// The bytes in use after each instruction that allocates, frees or calls.
    pub points: Vec<Point>,
}

/// The memory in use after an instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    pub instruction: usize,
    /// Bytes of tensors in the arena, and of tensors with memory of their own.
    pub arena: u64,
    pub own: u64,
    /// The number of the call in the profile's slices, if it is one.
    pub slice: Option<usize>,
}

impl Memory {
    /// The most bytes in use, without constants.
    pub fn peak(&self) -> u64 {
        self.points.iter().map(|point| point.arena + point.own).max().unwrap_or(0)
    }

    /// The memory of the run whose calls these are; none for a function with branches, and where the calls are not
    /// those of the function.
    pub(super) fn of(program: &Program, function: &str, slices: &[Slice]) -> Option<Self> {
        let function = program.functions.get(program.function(function)? as usize)?;
        let branches = |step: &Instruction| matches!(step, Instruction::If { .. } | Instruction::Goto { .. });
        if function.instructions.iter().any(branches) {
            return None;
        }
        // Of the calls, those that the function makes itself.
        let calls = calls_of(program, function, slices)?;
        let sizes = sizes_of(function, slices, &calls);
        Some(Self {
            arena: function.arena_bytes,
            constants: program.constants.iter().map(|constant| constant.num_bytes() as u64).sum(),
            points: points_of(function, &sizes, &calls),
        })
    }
}

/// The slice of each instruction that is a call.
fn calls_of(program: &Program, function: &Function, slices: &[Slice]) -> Option<Map<usize, usize>> {
    let mut own = slices.iter().enumerate().filter(|(_, slice)| slice.depth == 0);
    let mut calls = Map::default();
    for (at, step) in function.instructions.iter().enumerate() {
        let (kind, name) = match step {
            Instruction::CallKernel { kernel, .. } => {
                (CallKind::Kernel, program.kernel_name(program.kernels.get(*kernel as usize)?))
            }
            Instruction::CallPacked { name, .. } => {
                (CallKind::Packed, program.packed_names.get(*name as usize)?.as_str())
            }
            Instruction::CallFunction { .. } | Instruction::CallClosure { .. } => {
                calls.insert(at, own.next()?.0);
                continue;
            }
            _ => continue,
        };
        let (number, slice) = own.next()?;
        if slice.kind != kind || slice.name != name {
            return None;
        }
        calls.insert(at, number);
    }
    Some(calls)
}

/// The bytes of the tensor of each instruction that allocates one.
fn sizes_of(function: &Function, slices: &[Slice], calls: &Map<usize, usize>) -> Map<usize, u64> {
    let mut sizes = Map::default();
    let mut holders: Map<Reg, usize> = Map::default();
    for (at, step) in function.instructions.iter().enumerate() {
        match step {
            Instruction::AllocTensor { dst, dtype, shape, storage, .. } => {
                holders.insert(*dst, at);
                let known = shape.iter().map(|dim| match dim {
                    Dim::Const(size) => u64::try_from(*size).ok(),
                    Dim::Slot(_) => None,
                });
                let width = Some(dtype.bytes() as u64);
                let bytes = known.fold(width, |all, size| all?.checked_mul(size?));
                let planned = match storage {
                    Storage::Arena { bytes, .. } => *bytes,
                    Storage::Fresh => 0,
                };
                sizes.insert(at, bytes.unwrap_or(planned));
            }
            Instruction::CallKernel { tensors, .. } => {
                let Some(slice) = calls.get(&at).and_then(|number| slices.get(*number)) else { continue };
                for (reg, bytes) in tensors.iter().zip(&slice.bytes) {
                    if let (Some(holder), Some(bytes)) = (holders.get(reg), bytes) {
                        sizes.insert(*holder, *bytes);
                    }
                }
            }
            _ => {}
        }
    }
    sizes
}

/// Which allocations a register holds, and how many registers hold an allocation.
#[derive(Default)]
struct Held {
    by_register: Map<Reg, Vec<usize>>,
    holders: Map<usize, usize>,
    /// Bytes in use: of the arena, and of tensors with memory of their own.
    in_use: [u64; 2],
}

impl Held {
    fn set(&mut self, reg: Reg, held: Vec<usize>, size: &dyn Fn(usize) -> (usize, u64)) {
        for one in &held {
            let count = self.holders.entry(*one).or_default();
            *count += 1;
            if *count == 1 {
                let (place, bytes) = size(*one);
                self.in_use[place] += bytes;
            }
        }
        for one in self.by_register.insert(reg, held).unwrap_or_default() {
            let count = self.holders.entry(one).or_default();
            *count = count.saturating_sub(1);
            if *count == 0 {
                let (place, bytes) = size(one);
                self.in_use[place] = self.in_use[place].saturating_sub(bytes);
            }
        }
    }

    fn of(&self, reg: Reg) -> Vec<usize> {
        self.by_register.get(&reg).cloned().unwrap_or_default()
    }
}

fn points_of(function: &Function, sizes: &Map<usize, u64>, calls: &Map<usize, usize>) -> Vec<Point> {
    let size = |at: usize| {
        let place = match function.instructions.get(at) {
            Some(Instruction::AllocTensor { storage: Storage::Arena { .. }, .. }) => 0,
            _ => 1,
        };
        (place, sizes.get(&at).copied().unwrap_or(0))
    };
    let (mut held, mut points) = (Held::default(), Vec::new());
    for (at, step) in function.instructions.iter().enumerate() {
        match step {
            Instruction::AllocTensor { dst, .. } => held.set(*dst, vec![at], &size),
            Instruction::Move { dst, src } | Instruction::Copy { dst, src, .. } => {
                let moved = held.of(*src);
                held.set(*dst, moved, &size);
            }
            // A field may hold what the tuple holds: it is not known which.
            Instruction::GetItem { dst, tuple, .. } => {
                let items = held.of(*tuple);
                held.set(*dst, items, &size);
            }
            Instruction::MakeTuple { dst, items } => {
                let all = items.iter().flat_map(|item| held.of(*item)).collect();
                held.set(*dst, all, &size);
            }
            Instruction::Kill { reg } => held.set(*reg, Vec::new(), &size),
            Instruction::CallKernel { .. } => {}
            Instruction::CallPacked { dst: Some(dst), .. }
            | Instruction::CallFunction { dst, .. }
            | Instruction::CallClosure { dst, .. }
            | Instruction::LoadConst { dst, .. }
            | Instruction::LoadLiteral { dst, .. }
            | Instruction::LoadPacked { dst, .. }
            | Instruction::MakeClosure { dst, .. }
            | Instruction::MakeShape { dst, .. }
            | Instruction::MakeScalar { dst, .. } => held.set(*dst, Vec::new(), &size),
            _ => continue,
        }
        let [arena, own] = held.in_use;
        points.push(Point { instruction: at, arena, own, slice: calls.get(&at).copied() });
    }
    points
}
