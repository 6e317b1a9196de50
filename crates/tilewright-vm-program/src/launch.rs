//! The host's part of a kernel for a GPU: what is computed, allocated and launched, in which order.
//!
//! A kernel of a program, which takes tensors and numbers, may be several launches on the device, with temporaries
//! between them and grids that depend on the numbers. No code of the host is compiled for that: it is this data, which
//! the device's driver works off.

use tilewright_tensor::DataType;

use crate::encode;
use crate::program::{Dim, ScalarOp};
use crate::wire::{Reader, WireResult, Writer, wrong};

/// Steps inside of each other at most.
const MAX_DEPTH: usize = 64;
/// Threads of a block at most, on any device.
const MAX_THREADS: u64 = 1024;

/// What the host does for a kernel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LaunchPlan {
    /// Numbers, by index: first the kernel's scalar arguments, then those that steps compute.
    pub slots: u32,
    /// Pieces of memory, by index: first the kernel's tensors, then those that steps allocate.
    pub memories: u32,
    pub steps: Vec<LaunchStep>,
}

/// One step. Slots and memory are used after they are given a value only.
#[derive(Clone, PartialEq, Debug)]
pub enum LaunchStep {
    /// Sets a slot to the result of an operation on integers, as [`crate::Instruction::Compute`] does.
    Compute {
        dst: u32,
        op: ScalarOp,
        dtype: DataType,
        args: Vec<Dim>,
    },
    /// Ends the call with the message unless the number is other than 0.
    Check {
        condition: Dim,
        message: String,
    },
    /// Memory of the device, until [`LaunchStep::Free`]; less than 0 bytes are an error.
    Allocate {
        memory: u32,
        bytes: Dim,
    },
    Free {
        memory: u32,
    },
    /// Starts threads. Without a block nothing is started.
    Launch(KernelLaunch),
    /// The steps for each value from `from` on, in rising order.
    Repeat {
        slot: u32,
        from: Dim,
        count: Dim,
        steps: Vec<LaunchStep>,
    },
    /// Some of the steps, by whether the number is other than 0.
    Choose {
        condition: Dim,
        then: Vec<LaunchStep>,
        otherwise: Vec<LaunchStep>,
    },
}

/// The start of a device function.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelLaunch {
    /// Its symbol in the code of the export.
    pub symbol: String,
    /// Blocks on x, y and z.
    pub grid: [Dim; 3],
    /// Threads of a block on x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// The addresses that it takes.
    pub memory: Vec<u32>,
    /// The numbers that it takes after them, as a kernel takes its scalar arguments.
    pub scalars: Vec<Dim>,
}

type Check = Result<(), String>;

impl LaunchPlan {
    /// Whether every index exists, for a kernel with so many tensors and numbers; else what is wrong.
    pub fn verify(&self, tensors: usize, scalars: usize) -> Check {
        let (memories, slots) = (self.memories as usize, self.slots as usize);
        if memories < tensors || slots < scalars {
            return Err(format!(
                "{memories} pieces of memory for {tensors} tensors, {slots} slots for {scalars} numbers"
            ));
        }
        let mut known = Known { memory: vec![false; memories], slots: vec![false; slots] };
        known.memory[..tensors].fill(true);
        known.slots[..scalars].fill(true);
        known.steps(&self.steps, tensors, 0)
    }

    pub(crate) fn write(&self, w: &mut Writer) {
        w.u32(self.slots);
        w.u32(self.memories);
        w.list(&self.steps, write_step);
    }

    pub(crate) fn read(r: &mut Reader<'_>) -> WireResult<Self> {
        Ok(Self { slots: r.u32()?, memories: r.u32()?, steps: r.list(|r| read_step(r, 0))? })
    }

    /// As bytes, which [`LaunchPlan::decode`] reads.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        self.write(&mut w);
        w.bytes
    }

    /// The plan of its bytes.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut r = Reader::new(bytes, crate::FORMAT_VERSION);
        let plan = Self::read(&mut r).map_err(|error| error.0)?;
        r.finish().map_err(|error| error.0)?;
        Ok(plan)
    }
}

/// What has a value at a step.
#[derive(Clone)]
struct Known {
    memory: Vec<bool>,
    slots: Vec<bool>,
}

impl Known {
    fn steps(&mut self, steps: &[LaunchStep], tensors: usize, depth: usize) -> Check {
        if depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} steps inside of each other"));
        }
        steps.iter().try_for_each(|step| self.step(step, tensors, depth))
    }

    fn step(&mut self, step: &LaunchStep, tensors: usize, depth: usize) -> Check {
        match step {
            LaunchStep::Compute { dst, op, dtype, args } => {
                args.iter().try_for_each(|arg| self.number(arg))?;
                let integer = |dtype: &DataType| (dtype.is_int() || dtype.is_bool()) && dtype.is_scalar();
                if !integer(dtype) || matches!(op, ScalarOp::Cast(to) if !integer(to)) || args.len() != op.arity() {
                    return Err(format!("{op:?} of {} numbers of {dtype}", args.len()));
                }
                self.set(*dst)
            }
            LaunchStep::Check { condition, .. } => self.number(condition),
            LaunchStep::Allocate { memory, bytes } => {
                self.number(bytes)?;
                match self.memory.get_mut(*memory as usize) {
                    Some(known) if *memory as usize >= tensors && !*known => *known = true,
                    _ => return Err(format!("memory {memory} cannot be allocated")),
                }
                Ok(())
            }
            LaunchStep::Free { memory } => {
                self.memory(*memory)?;
                if (*memory as usize) < tensors {
                    return Err(format!("memory {memory} is a tensor's"));
                }
                self.memory[*memory as usize] = false;
                Ok(())
            }
            LaunchStep::Launch(launch) => self.launch(launch),
            LaunchStep::Repeat { slot, from, count, steps } => {
                [from, count].into_iter().try_for_each(|number| self.number(number))?;
                let mut inside = self.clone();
                inside.set(*slot)?;
                inside.steps(steps, tensors, depth + 1)?;
                self.unchanged(&inside)
            }
            LaunchStep::Choose { condition, then, otherwise } => {
                self.number(condition)?;
                for steps in [then, otherwise] {
                    let mut inside = self.clone();
                    inside.steps(steps, tensors, depth + 1)?;
                    self.unchanged(&inside)?;
                }
                Ok(())
            }
        }
    }

    /// What a part of the steps allocates it frees.
    fn unchanged(&self, inside: &Self) -> Check {
        match self.memory == inside.memory {
            true => Ok(()),
            false => Err("memory is allocated and not freed, or the other way round".to_owned()),
        }
    }

    fn launch(&self, launch: &KernelLaunch) -> Check {
        launch.grid.iter().chain(&launch.scalars).try_for_each(|number| self.number(number))?;
        launch.memory.iter().try_for_each(|&memory| self.memory(memory))?;
        let threads: u64 = launch.block.iter().map(|&threads| u64::from(threads)).product();
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(format!("\"{}\" has {threads} threads in a block", launch.symbol));
        }
        if launch.symbol.is_empty() || launch.symbol.bytes().any(|byte| byte == 0) {
            return Err(format!("{:?} is no symbol", launch.symbol));
        }
        Ok(())
    }

    fn number(&self, number: &Dim) -> Check {
        match *number {
            Dim::Slot(slot) if self.slots.get(slot as usize) != Some(&true) => {
                Err(format!("slot {slot} of {} has no value", self.slots.len()))
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, slot: u32) -> Check {
        match self.slots.get_mut(slot as usize) {
            Some(known) => *known = true,
            None => return Err(format!("slot {slot} of {}", self.slots.len())),
        }
        Ok(())
    }

    fn memory(&self, memory: u32) -> Check {
        match self.memory.get(memory as usize) {
            Some(true) => Ok(()),
            _ => Err(format!("memory {memory} of {} is not there", self.memory.len())),
        }
    }
}

fn write_step(w: &mut Writer, step: &LaunchStep) {
    match step {
        LaunchStep::Compute { dst, op, dtype, args } => {
            w.u8(0);
            w.u32(*dst);
            encode::write_op(w, *op);
            encode::write_dtype(w, *dtype);
            w.list(args, encode::write_dim);
        }
        LaunchStep::Check { condition, message } => {
            w.u8(1);
            encode::write_dim(w, condition);
            w.string(message);
        }
        LaunchStep::Allocate { memory, bytes } => {
            w.u8(2);
            w.u32(*memory);
            encode::write_dim(w, bytes);
        }
        LaunchStep::Free { memory } => {
            w.u8(3);
            w.u32(*memory);
        }
        LaunchStep::Launch(launch) => {
            w.u8(4);
            w.string(&launch.symbol);
            launch.grid.iter().for_each(|blocks| encode::write_dim(w, blocks));
            launch.block.iter().for_each(|threads| w.u32(*threads));
            w.u32(launch.shared_bytes);
            w.list(&launch.memory, |w, memory| w.u32(*memory));
            w.list(&launch.scalars, encode::write_dim);
        }
        LaunchStep::Repeat { slot, from, count, steps } => {
            w.u8(5);
            w.u32(*slot);
            encode::write_dim(w, from);
            encode::write_dim(w, count);
            w.list(steps, write_step);
        }
        LaunchStep::Choose { condition, then, otherwise } => {
            w.u8(6);
            encode::write_dim(w, condition);
            w.list(then, write_step);
            w.list(otherwise, write_step);
        }
    }
}

fn read_step(r: &mut Reader<'_>, depth: usize) -> WireResult<LaunchStep> {
    if depth > MAX_DEPTH {
        return wrong(format!("more than {MAX_DEPTH} steps inside of each other"));
    }
    let inside = |r: &mut Reader<'_>| r.list(|r| read_step(r, depth + 1));
    let dim = encode::read_dim;
    Ok(match r.u8()? {
        0 => LaunchStep::Compute {
            dst: r.u32()?,
            op: encode::read_op(r)?,
            dtype: encode::read_dtype(r)?,
            args: r.list(encode::read_dim)?,
        },
        1 => LaunchStep::Check { condition: dim(r)?, message: r.string()? },
        2 => LaunchStep::Allocate { memory: r.u32()?, bytes: dim(r)? },
        3 => LaunchStep::Free { memory: r.u32()? },
        4 => LaunchStep::Launch(KernelLaunch {
            symbol: r.string()?,
            grid: [dim(r)?, dim(r)?, dim(r)?],
            block: [r.u32()?, r.u32()?, r.u32()?],
            shared_bytes: r.u32()?,
            memory: r.list(Reader::u32)?,
            scalars: r.list(encode::read_dim)?,
        }),
        5 => LaunchStep::Repeat { slot: r.u32()?, from: dim(r)?, count: dim(r)?, steps: inside(r)? },
        6 => LaunchStep::Choose { condition: dim(r)?, then: inside(r)?, otherwise: inside(r)? },
        other => return wrong(format!("launch step {other}")),
    })
}
