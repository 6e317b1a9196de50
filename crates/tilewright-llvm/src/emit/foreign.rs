//! Calls that leave the IR: intrinsics of LLVM, C functions of the process, packed functions of the runtime.

use tilewright_ir::low::PACKED_TENSOR;
use tilewright_ir::tir::{Buffer, BuiltinEffect, Expr, ExprKind, ForeignCallee};
use tilewright_tensor::abi::{PackedTag, offsets};
use tilewright_tensor::{DataType, TypeCode};

use super::function::{FnCx, Position, Result};
use super::narrow::{Half, is_narrow};
use super::text::{Reg, Value, int};
use super::unit::IntrinsicCall;
use crate::{IMPORT_PREFIX, foreign};

/// An argument of a call: its type as LLVM has it, and its value.
struct Argument {
    dtype: DataType,
    value: Value,
}

impl Argument {
    fn text(&self) -> String {
        format!("{} {}", native(self.dtype), self.value)
    }
}

impl FnCx<'_, '_> {
    pub(crate) fn foreign(&mut self, callee: &ForeignCallee, args: &[Expr], dtype: DataType) -> Result<Value> {
        match callee {
            ForeignCallee::Extern(name) | ForeignCallee::PureExtern(name) | ForeignCallee::Packed(name)
                if self.unit.is_device() =>
            {
                Err(self.unit.unsupported(format!("`{name}` is a function of the process, which a GPU does not call")))
            }
            ForeignCallee::Llvm(name) => self.call_llvm(name, args, dtype),
            ForeignCallee::Extern(name) | ForeignCallee::PureExtern(name) => self.call_extern(name, args, dtype),
            ForeignCallee::Packed(name) => self.call_packed(name, args, dtype),
            ForeignCallee::Function(name) => Err(self.unit.unsupported(format!(
                "a call of the PrimFunc `{name}` inside another one cannot be compiled: the graph calls both"
            ))),
            ForeignCallee::Builtin(name) => match callee.builtin().map(|row| row.effect) {
                Some(BuiltinEffect::Prefetch) => self.prefetch(args),
                _ if self.unit.is_device() => self.device_builtin(name, args, dtype),
                _ => Err(self.unit.unsupported(format!("`T.{name}` has no meaning on {}", self.unit.target.triple))),
            },
        }
    }

    /// A prefetch of the cache line of an element, which may be outside its buffer: for reading (0) or writing (1),
    /// with LLVM's locality from 0 (none) to 3 (L1).
    fn prefetch(&mut self, args: &[Expr]) -> Result<Value> {
        let access = args.first().and_then(|access| match &access.kind {
            ExprKind::AddressOf { buffer, indices } => Some((buffer, indices.as_slice())),
            _ => None,
        });
        let Some((buffer, [index])) = access else {
            return Err(self.unit.malformed("`T.prefetch` of something else than an element".to_owned()));
        };
        let address = self.address_unchecked(buffer, index)?;
        let hint = |at: usize, max: i64| args.get(at).and_then(Expr::as_int).map_or(max, |hint| hint.clamp(0, max));
        let (write, locality) = (if args.len() > 1 { hint(1, 1) } else { 0 }, hint(2, 3));
        self.body.line(format_args!("call void @llvm.prefetch.p0(ptr {address}, i32 {write}, i32 {locality}, i32 1)"));
        Ok(Value::constant("null"))
    }

    fn call_llvm(&mut self, name: &str, args: &[Expr], dtype: DataType) -> Result<Value> {
        foreign::check(name, self.unit.target).map_err(|what| self.unit.unsupported(what))?;
        let args = args.iter().map(|arg| self.argument(name, arg)).collect::<Result<Vec<_>>>()?;
        self.note_intrinsic(name, &args, dtype);
        let operands = args.iter().map(Argument::text).collect::<Vec<_>>().join(", ");
        Ok(self.call_typed(&format!("{} @{name}({operands})", native(dtype)), dtype))
    }

    /// Records a call, to name it in the error if LLVM refuses it.
    fn note_intrinsic(&mut self, name: &str, args: &[Argument], dtype: DataType) {
        let (mut parameters, mut operands) = (Vec::new(), Vec::new());
        for arg in args {
            if matches!(arg.value, Value::Constant(_)) && !arg.dtype.is_handle() {
                operands.push(arg.text());
                continue;
            }
            let parameter = format!("{} %a{}", native(arg.dtype), parameters.len());
            operands.push(parameter.clone());
            parameters.push(parameter);
        }
        let (symbol, name) = (self.unit.symbol.to_owned(), name.to_owned());
        let (parameters, operands) = (parameters.join(", "), operands.join(", "));
        let call = IntrinsicCall { symbol, name, parameters, result: native(dtype), operands };
        if !self.unit.intrinsics.contains(&call) {
            self.unit.intrinsics.push(call);
        }
    }

    /// A call of a C function of the process, by the platform's calling convention.
    fn call_extern(&mut self, name: &str, args: &[Expr], dtype: DataType) -> Result<Value> {
        let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !first || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') || name.len() > 255 {
            return Err(self.unit.unsupported(format!("{name:?} is not the name of a C function")));
        }
        if let Some(vector) = args.iter().map(|arg| arg.dtype).chain([dtype]).find(|dtype| dtype.is_vector()) {
            let what = format!("C function `{name}` takes and gives scalars and addresses, found {vector}");
            return Err(self.unit.unsupported(what));
        }
        let args = args.iter().map(|arg| self.argument(name, arg)).collect::<Result<Vec<_>>>()?;
        let result = format!("{}{}", extension(dtype), native(dtype));
        let types = args.iter().map(|arg| format!("{}{}", native(arg.dtype), trailing_extension(arg.dtype)));
        let types = types.collect::<Vec<_>>().join(", ");
        let symbol = format!("{IMPORT_PREFIX}{name}");
        self.unit.declare(name, format!("{result} @{symbol}({types})"))?;
        let operands =
            args.iter().map(|arg| format!("{}{} {}", native(arg.dtype), trailing_extension(arg.dtype), arg.value));
        let operands = operands.collect::<Vec<_>>().join(", ");
        Ok(self.call_typed(&format!("{result} @{symbol}({operands})"), dtype))
    }

    /// A call, and its result as registers have it.
    fn call_typed(&mut self, call: &str, dtype: DataType) -> Value {
        if dtype.is_void() {
            self.body.line(format_args!("call {call}"));
            return Value::constant("poison");
        }
        let result = self.body.assign(format_args!("call {call}"));
        if is_narrow(dtype) {
            return self.body.assign(format_args!("bitcast {} {result} to {}", Half(dtype), Reg(dtype)));
        }
        result
    }

    /// An argument as a callee takes it: a string is the address of its zero-terminated bytes.
    fn argument(&mut self, callee: &str, arg: &Expr) -> Result<Argument> {
        let value = match &arg.kind {
            ExprKind::AddressOf { buffer, indices } => self.address_of(buffer, indices)?,
            ExprKind::Str(text) => self.unit.message(&format!("{text}\0")),
            _ => self.value(arg, Position::Value)?,
        };
        let dtype = arg.dtype;
        if dtype.is_void() {
            return Err(self.unit.malformed(format!("an argument of `{callee}` has no value")));
        }
        if !is_narrow(dtype) {
            return Ok(Argument { dtype, value });
        }
        let value = self.body.assign(format_args!("bitcast {} {value} to {}", Reg(dtype), Half(dtype)));
        Ok(Argument { dtype, value })
    }

    /// A call of a packed function of the runtime's registry: its arguments are a table on the stack.
    pub(super) fn call_packed(&mut self, name: &str, args: &[Expr], dtype: DataType) -> Result<Value> {
        if self.sort.is_task() {
            let what =
                format!("packed function `{name}` is called in a parallel loop: such functions run one at a time");
            return Err(self.unit.unsupported(what));
        }
        if dtype.is_vector() || (packed_tag(dtype).is_none() && !dtype.is_void()) {
            return Err(self.unit.unsupported(format!("packed function `{name}` gives a number, not {dtype}")));
        }
        let table = self.body.reserve((args.len().max(1) as u64) * offsets::packed_arg::SIZE, 8);
        for (index, arg) in args.iter().enumerate() {
            let slot = self.body.offset(&table, index as u64 * offsets::packed_arg::SIZE);
            self.packed_argument(name, arg, &slot)?;
        }
        let result = match packed_tag(dtype) {
            None => Value::constant("null"),
            Some(tag) => {
                let slot = self.body.reserve(offsets::packed_arg::SIZE, 8);
                self.store_field(&slot, offsets::packed_arg::TAG, "i32", &number(tag as i64));
                slot
            }
        };
        let (function, name_bytes) = (self.context_field(offsets::CALL_PACKED), self.unit.message(name));
        let status = self.body.assign(format_args!(
            "call i32 {function}(ptr %cx, ptr {name_bytes}, i64 {}, ptr {table}, i64 {}, ptr {result})",
            name.len(),
            args.len()
        ));
        self.return_failure(&status);
        if dtype.is_void() {
            return Ok(Value::constant("poison"));
        }
        let address = self.body.offset(&result, offsets::packed_arg::VALUE);
        let word = self.body.assign(format_args!("load i64, ptr {address}, align 8"));
        Ok(self.packed_result(&word, dtype))
    }

    /// A number of a result: 64 bits of an integer or of a float64.
    fn packed_result(&mut self, word: &Value, dtype: DataType) -> Value {
        if !dtype.is_float() {
            return self.convert(word, DataType::I64, dtype);
        }
        let double = self.body.assign(format_args!("bitcast i64 {word} to double"));
        self.convert(&double, DataType::F64, dtype)
    }

    fn packed_argument(&mut self, callee: &str, arg: &Expr, slot: &Value) -> Result<()> {
        use offsets::packed_arg::{LENGTH, TAG, VALUE};
        let (tag, ty, value) = match &arg.kind {
            ExprKind::Foreign { callee: ForeignCallee::Packed(inner), args } if **inner == *PACKED_TENSOR => {
                return self.packed_tensor(callee, args, slot);
            }
            ExprKind::AddressOf { buffer, indices } => (PackedTag::Pointer, "ptr", self.address_of(buffer, indices)?),
            ExprKind::Str(text) => {
                self.store_field(slot, LENGTH, "i64", &number(text.len() as i64));
                (PackedTag::Str, "ptr", self.unit.message(text))
            }
            _ if arg.dtype.is_vector() || arg.dtype.is_void() || arg.dtype.is_stored_only() => {
                return Err(self.unit.unsupported(format!("packed function `{callee}` takes no {}", arg.dtype)));
            }
            _ => {
                let value = self.value(arg, Position::Value)?;
                match packed_tag(arg.dtype) {
                    Some(PackedTag::Float) => {
                        (PackedTag::Float, "double", self.convert(&value, arg.dtype, DataType::F64))
                    }
                    Some(tag) => (tag, "i64", self.convert(&value, arg.dtype, DataType::I64)),
                    None => (PackedTag::Pointer, "ptr", value),
                }
            }
        };
        self.store_field(slot, TAG, "i32", &number(tag as i64));
        self.store_field(slot, VALUE, ty, &value);
        Ok(())
    }

    /// `(address, dim, …)`: a buffer as a tensor.
    fn packed_tensor(&mut self, callee: &str, args: &[Expr], slot: &Value) -> Result<()> {
        use offsets::packed_arg::{DTYPE, LENGTH, SHAPE, STRIDES, TAG, VALUE};
        let [address, dims @ ..] = args else {
            return Err(self.unit.malformed(format!("a tensor without an address, for `{callee}`")));
        };
        let ExprKind::AddressOf { buffer, indices } = &address.kind else {
            return Err(self.unit.malformed(format!("a tensor of {} for `{callee}`", address.dtype)));
        };
        let shape = self.body.reserve((dims.len().max(1) * 8) as u64, 8);
        for (index, dim) in dims.iter().enumerate() {
            if !dim.dtype.is_int() || !dim.dtype.is_scalar() {
                return Err(self.unit.malformed(format!("a dimension of {} for `{callee}`", dim.dtype)));
            }
            let value = self.value(dim, Position::Value)?;
            let value = self.convert(&value, dim.dtype, DataType::I64);
            self.store_field(&shape, index as u64 * 8, "i64", &value);
        }
        let address = self.address_of(buffer, indices)?;
        let dtype = buffer.dtype;
        for (offset, ty, value) in [
            (TAG, "i32", number(PackedTag::Tensor as i64)),
            (DTYPE, "i8", number(i64::from(dtype.code as u8))),
            (DTYPE + 1, "i8", number(i64::from(dtype.bits))),
            (DTYPE + 2, "i16", number(1)),
            (VALUE, "ptr", address),
            (LENGTH, "i64", number(dims.len() as i64)),
            (SHAPE, "ptr", shape),
            (STRIDES, "ptr", Value::constant("null")),
        ] {
            self.store_field(slot, offset, ty, &value);
        }
        Ok(())
    }

    fn store_field(&mut self, record: &Value, offset: u64, ty: &str, value: &Value) {
        let address = self.body.offset(record, offset);
        self.body.line(format_args!("store {ty} {value}, ptr {address}, align 1"));
    }

    fn address_of(&mut self, buffer: &Buffer, indices: &[Expr]) -> Result<Value> {
        let [index] = indices else {
            return Err(self.unit.malformed(format!("{} indices of buffer `{}`", indices.len(), buffer.name)));
        };
        self.element_address(buffer, index)
    }
}

/// The type code of a numeric argument of a packed function; none for an address and for no value.
fn packed_tag(dtype: DataType) -> Option<PackedTag> {
    match dtype.code {
        TypeCode::Bool => Some(PackedTag::Bool),
        TypeCode::Int | TypeCode::UInt => Some(PackedTag::Int),
        TypeCode::Float | TypeCode::BFloat => Some(PackedTag::Float),
        TypeCode::Handle | TypeCode::Float8E4M3Fn | TypeCode::Float8E5M2 | TypeCode::Float4E2M1Fn => None,
    }
}

fn number(value: i64) -> Value {
    int(value, DataType::I64)
}

/// The type of an argument or result of a function that is not ours.
fn native(dtype: DataType) -> String {
    match dtype {
        DataType::VOID => "void".to_owned(),
        _ if is_narrow(dtype) => Half(dtype).to_string(),
        _ => Reg(dtype).to_string(),
    }
}

/// The parameter attribute that extends an integer narrower than a register, as C's calling convention wants it.
fn extension(dtype: DataType) -> &'static str {
    match dtype.code {
        TypeCode::Bool => "zeroext ",
        TypeCode::UInt if dtype.bits < 32 => "zeroext ",
        TypeCode::Int if dtype.bits < 32 => "signext ",
        _ => "",
    }
}

/// The same, as it is written after a parameter's type.
fn trailing_extension(dtype: DataType) -> &'static str {
    match extension(dtype) {
        "zeroext " => " zeroext",
        "signext " => " signext",
        _ => "",
    }
}
