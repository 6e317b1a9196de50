//! The state of one run of a PrimFunc: variables, memories, and what is going on around the current statement.

use std::rc::Rc;

use tilewright_expr::node::VarId;
use tilewright_expr::semantics::Scalar;
use tilewright_ir::tir::{Buffer, Scope};
use tilewright_support::Map;
use tilewright_tensor::Tensor;

use crate::block::Frame;
use crate::error::{Access, ErrorKind, InterpError, Location};
use crate::memory::{Memory, ReadFailure, View, compact_strides, element_count};
use crate::random::Random;
use crate::scalar::Val;
use crate::{InterpCx, Packed};

pub(crate) type Res<T> = Result<T, InterpError>;

/// A run of a PrimFunc. References live as long as the function. After an error the stacks of blocks and loops stay as
/// they are: they are the error's location.
pub(crate) struct Interpreter<'a> {
    pub(crate) random: Random,
    /// The functions that packed calls call.
    pub(crate) packed: &'a Map<String, Packed>,
    max_bytes: usize,
    function: &'a str,
    pub(crate) vars: Map<VarId, Val>,
    pub(crate) memories: Vec<Memory>,
    pub(crate) serial: u64,
    /// By data variable: the memory and the bytes from its start.
    pub(crate) data: Map<VarId, (usize, i64)>,
    /// By buffer.
    pub(crate) views: Map<VarId, Rc<View>>,
    /// The blocks around the current statement, under one frame for the function itself.
    pub(crate) frames: Vec<Frame<'a>>,
    /// The parallel and vectorised loops around it.
    pub(crate) races: Vec<Race<'a>>,
    /// All loops around it with their current values.
    pub(crate) loops: Vec<(&'a str, i64)>,
    /// Whether threads wait for each other in a statement: by its address, and by whether those of other blocks count.
    pub(crate) barriers: Map<(usize, bool), bool>,
    /// Whether loops over threads drive a reduction with an init, by the addresses of their bodies.
    pub(crate) shared_reductions: Map<usize, bool>,
    /// Values of shared nodes of the expression at hand, by address and by whether they are index arithmetic.
    pub(crate) memo: Map<(usize, bool), Val>,
    /// Whether the expression at hand is index arithmetic, in which overflow is an error.
    pub(crate) indexing: bool,
}

/// The elements that the iterations of a parallel loop have accessed so far.
pub(crate) struct Race<'a> {
    pub(crate) loop_var: &'a str,
    pub(crate) iteration: i64,
    /// Memory from this serial number on belongs to the iteration alone.
    pub(crate) watermark: u64,
    pub(crate) touched: Map<(u64, i64), Touch>,
    pub(crate) among: Among,
}

/// The sort of memory in which the iterations of a loop must not conflict.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// Iterations: any. Memory that is local is each one's own.
    Iterations,
    /// Threads: local memory is private to each. Other accesses are only distinguished by the barriers that order them.
    Threads,
    /// Blocks of threads: local and shared memory is each one's own.
    Blocks,
}

impl Among {
    /// How accesses to memory of this scope, which has no tag, are judged: as to memory of each iteration's own, as to
    /// common memory, or not at all.
    fn own(self, scope: &Scope) -> Option<bool> {
        match self {
            Self::Iterations => Some(*scope == Scope::Local),
            Self::Threads => (*scope == Scope::Local).then_some(true),
            Self::Blocks => (*scope != Scope::Global).then_some(true),
        }
    }
}

/// The accesses to an element so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Touch {
    writer: Option<i64>,
    reader: Option<i64>,
    more_readers: bool,
}

impl Touch {
    /// Notes an access; gives the iteration that it conflicts with. Local memory is each iteration's own, so that only
    /// reading what another iteration left there is wrong.
    fn note(&mut self, access: Access, iteration: i64, local: bool) -> Option<i64> {
        let other = |who: Option<i64>| who.filter(|&it| it != iteration);
        match access {
            Access::Read => {
                self.more_readers |= other(self.reader).is_some();
                self.reader = Some(iteration);
                other(self.writer)
            }
            Access::Write => {
                let conflict = other(self.writer).or(other(self.reader));
                let readers = if self.more_readers { self.reader } else { None };
                self.writer = Some(iteration);
                if local { None } else { conflict.or(readers) }
            }
        }
    }
}

/// Elements that share a byte have no address of their own in memory.
pub(crate) fn refuse_packed(buffer: &Buffer) -> Res<()> {
    match buffer.dtype.is_packed() {
        true => {
            Err(ErrorKind::Unsupported(format!("elements of type {} in buffer `{}`", buffer.dtype, buffer.name)).into())
        }
        false => Ok(()),
    }
}

impl<'a> Interpreter<'a> {
    pub(crate) fn new(cx: &'a InterpCx, function: &'a str) -> Self {
        Self {
            random: cx.random(),
            packed: &cx.packed,
            max_bytes: cx.max_bytes,
            function,
            vars: Map::default(),
            memories: Vec::new(),
            serial: 0,
            data: Map::default(),
            views: Map::default(),
            frames: vec![Frame::of_function()],
            races: Vec::new(),
            loops: Vec::new(),
            barriers: Map::default(),
            shared_reductions: Map::default(),
            memo: Map::default(),
            indexing: false,
        }
    }

    /// The current location of the run.
    pub(crate) fn location(&self) -> Location {
        Location {
            function: self.function.to_owned(),
            blocks: self.frames.iter().filter_map(Frame::describe).collect(),
            binding: None,
            loops: self.loops.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
            span: self.frames.iter().rev().find_map(Frame::span),
        }
    }

    /// Adds memory and returns its index in the list.
    pub(crate) fn add_memory(&mut self, bytes: Vec<u8>, fresh: bool, scope: Scope) -> usize {
        let written = fresh.then(|| vec![false; bytes.len()]);
        self.serial += 1;
        self.memories.push(Memory { serial: self.serial, bytes, written, read_only: false, touched: false, scope });
        self.memories.len() - 1
    }

    /// Allocates a buffer of the function's own, filled with garbage.
    pub(crate) fn allocate(&mut self, buffer: &Buffer) -> Res<()> {
        refuse_packed(buffer)?;
        let shape = self.ints(&buffer.shape)?;
        let strides = if buffer.strides.is_empty() { compact_strides(&shape) } else { self.ints(&buffer.strides)? };
        let offset = match &buffer.elem_offset {
            Some(offset) => self.int(offset)?,
            None => 0,
        };
        let empty = element_count(&shape) == Some(0);
        let elements = shape.iter().zip(&strides).try_fold(offset.checked_add(1), |n, (&dim, &stride)| {
            n.map(|n| (dim - 1).checked_mul(stride).and_then(|reach| n.checked_add(reach)))
        });
        let bytes = elements
            .flatten()
            .map(|n| if empty { 0 } else { n })
            .and_then(|n| n.checked_mul(buffer.dtype.bytes() as i64));
        let Some(bytes) = bytes.and_then(|n| usize::try_from(n).ok()).filter(|&n| n <= self.max_bytes) else {
            let problem = format!("buffer `{}` of shape {shape:?} is larger than the interpreter allows", buffer.name);
            return Err(ErrorKind::Unsupported(problem).into());
        };
        let mut memory = vec![0; bytes];
        self.random.garbage(buffer.dtype, &mut memory);
        let memory = self.add_memory(memory, true, buffer.scope.clone());
        self.data.insert(buffer.data.id(), (memory, 0));
        let offset = offset * buffer.dtype.bytes() as i64;
        let view = View { memory, offset, dtype: buffer.dtype, shape: shape.into(), strides: strides.into() };
        self.views.insert(buffer.id(), Rc::new(view));
        Ok(())
    }

    /// Gives a buffer memory that holds the tensor's elements and cannot be written.
    pub(crate) fn allocate_constant(&mut self, buffer: &Buffer, data: &Tensor) -> Res<()> {
        refuse_packed(buffer)?;
        let bytes = data.to_contiguous()?.as_bytes()?.to_vec();
        let memory = self.add_memory(bytes, false, buffer.scope.clone());
        if let Some(memory) = self.memories.last_mut() {
            memory.read_only = true;
        }
        let (shape, strides) = (data.shape().to_vec(), compact_strides(data.shape()));
        self.data.insert(buffer.data.id(), (memory, 0));
        let view = View { memory, offset: 0, dtype: buffer.dtype, shape: shape.into(), strides: strides.into() };
        self.views.insert(buffer.id(), Rc::new(view));
        Ok(())
    }

    /// Frees the buffer that was allocated last.
    pub(crate) fn free(&mut self, buffer: &Buffer) {
        self.views.remove(&buffer.id());
        self.data.remove(&buffer.data.id());
        self.memories.pop();
    }

    /// The view of the buffer; a buffer without declaration may view the data of another one.
    pub(crate) fn view(&mut self, buffer: &Buffer) -> Res<Rc<View>> {
        if let Some(view) = self.views.get(&buffer.id()) {
            return Ok(view.clone());
        }
        let Some(&(memory, start)) = self.data.get(&buffer.data.id()) else {
            return Err(ErrorKind::Unbound { name: buffer.name.to_string() }.into());
        };
        let shape = self.ints(&buffer.shape)?;
        let strides = if buffer.strides.is_empty() { compact_strides(&shape) } else { self.ints(&buffer.strides)? };
        let offset = match &buffer.elem_offset {
            Some(offset) => self.int(offset)?,
            None => 0,
        };
        let offset = start + offset * buffer.dtype.bytes() as i64;
        Ok(Rc::new(View { memory, offset, dtype: buffer.dtype, shape: shape.into(), strides: strides.into() }))
    }

    pub(crate) fn load(&mut self, buffer: &Buffer, view: &View, indices: &[i64]) -> Res<Scalar> {
        let byte = view.byte(&buffer.name, indices)?;
        self.touch(Access::Read, buffer, view, indices, byte)?;
        self.memories[view.memory].read(view.dtype, byte).map_err(|failure| {
            let (buffer, indices) = (buffer.name.to_string(), indices.to_vec());
            match failure {
                ReadFailure::Outside => ErrorKind::OutsideMemory { buffer, indices },
                ReadFailure::Uninitialized => ErrorKind::Uninitialized { buffer, indices },
            }
            .into()
        })
    }

    pub(crate) fn store(&mut self, buffer: &Buffer, view: &View, indices: &[i64], value: Scalar) -> Res<()> {
        let byte = view.byte(&buffer.name, indices)?;
        if self.memories[view.memory].read_only {
            return Err(ErrorKind::ReadOnly { buffer: buffer.name.to_string() }.into());
        }
        self.touch(Access::Write, buffer, view, indices, byte)?;
        self.memories[view.memory].write(byte, value).ok_or_else(|| {
            ErrorKind::OutsideMemory { buffer: buffer.name.to_string(), indices: indices.to_vec() }.into()
        })
    }

    /// Checks an access against the promises of the blocks and parallel loops around it.
    fn touch(&mut self, access: Access, buffer: &Buffer, view: &View, indices: &[i64], byte: i64) -> Res<()> {
        let Memory { serial, ref scope, .. } = self.memories[view.memory];
        let scope = scope.plain();
        let mut seen = access;
        for frame in self.frames.iter().rev() {
            seen = frame.check(seen, buffer, view, serial, indices, byte)?;
        }
        if access == Access::Write {
            self.note_spatial_write(buffer, serial, indices, byte)?;
        }
        for race in self.races.iter_mut().filter(|race| serial < race.watermark) {
            let iteration = race.iteration;
            let Some(own) = race.among.own(&scope) else { continue };
            if let Some(other) = race.touched.entry((serial, byte)).or_default().note(access, iteration, own) {
                return Err(ErrorKind::Race {
                    loop_var: race.loop_var.to_owned(),
                    buffer: buffer.name.to_string(),
                    indices: indices.to_vec(),
                    iterations: [iteration, other],
                }
                .into());
            }
        }
        Ok(())
    }
}
