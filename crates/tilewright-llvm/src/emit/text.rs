//! LLVM's text form: values, types, constants, blocks, instructions.

use std::fmt::{self, Write};
use std::rc::Rc;

use tilewright_expr::semantics::Scalar;
use tilewright_tensor::{DataType, TypeCode};

/// The loop metadata of long loops, which they share: it turns the vectoriser off.
pub(crate) const LONG_LOOP: &str = "!1 = distinct !{!1, !2}\n!2 = !{!\"llvm.loop.vectorize.enable\", i1 false}\n";

/// An operand: a register of the function, a parameter, or a constant.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Register(u32),
    Parameter(u32),
    Constant(Rc<str>),
}

impl Value {
    pub(crate) fn constant(text: impl Into<Rc<str>>) -> Self {
        Self::Constant(text.into())
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Self::Constant(text) if &**text == "0")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(number) => write!(f, "%v{number}"),
            Self::Parameter(number) => write!(f, "%p{number}"),
            Self::Constant(text) => f.write_str(text),
        }
    }
}

/// The type of a value in registers: a bool is one bit, a float of 16 bits the integer that holds its bits.
pub(crate) struct Reg(pub(crate) DataType);

/// The type of a value in memory: a bool is one byte.
pub(crate) struct Mem(pub(crate) DataType);

/// The type as the names of intrinsics have it, such as `v8f32`.
pub(crate) struct Mangled(pub(crate) DataType);

fn element(dtype: DataType, bool_bits: u8) -> (char, u8) {
    match dtype.code {
        TypeCode::Bool => ('i', bool_bits),
        TypeCode::Float if dtype.bits > 16 => ('f', dtype.bits),
        _ => ('i', dtype.bits),
    }
}

fn write_type(f: &mut fmt::Formatter<'_>, dtype: DataType, bool_bits: u8) -> fmt::Result {
    if dtype.is_vector() {
        write!(f, "<{} x ", dtype.lanes)?;
    }
    match element(dtype, bool_bits) {
        _ if dtype.is_handle() => f.write_str("ptr")?,
        ('f', 32) => f.write_str("float")?,
        ('f', 64) => f.write_str("double")?,
        (_, bits) => write!(f, "i{bits}")?,
    }
    if dtype.is_vector() { f.write_str(">") } else { Ok(()) }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, self.0, 1)
    }
}

impl fmt::Display for Mem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, self.0, 8)
    }
}

impl fmt::Display for Mangled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_vector() {
            write!(f, "v{}", self.0.lanes)?;
        }
        let (letter, bits) = element(self.0, 1);
        write!(f, "{letter}{bits}")
    }
}

/// An integer or bool constant of a scalar or, in every lane, of a vector type.
pub(crate) fn int(value: i64, dtype: DataType) -> Value {
    let text = match dtype.code {
        TypeCode::Bool => String::from(if value != 0 { "true" } else { "false" }),
        _ => {
            let unused = 64 - u32::from(dtype.bits).clamp(1, 64);
            (value << unused >> unused).to_string()
        }
    };
    splat(text, dtype)
}

/// A float constant of a scalar or vector type, exact by its bits.
pub(crate) fn float(value: f64, dtype: DataType) -> Value {
    if dtype.bits == 16 {
        return int(Scalar::from_float(value, dtype).bits() as i64, DataType::U16.with_lanes(dtype.lanes));
    }
    let value = if dtype.bits == 32 { f64::from(value as f32) } else { value };
    splat(format!("0x{:016X}", value.to_bits()), dtype)
}

fn splat(scalar: String, dtype: DataType) -> Value {
    if dtype.is_vector() {
        Value::constant(format!("splat ({} {scalar})", Reg(dtype.element())))
    } else {
        Value::constant(scalar)
    }
}

/// A text as LLVM quotes it.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\{byte:02X}")),
        }
    }
    text.push('"');
    text
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(u32);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

/// The body of a function while it is written: a chain of blocks, of which the last is open.
#[derive(Debug)]
pub(crate) struct Body {
    /// Stack memory of the function, at the top of its first block.
    stack: String,
    text: String,
    registers: u32,
    labels: u32,
    open: Label,
    /// Instructions so far.
    pub(crate) length: usize,
}

impl Body {
    pub(crate) fn new() -> Self {
        Self { stack: String::new(), text: String::new(), registers: 0, labels: 0, open: Label(0), length: 0 }
    }

    /// A register that a later line defines.
    pub(crate) fn register(&mut self) -> Value {
        self.registers += 1;
        Value::Register(self.registers - 1)
    }

    /// Writes an instruction with a result.
    pub(crate) fn assign(&mut self, instruction: fmt::Arguments<'_>) -> Value {
        let register = self.register();
        self.line(format_args!("{register} = {instruction}"));
        register
    }

    /// Writes an instruction without a result.
    pub(crate) fn line(&mut self, instruction: fmt::Arguments<'_>) {
        self.length += 1;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "  {instruction}");
    }

    /// Reserves stack memory for the duration of the function.
    pub(crate) fn reserve(&mut self, bytes: u64, align: u64) -> Value {
        let register = self.register();
        let _ = writeln!(self.stack, "  {register} = alloca [{bytes} x i8], align {align}");
        register
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// Begins a block; the one before must have ended.
    pub(crate) fn start(&mut self, label: Label) {
        let _ = writeln!(self.text, "{label}:");
        self.open = label;
    }

    /// The block that instructions go to.
    pub(crate) fn open(&self) -> Label {
        self.open
    }

    pub(crate) fn jump(&mut self, to: Label) {
        self.line(format_args!("br label %{to}"));
    }

    pub(crate) fn branch(&mut self, condition: &Value, then: Label, otherwise: Label) {
        self.line(format_args!("br i1 {condition}, label %{then}, label %{otherwise}"));
    }

    /// The same at the end of a loop that LLVM does not vectorise; [`LONG_LOOP`] declares its metadata.
    pub(crate) fn branch_of_long_loop(&mut self, condition: &Value, then: Label, otherwise: Label) {
        self.line(format_args!("br i1 {condition}, label %{then}, label %{otherwise}, !llvm.loop !1"));
    }

    /// The address that many bytes after another.
    pub(crate) fn offset(&mut self, base: &Value, bytes: u64) -> Value {
        if bytes == 0 {
            return base.clone();
        }
        self.assign(format_args!("getelementptr inbounds i8, ptr {base}, i64 {bytes}"))
    }

    /// The whole body, from its first label on.
    pub(crate) fn finish(self) -> String {
        format!("b0:\n{}{}", self.stack, self.text)
    }
}
