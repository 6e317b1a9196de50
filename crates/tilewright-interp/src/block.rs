//! Blocks, and the promises that they make.

use std::cell::RefCell;
use std::rc::Rc;

use tilewright_expr::Range;
use tilewright_expr::node::{AnyHandle, VarId};
use tilewright_expr::semantics::{Fault, Scalar};
use tilewright_ir::tir::{Block, Buffer, BufferRegion, Expr, IterKind, MatchBuffer, Var};
use tilewright_support::{Map, Span};

use crate::error::{Access, ErrorKind};
use crate::interpreter::{Interpreter, Res};
use crate::memory::{View, compact_strides};
use crate::scalar::Val;

/// The result of evaluating a block's axes.
pub(crate) struct Entered {
    /// Whether every reduce axis has its first value.
    pub(crate) first: bool,
    /// The variables that were bound.
    pub(crate) bound: Vec<VarId>,
}

/// An instance of a block that is running; the outermost frame is the function itself.
#[derive(Clone)]
pub(crate) struct Frame<'a> {
    block: Option<&'a Block>,
    axes: Vec<i64>,
    /// The values of the spatial axes.
    spatial: Rc<[i64]>,
    declared: Option<Declared>,
    /// Memory from this serial number on was allocated inside the block and is its own affair.
    watermark: u64,
    /// For each block directly inside and element: the spatial axes under which it was written.
    /// Copies of a frame, one for each thread, share it.
    writes: Rc<RefCell<Writes>>,
}

type Writes = Map<(usize, u64, i64), Rc<[i64]>>;

/// Whether an index has no value because it divides.
fn has_no_place(error: &ErrorKind) -> bool {
    matches!(error, ErrorKind::Fault(Fault::DivisionByZero | Fault::DivisionOverflow))
}

/// The regions that an instance may touch.
#[derive(Clone)]
struct Declared {
    reads: Vec<Region>,
    writes: Vec<Region>,
    /// A block that reduces reads what it writes without saying so.
    reduces: bool,
}

#[derive(Clone)]
struct Region {
    buffer: VarId,
    view: Rc<View>,
    /// First index and extent in each dimension.
    ranges: Vec<(i64, i64)>,
}

impl Region {
    /// Whether the element is in the region; one that is reached through another buffer is found by its address.
    fn contains(&self, buffer: &Buffer, view: &View, indices: &[i64], byte: i64) -> bool {
        let inside = |indices: &[i64]| {
            indices.iter().zip(&self.ranges).all(|(&i, &(min, extent))| i >= min && i < min.saturating_add(extent))
        };
        if self.view.memory != view.memory {
            return false;
        }
        if self.buffer == buffer.id() {
            inside(indices)
        } else {
            self.view.indices_of(byte).is_some_and(|i| inside(&i))
        }
    }
}

impl Frame<'_> {
    pub(crate) fn of_function() -> Self {
        Self {
            block: None,
            axes: Vec::new(),
            spatial: Rc::default(),
            declared: None,
            watermark: 0,
            writes: Rc::default(),
        }
    }

    /// The block and its axes, as `matmul(vi = 0)`.
    pub(crate) fn describe(&self) -> Option<String> {
        let block = self.block?;
        let axes = block.iters.iter().zip(&self.axes).map(|(iter, value)| format!("{} = {value}", iter.var.name));
        Some(format!("{}({})", block.name, axes.collect::<Vec<_>>().join(", ")))
    }

    pub(crate) fn span(&self) -> Option<Span> {
        self.block.and_then(|block| block.origins.first().cloned())
    }

    /// Checks an access against the declared regions, and says what it is for the blocks around: where a reduction with
    /// an init reads what it writes, that is part of its writing.
    pub(crate) fn check(
        &self,
        access: Access,
        buffer: &Buffer,
        view: &View,
        serial: u64,
        indices: &[i64],
        byte: i64,
    ) -> Result<Access, ErrorKind> {
        let (Some(block), Some(declared)) = (self.block, &self.declared) else { return Ok(access) };
        if serial >= self.watermark {
            return Ok(access);
        }
        let any = |regions: &[Region]| regions.iter().any(|r| r.contains(buffer, view, indices, byte));
        let fits = match access {
            Access::Read if any(&declared.reads) => return Ok(access),
            Access::Read => declared.reduces && any(&declared.writes),
            Access::Write => any(&declared.writes),
        };
        if fits {
            return Ok(if block.init.is_some() { Access::Write } else { access });
        }
        let (block, buffer) = (block.name.to_string(), buffer.name.to_string());
        Err(ErrorKind::Undeclared { block, access, buffer, indices: indices.to_vec() })
    }
}

impl<'a> Interpreter<'a> {
    pub(crate) fn exec_block(&mut self, values: &'a [Expr], predicate: &Expr, block: &'a Block) -> Res<()> {
        if !self.truth(predicate)? {
            return Ok(());
        }
        let Entered { first, bound } = self.enter_block(values, block)?;
        for buffer in &block.alloc_buffers {
            self.allocate(buffer)?;
        }
        if let (Some(init), true) = (&block.init, first) {
            self.exec(init)?;
        }
        self.exec(&block.body)?;
        for buffer in block.alloc_buffers.iter().rev() {
            self.free(buffer);
        }
        self.frames.pop();
        for matched in &block.match_buffers {
            self.views.remove(&matched.buffer.id());
            self.data.remove(&matched.buffer.data.id());
        }
        for var in bound {
            self.vars.remove(&var);
        }
        Ok(())
    }

    /// Binds the axes and matched buffers of an instance and opens its frame.
    pub(crate) fn enter_block(&mut self, values: &'a [Expr], block: &'a Block) -> Res<Entered> {
        if values.len() != block.iters.len() {
            let problem = format!("block `{}` has {} axes and {} values", block.name, block.iters.len(), values.len());
            return Err(ErrorKind::Unsupported(problem).into());
        }
        let axes = self.ints(values)?;
        let first = self.bind_axes(block, &axes)?;
        let watermark = self.serial + 1;
        // Each instance binds the variables of its regions anew.
        let declared = block.match_buffers.iter().map(|matched| &matched.buffer);
        let declared = declared.flat_map(|b| b.shape.iter().chain(&b.strides).chain(&b.elem_offset));
        let own: Vec<_> = declared.filter_map(|e| e.as_var()).filter(|v| !self.vars.contains_key(&v.id())).collect();
        let bound = block.iters.iter().map(|iter| &iter.var).chain(own).map(Var::id).collect();
        for matched in &block.match_buffers {
            self.match_buffer(matched)?;
        }
        let declared = self.declared(block)?;
        let spatial = block.iters.iter().zip(&axes).filter(|(iter, _)| iter.kind == IterKind::Spatial);
        let spatial = spatial.map(|(_, &value)| value).collect();
        self.frames.push(Frame { block: Some(block), axes, spatial, declared, watermark, writes: Rc::default() });
        Ok(Entered { first, bound })
    }

    /// Gives the axes their values and says whether every reduce axis has its first one.
    fn bind_axes(&mut self, block: &Block, axes: &[i64]) -> Res<bool> {
        let mut first = true;
        for (iter, &value) in block.iters.iter().zip(axes) {
            let (min, extent) = (self.int(&iter.domain.min)?, self.int(&iter.domain.extent)?);
            if value < min || value - min >= extent {
                let (block, axis) = (block.name.to_string(), iter.var.name.to_string());
                return Err(ErrorKind::OutsideDomain { block, axis, value, min, extent }.into());
            }
            first &= iter.kind != IterKind::Reduce || value == min;
            self.vars.insert(iter.var.id(), Val::One(Scalar::from_int(value, iter.var.dtype)));
        }
        Ok(first)
    }

    /// The declared regions; a block without axes that declares nothing (a root block) promises nothing.
    fn declared(&mut self, block: &Block) -> Res<Option<Declared>> {
        if block.iters.is_empty() && block.reads.is_empty() && block.writes.is_empty() {
            return Ok(None);
        }
        let reduces = block.init.is_some() || block.iters.iter().any(|iter| iter.kind == IterKind::Reduce);
        Ok(Some(Declared { reads: self.regions(&block.reads)?, writes: self.regions(&block.writes)?, reduces }))
    }

    fn regions(&mut self, regions: &[BufferRegion]) -> Res<Vec<Region>> {
        let mut result = Vec::with_capacity(regions.len());
        for region in regions {
            let view = self.view(&region.buffer)?;
            let range = |r: &Range| Ok((self.int(&r.min)?, self.int(&r.extent)?));
            match region.region.iter().map(range).collect::<Res<_>>() {
                Ok(ranges) => result.push(Region { buffer: region.buffer.id(), view, ranges }),
                // If an index has no value, under a condition that prevents the access, the region is empty.
                Err(error) if has_no_place(error.kind()) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(result)
    }

    /// Binds a buffer to a region of another; variables in its strides and offset that have no value get theirs here.
    fn match_buffer(&mut self, matched: &MatchBuffer) -> Res<()> {
        let (buffer, source) = (&matched.buffer, &matched.source);
        let wrong = |problem: String| ErrorKind::Argument { param: buffer.name.to_string(), problem };
        let under = self.view(&source.buffer)?;
        let mins = source.region.iter().map(|r| self.int(&r.min)).collect::<Res<Vec<_>>>()?;
        let extents = source.region.iter().map(|r| self.int(&r.extent)).collect::<Res<Vec<_>>>()?;
        let last: Vec<i64> = mins.iter().zip(&extents).map(|(min, extent)| min + extent - 1).collect();
        let empty = extents.contains(&0);
        let start = if empty { under.offset } else { under.byte(&source.buffer.name, &mins)? };
        if !empty {
            under.byte(&source.buffer.name, &last)?;
        }
        // Dimensions of the region that the buffer does not have are leading ones of extent 1.
        let extra = extents.len().checked_sub(buffer.rank()).filter(|&n| extents[..n].iter().all(|&e| e == 1));
        let Some(extra) = extra else {
            let problem = format!("the region {extents:?} does not fit {} dimensions", buffer.rank());
            return Err(wrong(problem).into());
        };
        self.bind_dims(&buffer.shape, &extents[extra..]).map_err(wrong)?;
        self.bind_dims(&buffer.strides, &under.strides[extra..]).map_err(wrong)?;
        let size = buffer.dtype.bytes() as i64;
        self.bind_dims(buffer.elem_offset.as_slice(), &[start / size]).map_err(wrong)?;
        let shape = self.ints(&buffer.shape)?;
        if shape != extents[extra..] {
            return Err(wrong(format!("expected a region of shape {shape:?}, found {extents:?}")).into());
        }
        let compact = compact_strides(&shape);
        let strides = if buffer.strides.is_empty() { compact } else { self.ints(&buffer.strides)? };
        let fits = shape.iter().zip(&strides).zip(&under.strides[extra..]).all(|((&d, a), b)| d <= 1 || a == b);
        if !fits || buffer.dtype != under.dtype {
            let problem = format!(
                "expected {} elements with strides {strides:?}, found {} with strides {:?}",
                buffer.dtype,
                under.dtype,
                &under.strides[extra..]
            );
            return Err(wrong(problem).into());
        }
        self.data.insert(buffer.data.id(), (under.memory, 0));
        let view = View {
            memory: under.memory,
            offset: start,
            dtype: buffer.dtype,
            shape: shape.into(),
            strides: strides.into(),
        };
        self.views.insert(buffer.id(), Rc::new(view));
        Ok(())
    }

    /// Holds the promise of spatial axes: instances of a block that differ in them write different elements.
    pub(crate) fn note_spatial_write(
        &mut self,
        buffer: &Buffer,
        serial: u64,
        indices: &[i64],
        byte: i64,
    ) -> Result<(), ErrorKind> {
        let [.., outer, inner] = self.frames.as_slice() else { return Ok(()) };
        let Some(block) = inner.block else { return Ok(()) };
        if inner.spatial.is_empty() || serial >= inner.watermark {
            return Ok(());
        }
        let mut writes = outer.writes.borrow_mut();
        let before = writes.entry((block.body.address(), serial, byte)).or_insert_with(|| inner.spatial.clone());
        if *before == inner.spatial {
            return Ok(());
        }
        Err(ErrorKind::SpatialConflict {
            block: block.name.to_string(),
            buffer: buffer.name.to_string(),
            indices: indices.to_vec(),
            axes: inner.spatial.to_vec(),
            before: before.to_vec(),
        })
    }
}
