//! Facts about functions that are computed once, before the first run.

use std::sync::Arc;

use tilewright_support::Set;
use tilewright_tensor::{DataType, Layout, Tensor, TensorError};
use tilewright_vm_program::{Access, Dim, Function, Instruction, Program, Reg, Storage};

use crate::code::Code;
use crate::device::OpenDevice;
use crate::error::Result;
use crate::fork::Lock;
use crate::kernel::Worker;
use crate::launch::{Entry, PreparedLaunch};
use crate::one_slot::OneSlot;
use crate::value::Value;

/// Idle frames that a function keeps.
const MAX_IDLE_FRAMES: usize = 16;

/// Facts about an instruction.
pub(crate) enum Fact {
    None,
    /// What the register holds since an earlier run of the frame, if it holds anything, is what it gets, and stays
    /// there.
    Kept,
    /// The tensor is the frame's `planned[index]`.
    Planned(usize),
    /// As the two before.
    KeptPlanned(usize),
    /// The tensor's layout, for memory of its own.
    Layout(Arc<Layout>),
    /// The kernel to call.
    Kernel(PreparedLaunch),
}

/// A function with its facts and its idle frames.
pub(crate) struct Prepared {
    /// One per instruction.
    pub(crate) facts: Vec<Fact>,
    /// Layouts and arena offsets of the tensors that each frame makes once.
    planned: Vec<(Arc<Layout>, u64)>,
    /// Whether code outside this function sees arena tensors, and may keep them.
    lends_arena: bool,
    /// Packed functions that a call may reach, by their indices, in order.
    pub(crate) packed: Vec<u32>,
    /// Registers that are cleared after a run: those that are not kept.
    emptied: Vec<u32>,
    /// The frame of the last run.
    last: OneSlot<Frame>,
    #[expect(clippy::vec_box, reason = "frames go out and come back by their addresses")]
    idle: Lock<Vec<Box<Frame>>>,
    /// Where the arena lies; none on the host.
    arena_device: Option<Arc<dyn OpenDevice>>,
    /// Keeps the kernels' entries valid.
    _code: Arc<Code>,
}

/// What the functions of a program are made ready with.
pub(crate) struct Ready<'a> {
    pub(crate) program: &'a Program,
    pub(crate) code: &'a Arc<Code>,
    /// One for each kernel of the program.
    pub(crate) entries: &'a [Entry],
    /// One for each device of the program; none for the host.
    pub(crate) devices: &'a [Option<Arc<dyn OpenDevice>>],
}

/// The memory of one run.
pub(crate) struct Frame {
    pub(crate) registers: Vec<Value>,
    pub(crate) slots: Vec<Option<i64>>,
    /// Bytes for the tensors that stay inside the run; absent where the function has none.
    pub(crate) arena: Option<Tensor>,
    pub(crate) planned: Vec<Tensor>,
    pub(crate) worker: Worker,
}

impl Prepared {
    /// Facts about `program.functions[index]`; the program is verified.
    pub(crate) fn new(ready: &Ready<'_>, index: usize) -> Result<Self, TensorError> {
        let program = ready.program;
        let function = &program.functions[index];
        let calls_out = |i: &Instruction| {
            matches!(
                i,
                Instruction::CallPacked { .. }
                    | Instruction::CallFunction { .. }
                    | Instruction::CallClosure { .. }
                    | Instruction::MakeClosure { .. }
            )
        };
        let lends_arena = function.arena_bytes > 0 && function.instructions.iter().any(calls_out);
        let (contents, kept) = (contents(function), kept(function, lends_arena));
        let (cx, mut planned) = (FactCx { ready, function, contents: &contents, kept: &kept }, Vec::new());
        let facts = function.instructions.iter().map(|instruction| cx.fact(instruction, &mut planned));
        Ok(Self {
            facts: facts.collect::<Result<_, TensorError>>()?,
            planned,
            lends_arena,
            packed: reachable_packed(program, index),
            emptied: (0..function.num_registers).filter(|&reg| !kept[reg as usize]).collect(),
            last: OneSlot::default(),
            idle: Lock::default(),
            arena_device: ready.devices[function.device.0 as usize].clone(),
            _code: Arc::clone(ready.code),
        })
    }

    /// An idle frame, or a new one.
    pub(crate) fn frame(&self, function: &Function) -> Result<Box<Frame>> {
        let idle = self.last.take().or_else(|| self.idle.lock().pop());
        match idle {
            Some(frame) => Ok(frame),
            None => self.make_frame(function).map(Box::new),
        }
    }

    fn make_frame(&self, function: &Function) -> Result<Frame> {
        let mut registers = Vec::new();
        registers.resize_with(function.num_registers as usize, Value::default);
        let arena = match i64::try_from(function.arena_bytes) {
            Ok(0) => None,
            Ok(bytes) => Some(match &self.arena_device {
                None => Tensor::zeros(DataType::U8, &[bytes])?,
                Some(device) => device.alloc(Arc::new(Layout::compact(DataType::U8, &[bytes])?))?,
            }),
            Err(_) => return Err(TensorError::OutOfMemory { bytes: usize::MAX }.into()),
        };
        let mut planned = Vec::new();
        if let Some(arena) = &arena {
            for (layout, offset) in &self.planned {
                planned.push(arena.view_as(Arc::clone(layout), *offset as i64)?);
            }
        }
        let slots = vec![None; function.slots.len()];
        Ok(Frame { registers, slots, arena, planned, worker: Worker::default() })
    }

    /// Takes a frame back for the next run. If someone still holds one of its arena tensors, the arena is theirs and
    /// the frame is dropped. An instrument that watched the run saw the tensors too.
    pub(crate) fn give_back(&self, mut frame: Box<Frame>, watched: bool) {
        frame.slots.fill(None);
        if self.lends_arena || watched {
            frame.registers.fill_with(Value::default);
            if frame.is_lent() {
                return;
            }
        } else {
            self.emptied.iter().for_each(|&reg| frame.registers[reg as usize] = Value::None);
        }
        frame.worker.rest();
        let Some(frame) = self.last.put(frame) else { return };
        let mut idle = self.idle.lock();
        if idle.len() < MAX_IDLE_FRAMES {
            idle.push(frame);
        }
    }
}

impl Frame {
    /// Whether anyone else holds a tensor over the arena.
    fn is_lent(&self) -> bool {
        let Some(arena) = &self.arena else { return false };
        arena.sharers().1 != 1 + self.planned.len() || self.planned.iter().any(|tensor| tensor.sharers().0 != 1)
    }
}

/// The state of the analysis.
struct FactCx<'a> {
    ready: &'a Ready<'a>,
    function: &'a Function,
    /// For each register, what it holds, and whether a frame keeps it.
    contents: &'a [Holds],
    kept: &'a [bool],
}

impl FactCx<'_> {
    fn fact(&self, instruction: &Instruction, planned: &mut Vec<(Arc<Layout>, u64)>) -> Result<Fact, TensorError> {
        match instruction {
            Instruction::AllocTensor { dst, dtype, shape, storage, .. } => {
                let Some(shape) = constant_shape(shape) else { return Ok(Fact::None) };
                let layout = Arc::new(Layout::compact(*dtype, &shape)?);
                let Some(offset) = planned_at(self.function, *storage) else { return Ok(Fact::Layout(layout)) };
                planned.push((layout, offset));
                let index = planned.len() - 1;
                Ok(if self.kept[dst.0 as usize] { Fact::KeptPlanned(index) } else { Fact::Planned(index) })
            }
            Instruction::LoadConst { dst: reg, .. } | Instruction::Kill { reg } if self.kept[reg.0 as usize] => {
                Ok(Fact::Kept)
            }
            Instruction::CallKernel { kernel, tensors, .. } => {
                let declared = &self.ready.program.kernels[*kernel as usize];
                let access = &declared.tensors;
                let writes = access.contains(&Access::Write);
                let holds = |reg: &Reg| self.contents[reg.0 as usize];
                let written_own = tensors.iter().zip(access).all(|(reg, access)| match access {
                    Access::Write => holds(reg) == Holds::Own,
                    Access::Read => true,
                });
                let others_known = tensors.iter().all(|reg| holds(reg) != Holds::Anything);
                Ok(Fact::Kernel(PreparedLaunch {
                    entry: self.ready.entries[*kernel as usize].clone(),
                    scratch_bytes: declared.scratch_bytes as usize,
                    check_overlap: writes && !(written_own && others_known),
                }))
            }
            _ => Ok(Fact::None),
        }
    }
}

fn constant_shape(shape: &[Dim]) -> Option<Vec<i64>> {
    let constant = |dim: &Dim| match dim {
        Dim::Const(size) => Some(*size),
        Dim::Slot(_) => None,
    };
    shape.iter().map(constant).collect()
}

/// The range of a tensor in the function's arena; none for an empty range without an arena, too.
fn planned_at(function: &Function, storage: Storage) -> Option<u64> {
    match storage {
        Storage::Arena { offset, .. } if function.arena_bytes > 0 => Some(offset),
        Storage::Arena { .. } | Storage::Fresh => None,
    }
}

/// Which registers get the same tensor in each run of a frame: a constant, or one over a range of the arena, if nobody
/// else may hold the arena. Frames keep these, where nothing else is ever written to the register. A run that takes
/// another path, or is over with the register, does not look at what it holds.
fn kept(function: &Function, lends_arena: bool) -> Vec<bool> {
    let mut writers = vec![0usize; function.num_registers as usize];
    let mut kept = vec![false; function.num_registers as usize];
    writers[..function.params.len()].fill(1);
    for instruction in &function.instructions {
        let Some((reg, _)) = written(instruction) else { continue };
        let at = reg.0 as usize;
        writers[at] += 1;
        kept[at] = writers[at] == 1
            && match instruction {
                Instruction::LoadConst { .. } => true,
                Instruction::AllocTensor { shape, storage, .. } => {
                    !lends_arena && constant_shape(shape).is_some() && planned_at(function, *storage).is_some()
                }
                _ => false,
            };
    }
    kept
}

/// What a register ever holds, whatever path a run takes.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// An argument or constants: memory that no allocation of the run has a part of. Or nothing at all.
    Precedent,
    /// The tensor of one allocation. The verifier has compared those in the arena.
    Own,
    Anything,
}

/// For each register.
fn contents(function: &Function) -> Vec<Holds> {
    let mut contents: Vec<Option<Holds>> = vec![None; function.num_registers as usize];
    contents[..function.params.len()].fill(Some(Holds::Precedent));
    for instruction in &function.instructions {
        let Some((reg, written)) = written(instruction) else { continue };
        let before = &mut contents[reg.0 as usize];
        *before = Some(match (*before, written) {
            (None, written) => written,
            (Some(Holds::Precedent), Holds::Precedent) => Holds::Precedent,
            _ => Holds::Anything,
        });
    }
    contents.into_iter().map(|holds| holds.unwrap_or(Holds::Precedent)).collect()
}

/// The register that the instruction writes, and with what.
fn written(instruction: &Instruction) -> Option<(Reg, Holds)> {
    match instruction {
        Instruction::AllocTensor { dst, .. } => Some((*dst, Holds::Own)),
        Instruction::LoadConst { dst, .. } => Some((*dst, Holds::Precedent)),
        Instruction::CallPacked { dst, .. } => dst.map(|dst| (dst, Holds::Anything)),
        Instruction::CallFunction { dst, .. }
        | Instruction::LoadLiteral { dst, .. }
        | Instruction::CallClosure { dst, .. }
        | Instruction::MakeClosure { dst, .. }
        | Instruction::LoadPacked { dst, .. }
        | Instruction::MakeScalar { dst, .. }
        | Instruction::MakeTuple { dst, .. }
        | Instruction::GetItem { dst, .. }
        | Instruction::MakeShape { dst, .. }
        | Instruction::Copy { dst, .. }
        | Instruction::Move { dst, .. } => Some((*dst, Holds::Anything)),
        Instruction::CallKernel { .. }
        | Instruction::Match { .. }
        | Instruction::Compute { .. }
        | Instruction::CopyTo { .. }
        | Instruction::Sync
        | Instruction::Kill { .. }
        | Instruction::If { .. }
        | Instruction::Goto { .. }
        | Instruction::Ret { .. } => None,
    }
}

/// The packed functions that calls from `start` on may reach.
fn reachable_packed(program: &Program, start: usize) -> Vec<u32> {
    let (mut functions, mut packed) = (Set::default(), Set::default());
    let mut queue = vec![start as u32];
    while let Some(index) = queue.pop() {
        if !functions.insert(index) {
            continue;
        }
        for instruction in &program.functions[index as usize].instructions {
            match instruction {
                Instruction::CallPacked { name, .. } | Instruction::LoadPacked { name, .. } => {
                    packed.insert(*name);
                }
                Instruction::CallKernel { kernel, .. } => packed.extend(&program.kernels[*kernel as usize].packed),
                Instruction::CallFunction { function, .. } | Instruction::MakeClosure { function, .. } => {
                    queue.push(*function);
                }
                _ => {}
            }
        }
    }
    let mut packed: Vec<_> = packed.into_iter().collect();
    packed.sort_unstable();
    packed
}
