//! The program: functions of instructions over registers, and the tables that they refer to.

use tilewright_tensor::{DataType, DeviceKind, Tensor};

use crate::image::Image;
use crate::signature::{Kind, Param};

/// Everything that a machine runs. [`Program::verify`](crate::Program::verify) says what makes it valid.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    pub kernels: Vec<Kernel>,
    /// Names of functions that the user's process provides.
    pub packed_names: Vec<String>,
    /// Weights and other constant tensors: contiguous, read-only for the program.
    pub constants: Vec<Tensor>,
    pub images: Vec<Image>,
    /// The devices that the program runs on: the one for which it was compiled, then the host, unless that is the same.
    /// Functions, kernels, tensors and patterns name one by its index in this list; whoever makes a machine gives it a
    /// device of the kind for each.
    pub devices: Vec<DeviceKind>,
    /// The source files that [`Function::origins`] name.
    pub files: Vec<String>,
}

/// Index into [`Program::devices`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DeviceIndex(pub u32);

impl DeviceIndex {
    /// The first device: where everything is that says nothing else.
    pub const FIRST: Self = Self(0);
}

/// The location in the user's source of an instruction, and of those after it up to the next origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub instruction: u32,
    /// Index into [`Program::files`].
    pub file: u32,
    /// 1-based.
    pub line: u32,
}

/// A function: registers hold values, slots hold the numbers that symbolic dimensions stand for, and what is computed
/// from them.
///
/// On entry, register `i` holds argument `i`, matched against its parameter's kind; all other registers are undefined
/// and all slots that no parameter names have no value. A register holds a value, not a place: killing or overwriting
/// one leaves every other that holds the same value as it is. Jumps go forward only: a loop is a function that calls
/// itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<Param>,
    /// For those who read it; the machine does not check it.
    pub result: Kind,
    pub num_registers: u32,
    /// Names of the slots, for messages; as many as there are slots.
    pub slots: Vec<String>,
    /// Bytes that one run needs for tensors that do not leave it.
    pub arena_bytes: u64,
    /// Where the arena lies.
    pub device: DeviceIndex,
    pub instructions: Vec<Instruction>,
    /// In rising order of their instructions; empty where nobody knows.
    pub origins: Vec<Origin>,
}

impl Function {
    /// Where the instruction came from.
    pub fn origin(&self, instruction: usize) -> Option<&Origin> {
        let end = self.origins.partition_point(|origin| origin.instruction as usize <= instruction);
        self.origins.get(end.checked_sub(1)?)
    }
}

/// A kernel of an image, with what the machine has to know to call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    pub image: u32,
    /// Index into the image's exports.
    pub export: u32,
    /// What the kernel does with each tensor argument. A written tensor overlaps no other argument.
    pub tensors: Vec<Access>,
    /// The types of the scalar arguments: `int64` for dimensions.
    pub scalars: Vec<DataType>,
    /// Scratch memory that each worker needs. The tasks that run on the calling thread see the memory of the kernel
    /// around them: a kernel lays out all its buffers at distinct offsets.
    pub scratch_bytes: u64,
    /// What it runs on, and where all of its tensors lie.
    pub device: DeviceIndex,
    /// The functions of the process that it calls itself, by their indices in [`Program::packed_names`].
    pub packed: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// Written, and perhaps read too.
    Write,
}

/// Index of a register of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reg(pub u32);

/// A number: known, or the value of a slot. A float stands as the bits of an `f64`, a bool as 0 or 1, a `uint64` by its
/// bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    Const(i64),
    Slot(u32),
}

/// A scalar argument of a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// An integer or a bool.
    Dim(Dim),
    /// The int, float or bool in the register, converted to the type that the kernel declares.
    Reg(Reg),
}

/// A value that stands in the program itself.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    DataType(DataType),
}

/// Where a new tensor's memory comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// `bytes` bytes of the run's arena from `offset` on (a multiple of 64). The planner chose them so that no other
    /// tensor in use has a part of them. The tensor must not be returned.
    Arena { offset: u64, bytes: u64 },
    /// Memory of its own, for tensors that may outlive the run: results, and arguments of packed functions that may
    /// keep them.
    Fresh,
}

/// An operation on numbers of one type: [`Instruction::Compute`] says which. Results are those of the language's table
/// of scalar semantics, but for integers that leave their type: that is an error, as it is for every size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarOp {
    /// The number itself.
    Copy,
    Add,
    Sub,
    Mul,
    /// Rounds towards zero for integers; by zero is an error there.
    Div,
    /// Has the dividend's sign; by zero is an error for integers.
    Mod,
    /// Rounds towards minus infinity; by zero is an error for integers.
    FloorDiv,
    /// Has the divisor's sign; by zero is an error for integers.
    FloorMod,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    /// Comparisons give a bool.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Of a bool.
    Not,
    /// `(condition, then, otherwise)`; the condition is a bool, the type is that of the other two.
    Select,
    /// From the instruction's type to this one.
    Cast(DataType),
    Math(MathOp),
}

/// A mathematical function of floats, but for `Abs` (of signed integers too), `Popcount` and `Clz` (of integers). What
/// it computes in `f64` is rounded to the type. `IsNan`, `IsInf` and `IsFinite` give a bool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MathOp {
    Sqrt,
    Rsqrt,
    Abs,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest integer, ties to the even one.
    Round,
    Exp,
    Exp2,
    Exp10,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Sigmoid,
    IsNan,
    IsInf,
    IsFinite,
    Popcount,
    Clz,
    Pow,
    /// `(y, x)`.
    Atan2,
    Hypot,
    Copysign,
    /// `(x, y)`: the float of the type next to x in the direction of y.
    Nextafter,
    /// `(a, b, c)`: `a * b + c`, rounded once.
    Fma,
}

impl MathOp {
    /// In the order of their numbers in the file.
    pub const ALL: [Self; 40] = [
        Self::Sqrt,
        Self::Rsqrt,
        Self::Abs,
        Self::Floor,
        Self::Ceil,
        Self::Trunc,
        Self::Round,
        Self::Exp,
        Self::Exp2,
        Self::Exp10,
        Self::Expm1,
        Self::Log,
        Self::Log2,
        Self::Log10,
        Self::Log1p,
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Asin,
        Self::Acos,
        Self::Atan,
        Self::Sinh,
        Self::Cosh,
        Self::Tanh,
        Self::Asinh,
        Self::Acosh,
        Self::Atanh,
        Self::Erf,
        Self::Sigmoid,
        Self::IsNan,
        Self::IsInf,
        Self::IsFinite,
        Self::Popcount,
        Self::Clz,
        Self::Pow,
        Self::Atan2,
        Self::Hypot,
        Self::Copysign,
        Self::Nextafter,
        Self::Fma,
    ];

    pub fn arity(self) -> usize {
        match self {
            Self::Pow | Self::Atan2 | Self::Hypot | Self::Copysign | Self::Nextafter => 2,
            Self::Fma => 3,
            _ => 1,
        }
    }

    /// The name that users write.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

impl ScalarOp {
    /// All but [`ScalarOp::Cast`] and [`ScalarOp::Math`], in the order of their numbers in the file.
    pub const PLAIN: [Self; 23] = [
        Self::Copy,
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Mod,
        Self::FloorDiv,
        Self::FloorMod,
        Self::Min,
        Self::Max,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Shr,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
        Self::Not,
        Self::Select,
    ];

    pub fn arity(self) -> usize {
        match self {
            Self::Copy | Self::Not | Self::Cast(_) => 1,
            Self::Select => 3,
            Self::Math(op) => op.arity(),
            _ => 2,
        }
    }
}

/// One step. Targets of jumps are indices into the function's instructions.
#[derive(Clone, PartialEq, Debug)]
pub enum Instruction {
    /// Calls `program.kernels[kernel]` on its device. Counts and order of the arguments are those of the kernel. On the
    /// host the call is over afterwards; another device may run it later, after earlier operations of its queue.
    CallKernel {
        kernel: u32,
        tensors: Vec<Reg>,
        scalars: Vec<Scalar>,
    },
    /// Calls `program.packed_names[name]`. In destination-passing style the results are among the arguments and `dst`
    /// is absent: what the function returns is dropped.
    CallPacked {
        dst: Option<Reg>,
        name: u32,
        args: Vec<Reg>,
    },
    /// Calls `program.functions[function]`.
    CallFunction {
        dst: Reg,
        function: u32,
        args: Vec<Reg>,
    },
    /// Calls the function that a register holds: a closure, or a function of the process.
    CallClosure {
        dst: Reg,
        callee: Reg,
        args: Vec<Reg>,
    },
    /// `program.functions[function]` as a value, its first arguments given.
    MakeClosure {
        dst: Reg,
        function: u32,
        captured: Vec<Reg>,
    },
    /// The function `program.packed_names[name]` as a value.
    LoadPacked {
        dst: Reg,
        name: u32,
    },
    /// Makes a tensor with undefined contents.
    AllocTensor {
        dst: Reg,
        dtype: DataType,
        shape: Vec<Dim>,
        storage: Storage,
        device: DeviceIndex,
    },
    /// `program.constants[constant]`.
    LoadConst {
        dst: Reg,
        constant: u32,
        device: DeviceIndex,
    },
    LoadLiteral {
        dst: Reg,
        value: Literal,
    },
    MakeTuple {
        dst: Reg,
        items: Vec<Reg>,
    },
    GetItem {
        dst: Reg,
        tuple: Reg,
        index: u32,
    },
    MakeShape {
        dst: Reg,
        dims: Vec<Dim>,
    },
    /// Both registers hold the value afterwards.
    Move {
        dst: Reg,
        src: Reg,
    },
    /// Checks the value, and gives slots without a value theirs: what parameters get on entry, for other values. Stands
    /// between a packed function's result and a kernel that relies on its shape.
    Match {
        value: Reg,
        kind: Kind,
        /// What the value is, for messages: `the result of "f"`.
        label: String,
    },
    /// Sets a slot to the result of an operation on numbers of the type.
    Compute {
        dst: u32,
        op: ScalarOp,
        dtype: DataType,
        args: Vec<Dim>,
    },
    /// The number as an int, float or bool.
    MakeScalar {
        dst: Reg,
        dtype: DataType,
        value: Dim,
    },
    /// The value with its tensors on the device: one that lies there is itself, another is copied, the fields of a
    /// tuple are looked at one by one, and everything else stays as it is. A copy from a device to the host is under
    /// way afterwards: [`Instruction::Sync`] stands between it and whoever reads it. All other copies are done, or are
    /// done before the next operation of the device.
    Copy {
        dst: Reg,
        src: Reg,
        device: DeviceIndex,
    },
    /// Overwrites the elements of a tensor with those of another one of the same type and shape, wherever the two lie;
    /// of tuples field by field. Tensors that are read-only, and all other values, stay as they are. Into a tensor of
    /// the host, the copy is under way afterwards.
    CopyTo {
        target: Reg,
        src: Reg,
    },
    /// Waits until all devices have done the operations of the run. Their first failure ends the run.
    Sync,
    /// Drops the value; the register is undefined afterwards.
    Kill {
        reg: Reg,
    },
    /// Goes on if the bool (or 0-dimensional bool tensor) is true, jumps otherwise.
    If {
        cond: Reg,
        otherwise: u32,
    },
    Goto {
        target: u32,
    },
    /// Ends the run. Every path through a function ends with it.
    Ret {
        value: Reg,
    },
}

impl Program {
    /// The function's index.
    pub fn function(&self, name: &str) -> Option<u32> {
        self.functions.iter().position(|function| function.name == name).map(|index| index as u32)
    }

    /// Forgets where instructions came from.
    pub fn strip_origins(&mut self) {
        self.files.clear();
        self.functions.iter_mut().for_each(|function| function.origins.clear());
    }

    /// The kernel's name in its image.
    pub fn kernel_name(&self, kernel: &Kernel) -> &str {
        self.images
            .get(kernel.image as usize)
            .and_then(|image| image.exports.get(kernel.export as usize))
            .map_or("", |export| export.name.as_str())
    }
}
