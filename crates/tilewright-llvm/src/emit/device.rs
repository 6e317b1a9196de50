//! Kernels of GPUs, for NVPTX: an entry that calls the internal function with the kernel's body.
//!
//! The parameters of an entry are the addresses of its tensors and temporaries, its numbers as 64 bits each, the
//! address of the failure record ([`DeviceFailure`]), and the number of the launch, which a failure is told with.
//! Loops over blocks and threads are the hardware's: their variables are its registers. Shared memory is static up to
//! [`MAX_STATIC_SHARED_BYTES`], else all of it is the launch's dynamic one.
//!
//! A failing thread leaves the kernel. The first one writes the record; the message is in the module's own memory,
//! where the host can read it.
//!
//! [`DeviceFailure`]: tilewright_tensor::abi::DeviceFailure

use std::fmt::Write;

use tilewright_ir::low::{BLOCKS, DeviceKernel, THREADS};
use tilewright_ir::tir::{Buffer, Builtin, Expr, ExprKind, Scope, Stmt, StmtKind, Var};
use tilewright_target::{Arch, Target};
use tilewright_tensor::DataType;
use tilewright_tensor::abi::{DEVICE_ALIGN, TENSOR_ALIGN};

use super::entry::from_word;
use super::function::{Binding, FnCx, Position, Result, Sort, Source};
use super::text::{Body, Reg, Value, int};
use super::unit::Unit;

/// Bytes of static shared memory that an assembler for PTX takes (PTX ISA, "State Spaces": 48 KB).
const MAX_STATIC_SHARED_BYTES: u64 = 48 << 10;
/// Alignment of parts of shared memory: that of the widest copies.
const SHARED_ALIGN: u64 = 128;

/// The text of a kernel, and what a launch has to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DeviceText {
    pub(crate) text: String,
    /// Bytes of dynamic shared memory.
    pub(crate) shared_bytes: u64,
}

/// Shared memory of a kernel while it is written.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Whether it is the launch's.
    is_dynamic: bool,
    /// Bytes of each part.
    parts: Vec<u64>,
    /// Where the next part begins, in bytes.
    end: u64,
}

impl Shared {
    /// For all temporaries of a kernel.
    fn of(body: &Stmt) -> Self {
        let mut bytes = 0u64;
        tilewright_expr::node::walk(body, |stmt: &Stmt| {
            if let StmtKind::Allocate { buffer, .. } = &stmt.kind
                && buffer.scope.plain() == Scope::Shared
            {
                bytes = bytes.saturating_add(bytes_of(buffer).next_multiple_of(SHARED_ALIGN));
            }
        });
        Self { is_dynamic: bytes > MAX_STATIC_SHARED_BYTES, ..Self::default() }
    }
}

/// Bytes of a temporary of constant size.
fn bytes_of(buffer: &Buffer) -> u64 {
    let elements = buffer.constant_shape().map_or(0, |shape| shape.iter().map(|dim| dim.unsigned_abs()).product());
    elements * buffer.dtype.element_bytes() as u64
}

/// What every module for NVPTX begins with: how a thread tells a failure, and the remainder of floats.
pub(crate) fn prelude() -> &'static str {
    include_str!("device.ll")
}

/// Writes a kernel under a symbol.
pub(crate) fn kernel(symbol: &str, kernel: &DeviceKernel, number: usize, target: &Target) -> Result<DeviceText> {
    let mut unit = Unit::new(symbol, number, target);
    unit.shared = Shared::of(&kernel.body);
    let waits = waits(&kernel.body);
    let mut bindings = Vec::new();
    for (index, (buffer, written)) in kernel.memory.iter().enumerate() {
        unit.check_type(buffer.dtype)?;
        let source = Source::Argument(index);
        let (var, align, readonly) = (buffer.data.clone(), DEVICE_ALIGN, !written);
        bindings.push(Binding { var, others: Vec::new(), source, align, readonly });
    }
    for (index, var) in kernel.scalars.iter().enumerate() {
        unit.check_type(var.dtype)?;
        let (var, source) = (var.clone(), Source::Dimension(index));
        bindings.push(Binding { var, others: Vec::new(), source, align: 1, readonly: false });
    }
    let name = unit.internal_name();
    let mut cx = FnCx::new(&mut unit, &bindings, Sort::Device { waits })?;
    cx.loaded = kernel.scalars.iter().map(Var::id).collect();
    cx.stmt(&kernel.body)?;
    cx.finish(&name)?;
    let entry = entry(symbol, &name, &bindings, kernel);
    unit.add_function(&entry);
    let shared_bytes = if unit.shared.is_dynamic { unit.shared.end } else { 0 };
    Ok(DeviceText { text: unit.finish(), shared_bytes })
}

/// The exported function.
fn entry(symbol: &str, name: &str, bindings: &[Binding], kernel: &DeviceKernel) -> String {
    let (mut parameters, mut arguments, mut body) = (String::new(), String::new(), Body::new());
    for (index, binding) in bindings.iter().enumerate() {
        let dtype = binding.var.dtype;
        if dtype.is_handle() {
            let readonly = if binding.readonly { " noalias readonly" } else { "" };
            let _ = write!(parameters, "ptr{readonly} align {} %a{index}, ", binding.align);
            let _ = write!(arguments, ", ptr %a{index}");
            continue;
        }
        let _ = write!(parameters, "i64 %a{index}, ");
        let value = from_word(&mut body, &Value::constant(format!("%a{index}")), dtype);
        let _ = write!(arguments, ", {} {value}", Reg(dtype));
    }
    body.line(format_args!("call fastcc i32 {name}(ptr %cx, i32 %launch{arguments})"));
    body.line(format_args!("ret void"));
    let ([x, y, z], body) = (kernel.block, body.finish());
    format!(
        "define ptx_kernel void @{symbol}({parameters}ptr align 8 %cx, i32 %launch) \"nvvm.maxntid\"=\"{x},{y},{z}\" #0 \
         {{\n{body}}}\n"
    )
}

/// Whether threads wait for each other somewhere.
fn waits(body: &Stmt) -> bool {
    let mut found = false;
    tilewright_expr::node::walk(body, |e: &Expr| found |= e.builtin_args(Builtin::STORAGE_SYNC).is_some());
    found
}

impl Unit<'_> {
    /// Whether the kernel is a GPU's.
    pub(crate) fn is_device(&self) -> bool {
        self.target.arch == Arch::Nvptx64
    }

    /// The address of new shared memory.
    fn share(&mut self, bytes: u64) -> Value {
        let (number, part, offset) = (self.number(), self.shared.parts.len(), self.shared.end);
        self.shared.parts.push(bytes.max(1));
        self.shared.end = (offset + bytes.max(1)).next_multiple_of(SHARED_ALIGN);
        let place = match self.shared.is_dynamic {
            true => format!("getelementptr (i8, ptr addrspace(3) @k{number}.shared, i64 {offset})"),
            false => format!("@k{number}.s{part}"),
        };
        Value::constant(format!("addrspacecast (ptr addrspace(3) {place} to ptr)"))
    }

    /// The text that declares the shared memory.
    pub(crate) fn shared_text(&self) -> String {
        let number = self.number();
        let mut text = String::new();
        if self.shared.is_dynamic {
            return format!("@k{number}.shared = external addrspace(3) global [0 x i8], align {SHARED_ALIGN}\n");
        }
        for (part, bytes) in self.shared.parts.iter().enumerate() {
            let _ = writeln!(
                text,
                "@k{number}.s{part} = internal unnamed_addr addrspace(3) global [{bytes} x i8] poison, \
                 align {SHARED_ALIGN}"
            );
        }
        text
    }
}

impl FnCx<'_, '_> {
    /// A loop over blocks or threads: the hardware runs its iterations.
    pub(crate) fn axis(&mut self, tag: &str, var: &Var, extent: &Expr, body: &Stmt) -> Result<()> {
        let register =
            |names: &[&str], name: &str| names.iter().position(|known| *known == tag).map(|at| (name.to_owned(), at));
        let Some((register, axis)) = register(&BLOCKS, "ctaid").or_else(|| register(&THREADS, "tid")) else {
            return Err(self.unit.malformed(format!("no register of a GPU counts `{tag}`")));
        };
        let axis = ["x", "y", "z"][axis];
        let range = match extent.as_int().and_then(|extent| i32::try_from(extent).ok()).filter(|extent| *extent > 0) {
            Some(extent) => format!(" range(i32 0, {extent})"),
            None => " range(i32 0, -2147483648)".to_owned(),
        };
        let number = self.body.assign(format_args!("call{range} i32 @llvm.nvvm.read.ptx.sreg.{register}.{axis}()"));
        let value = self.convert(&number, DataType::U32, var.dtype);
        self.bind(var, value)?;
        self.stmt(body)?;
        self.unbind(var);
        Ok(())
    }

    /// Memory that the threads of a block share; `None` for other memory.
    pub(crate) fn shared_memory(&mut self, buffer: &Buffer, bytes: u64) -> Option<Value> {
        let is_shared = self.unit.is_device() && buffer.scope.plain() == Scope::Shared;
        is_shared.then(|| self.unit.share(bytes))
    }

    /// A builtin of threads.
    pub(crate) fn device_builtin(&mut self, name: &str, args: &[Expr], dtype: DataType) -> Result<Value> {
        match (name, args) {
            ("tvm_storage_sync", [scope, ..]) => {
                match &scope.kind {
                    ExprKind::Str(scope) if &**scope == "warp" => {
                        // The lanes that are here: others of the warp may be elsewhere.
                        let mask = self.body.assign(format_args!("call i32 @llvm.nvvm.activemask()"));
                        self.body.line(format_args!("call void @llvm.nvvm.bar.warp.sync(i32 {mask})"));
                    }
                    _ => self.body.line(format_args!("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)")),
                }
                Ok(Value::constant("poison"))
            }
            ("tvm_warp_activemask", []) => Ok(self.body.assign(format_args!("call i32 @llvm.nvvm.activemask()"))),
            ("tvm_warp_shuffle" | "tvm_warp_shuffle_up" | "tvm_warp_shuffle_down", [mask, value, lane, width, _]) => {
                let Some(width) = width.as_int().filter(|width| [1, 2, 4, 8, 16, 32].contains(width)) else {
                    return Err(self
                        .unit
                        .unsupported(format!("`T.{name}` within a number of lanes that is no power of 2")));
                };
                let number = self.value(value, Position::Value)?;
                let mut word = |operand: &Expr| {
                    let value = self.value(operand, Position::Value)?;
                    Ok::<_, crate::CodegenError>(self.convert(&value, operand.dtype, DataType::I32))
                };
                let (mask, lane) = (word(mask)?, word(lane)?);
                let (mode, last) = match name {
                    "tvm_warp_shuffle" => ("idx", 31),
                    "tvm_warp_shuffle_up" => ("up", 0),
                    _ => ("down", 31),
                };
                let clamp = ((32 - width) << 8) | last;
                self.shuffled_words(mode, [&mask, &number, &lane], clamp, dtype)
            }
            _ => Err(self.unit.unsupported(format!("`T.{name}` has no meaning on {}", self.unit.target.triple))),
        }
    }

    /// A value from another lane, word by word.
    fn shuffled_words(
        &mut self,
        mode: &str,
        [mask, value, lane]: [&Value; 3],
        clamp: i64,
        dtype: DataType,
    ) -> Result<Value> {
        let bits = u16::from(dtype.bits).max(8) * dtype.lanes;
        let wide = u32::from(bits).next_multiple_of(32);
        let whole = match (dtype.is_bool(), dtype.is_scalar()) {
            (true, true) => self.body.assign(format_args!("zext i1 {value} to i8")),
            (true, false) => return Err(self.unit.unsupported("a shuffle of a vector of bools")),
            _ => self.body.assign(format_args!("bitcast {} {value} to i{bits}", Reg(dtype))),
        };
        let words = u32::from(bits) / 32;
        let whole = match u32::from(bits) == wide {
            true => whole,
            false => self.body.assign(format_args!("zext i{bits} {whole} to i{wide}")),
        };
        let mut result = None;
        for word in 0..words.max(1) {
            let part = match wide {
                32 => whole.clone(),
                _ => {
                    let moved = self.body.assign(format_args!("lshr i{wide} {whole}, {}", word * 32));
                    self.body.assign(format_args!("trunc i{wide} {moved} to i32"))
                }
            };
            let got = self.body.assign(format_args!(
                "call i32 @llvm.nvvm.shfl.sync.{mode}.i32(i32 {mask}, i32 {part}, i32 {lane}, i32 {clamp})"
            ));
            if wide == 32 {
                result = Some(got);
                continue;
            }
            let got = self.body.assign(format_args!("zext i32 {got} to i{wide}"));
            let got = self.body.assign(format_args!("shl i{wide} {got}, {}", word * 32));
            result = Some(match result {
                Some(before) => self.body.assign(format_args!("or i{wide} {before}, {got}")),
                None => got,
            });
        }
        let result = result.unwrap_or_else(|| int(0, DataType::I32));
        let result = match u32::from(bits) == wide {
            true => result,
            false => self.body.assign(format_args!("trunc i{wide} {result} to i{bits}")),
        };
        Ok(match dtype.is_bool() {
            true => self.body.assign(format_args!("trunc i8 {result} to i1")),
            false => self.body.assign(format_args!("bitcast i{bits} {result} to {}", Reg(dtype))),
        })
    }

    /// Tells LLVM that an access begins at a multiple of its bytes, as far as the index shows it: a GPU has accesses of
    /// several elements at such addresses alone.
    pub(crate) fn note_alignment(&mut self, address: &Value, first: &Expr, dtype: DataType) {
        if !self.unit.is_device() {
            return;
        }
        let element = dtype.element_bytes() as i64;
        let bytes = (element * multiple(first)).unsigned_abs();
        let align = 1u64 << bytes.trailing_zeros().min(DEVICE_ALIGN.trailing_zeros());
        if bytes != 0 && align <= element.unsigned_abs() {
            return;
        }
        let align = if bytes == 0 { DEVICE_ALIGN as u64 } else { align };
        self.body.line(format_args!("call void @llvm.assume(i1 true) [ \"align\"(ptr {address}, i64 {align}) ]"));
    }
}

/// A number of which the index is a multiple; 0 for 0.
fn multiple(index: &Expr) -> i64 {
    use tilewright_ir::tir::BinOp;
    match &index.kind {
        ExprKind::Int(value) => value.saturating_abs(),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => gcd(multiple(a), multiple(b)),
        ExprKind::Binary(BinOp::Mul, a, b) => multiple(a).saturating_mul(multiple(b)),
        ExprKind::Cast(value) => multiple(value),
        _ => 1,
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

const _: () = assert!(TENSOR_ALIGN.is_multiple_of(DEVICE_ALIGN));
