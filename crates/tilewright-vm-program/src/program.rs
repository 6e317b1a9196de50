//! The program: functions of instructions over registers, and the tables that they refer to.

use tilewright_tensor::{DataType, Tensor};

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
}

/// A function: registers hold values, dimension slots hold the sizes that symbolic dimensions stand for.
///
/// On entry, register `i` holds argument `i`, matched against its parameter's kind; all other registers are undefined
/// and all slots that no parameter names have no value. Jumps go forward only: a loop is a function that calls itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<Param>,
    /// For those who read it; the machine does not check it.
    pub result: Kind,
    pub num_registers: u32,
    /// Names of the dimension slots, for messages; as many as there are slots.
    pub slots: Vec<String>,
    /// Bytes that one run needs for tensors that do not leave it.
    pub arena_bytes: u64,
    pub instructions: Vec<Instruction>,
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

/// A size: known, or the value of a dimension slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    Const(i64),
    Slot(u32),
}

/// A scalar argument of a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DimOp {
    Add,
    Sub,
    Mul,
    /// Rounds towards minus infinity; by zero is an error.
    FloorDiv,
    /// Has the divisor's sign; by zero is an error.
    FloorMod,
    Min,
    Max,
}

/// One step. Targets of jumps are indices into the function's instructions.
#[derive(Clone, PartialEq, Debug)]
pub enum Instruction {
    /// Calls `program.kernels[kernel]`. Counts and order of the arguments are those of the kernel.
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
    /// Makes a tensor with undefined contents.
    AllocTensor {
        dst: Reg,
        dtype: DataType,
        shape: Vec<Dim>,
        storage: Storage,
    },
    /// `program.constants[constant]`.
    LoadConst {
        dst: Reg,
        constant: u32,
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
    },
    /// Sets a slot to a result over the 64-bit integers; overflow is an error.
    ComputeDim {
        dst: u32,
        op: DimOp,
        lhs: Dim,
        rhs: Dim,
    },
    /// Sets a slot to the integer in a register.
    ReadDim {
        dst: u32,
        src: Reg,
    },
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

    /// The kernel's name in its image.
    pub fn kernel_name(&self, kernel: &Kernel) -> &str {
        self.images
            .get(kernel.image as usize)
            .and_then(|image| image.exports.get(kernel.export as usize))
            .map_or("", |export| export.name.as_str())
    }
}
