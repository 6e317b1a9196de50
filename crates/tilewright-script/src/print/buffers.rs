//! Declarations of buffers, addresses and constant memory as text.

use tilewright_expr::node::{AnyHandle, VarId, walk_some};
use tilewright_expr::semantics::Scalar;
use tilewright_expr::{Buffer, Expr, Scope, Var};
use tilewright_ir::tir::{PrimFunc, Stmt, StmtKind};
use tilewright_support::{NearMap, NearSet};
use tilewright_tensor::{DataType, Tensor};

use super::{Namespace, Printer};

/// How the default data type is written in the declaration of a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DefaultDType {
    Written,
    LeftOut,
}

impl Printer<'_> {
    /// `A = T.function(…)`.
    pub(super) fn declaration(&mut self, buffer: &Buffer, function: &str) {
        self.declare_unnamed(buffer);
        let view = self.view_of(buffer);
        self.doc.line();
        let name = self.define_buffer(buffer, &buffer.name);
        self.doc.write(format_args!("{name} = "));
        self.buffer_call(buffer, function, view);
    }

    /// How the data variable is written, where another buffer or variable has named it already.
    pub(super) fn view_of(&self, buffer: &Buffer) -> Option<String> {
        self.names.get(buffer.data.id()).map(str::to_owned)
    }

    pub(super) fn buffer_call(&mut self, buffer: &Buffer, function: &str, view: Option<String>) {
        self.call(function, |p| {
            p.buffer_details(buffer, DefaultDType::LeftOut);
            p.data(view);
        });
    }

    /// The memory of a buffer, where something else has named it.
    pub(super) fn data(&mut self, view: Option<String>) {
        if let Some(data) = view {
            self.doc.separator();
            self.doc.write(format_args!("data={data}"));
        }
    }

    /// Shape, data type and what differs from a plain buffer.
    pub(super) fn buffer_details(&mut self, buffer: &Buffer, default: DefaultDType) {
        self.marked(buffer, |p| p.buffer_text(buffer, default));
    }

    pub(super) fn buffer_text(&mut self, buffer: &Buffer, default: DefaultDType) {
        self.tuple(&buffer.shape, |p, dim| p.scalar(dim));
        let left_out = [buffer.dtype, self.options.buffer_dtype] == [DataType::F32; 2];
        if default == DefaultDType::Written || !left_out {
            self.doc.separator();
            self.doc.write(format_args!("\"{}\"", buffer.dtype));
        }
        if !buffer.strides.is_empty() {
            self.doc.separator();
            self.doc.text("strides=");
            self.list("[", &buffer.strides, "]", |p, stride| p.scalar(stride));
        }
        if let Some(offset) = &buffer.elem_offset {
            self.doc.separator();
            self.doc.text("elem_offset=");
            self.scalar(offset);
        }
        if buffer.scope != Scope::Global {
            self.doc.separator();
            self.doc.write(format_args!("scope=\"{}\"", buffer.scope.name()));
        }
        if buffer.align != 0 {
            self.doc.separator();
            self.doc.write(format_args!("align={}", buffer.align));
        }
        if buffer.offset_factor != 0 {
            self.doc.separator();
            self.doc.write(format_args!("offset_factor={}", buffer.offset_factor));
        }
        if buffer.broadcasts {
            self.doc.separator();
            self.doc.text("buffer_type=\"auto\"");
        }
        if !buffer.axis_separators.is_empty() {
            self.doc.separator();
            self.doc.text("axis_separators=");
            self.list("[", &buffer.axis_separators, "]", |p, number| p.doc.text(&number.to_string()));
        }
    }

    /// `n = T.int64()` for each variable that the buffer defines.
    pub(super) fn declare_unnamed(&mut self, buffer: &Buffer) {
        for var in self.unnamed(dimensions(buffer)) {
            self.doc.line();
            self.declare_variable(&var);
        }
    }

    /// `n = T.int64()`.
    pub(super) fn declare_variable(&mut self, var: &Var) {
        let name = self.names.define(var.id(), &var.name);
        self.doc.write(format_args!("{name} = "));
        self.qualified(Namespace::Tir, &var.dtype.to_string());
        self.doc.text(if var.size { SIZE } else { "()" });
    }

    /// The type of a variable, after its name.
    pub(super) fn annotation(&mut self, name: &str, var: &Var) {
        self.doc.write(format_args!("{name}: "));
        self.qualified(Namespace::Tir, &var.dtype.to_string());
        if var.size {
            self.doc.text(SIZE);
        }
    }

    /// The buffers that view this memory and that nothing declares: `B = T.Buffer((4,), "float32", data=A.data)`.
    pub(super) fn declare_views(&mut self, data: &Var) {
        for buffer in self.views.remove(&data.id()).unwrap_or_default() {
            self.declaration(&buffer, "Buffer");
        }
    }

    /// `T.allocate_const([1, 2, 3], "int32", [3])`.
    pub(super) fn allocate_const(&mut self, buffer: &Buffer, data: &Tensor) {
        let elements = literals(data);
        self.call("allocate_const", |p| {
            p.list("[", &elements, "]", |p, element| p.doc.text(element));
            p.doc.separator();
            p.doc.write(format_args!("\"{}\"", buffer.dtype));
            p.doc.separator();
            p.list("[", &buffer.shape, "]", |p, dim| p.scalar(dim));
        });
    }
}

/// The suffix after the type of a variable that is a size.
pub(super) const SIZE: &str = "(is_size_var=True)";

/// The occurrences on which the declarations of a function depend.
pub(super) struct Mentioned {
    /// The buffers that nothing in the function declares, by the data variable whose memory they view, in order of use.
    pub(super) views: NearMap<VarId, Vec<Buffer>>,
    /// The addresses, those of buffers among them.
    pub(super) handles: NearSet<VarId>,
}

impl Mentioned {
    pub(super) fn of(function: &PrimFunc) -> Self {
        let mut declared: NearSet<VarId> =
            function.params.iter().filter_map(|p| p.buffer.as_ref()).map(Buffer::id).collect();
        let mut used: Vec<Buffer> = Vec::new();
        let mut seen: NearSet<VarId> = NearSet::default();
        let mut handles: NearSet<VarId> = NearSet::default();
        let mut look = |node: &dyn AnyHandle| {
            match node.downcast::<Stmt>().map(|stmt| &stmt.kind) {
                Some(StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. }) => {
                    declared.insert(buffer.id());
                }
                Some(StmtKind::Block { block, .. }) => {
                    declared.extend(block.alloc_buffers.iter().map(Buffer::id));
                    declared.extend(block.match_buffers.iter().map(|matched| matched.buffer.id()));
                }
                _ => {}
            }
            if let Some(buffer) = node.downcast::<Buffer>()
                && seen.insert(buffer.id())
            {
                used.push(buffer.clone());
            }
            if let Some(var) = node.downcast::<Var>()
                && var.dtype.is_handle()
            {
                handles.insert(var.id());
            }
            true
        };
        let buffers = function.params.iter().filter_map(|param| param.buffer.as_ref());
        buffers.for_each(|buffer| walk_some(&**buffer, &mut look));
        walk_some(&function.attrs, &mut look);
        walk_some(&function.body, &mut look);
        let mut views: NearMap<VarId, Vec<Buffer>> = NearMap::default();
        for buffer in used.into_iter().filter(|buffer| !declared.contains(&buffer.id())) {
            views.entry(buffer.data.id()).or_default().push(buffer);
        }
        Self { views, handles }
    }
}

/// The elements as numbers of Python, in row-major order; those that have no literal as calls of `float`.
fn literals(data: &Tensor) -> Vec<String> {
    let dtype = data.dtype();
    let bytes = data.to_contiguous();
    let bytes = bytes.as_ref().ok().and_then(|tensor| tensor.as_bytes().ok()).unwrap_or_default();
    let element = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        let scalar = Scalar::from_bits(dtype, bits);
        match dtype {
            _ if dtype.is_float() && scalar.as_float().is_finite() => format!("{:?}", scalar.as_float()),
            _ if dtype.is_float() => format!("float(\"{}\")", scalar.as_float().to_string().to_lowercase()),
            _ if dtype.is_bool() => (if scalar.as_bool() { "True" } else { "False" }).to_owned(),
            _ if dtype.is_signed() => scalar.as_int().to_string(),
            _ => scalar.bits().to_string(),
        }
    };
    bytes.chunks(dtype.bytes().max(1)).map(element).collect()
}

/// The expressions in which a buffer may define variables.
pub(super) fn dimensions(buffer: &Buffer) -> impl Iterator<Item = &Expr> {
    buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset)
}
