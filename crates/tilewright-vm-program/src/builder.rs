//! Writing programs.

use tilewright_support::Map;
use tilewright_tensor::{DataType, DeviceKind, Tensor, TensorError};

use crate::image::Image;
use crate::program::{
    DeviceIndex, Dim, Function, Instruction, Kernel, Literal, Origin, Program, Reg, Scalar, ScalarOp, Storage,
};
use crate::signature::{Kind, Param};
use crate::verify::VerifyError;

/// Collects the tables of a [`Program`]; equal names and equal constants get one entry. The program begins with one
/// device, the processor.
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
    packed: Map<String, u32>,
    /// The indices of constants that may be equal: of those with the same [`sample`].
    constants: Map<Sample, Vec<u32>>,
    files: Map<String, u32>,
}

impl Default for ProgramBuilder {
    fn default() -> Self {
        let program = Program { devices: vec![DeviceKind::Cpu], ..Program::default() };
        Self { program, packed: Map::default(), constants: Map::default(), files: Map::default() }
    }
}

impl ProgramBuilder {
    /// A program for a device: it is the first one, and the host, unless it is that itself, the second.
    pub fn for_device(kind: DeviceKind) -> Self {
        let mut builder = Self::default();
        if kind != DeviceKind::Cpu {
            builder.program.devices.insert(0, kind);
        }
        builder
    }

    /// The host's index in the list of devices.
    pub fn host(&mut self) -> DeviceIndex {
        match self.program.devices.iter().position(|kind| *kind == DeviceKind::Cpu) {
            Some(index) => DeviceIndex(index as u32),
            None => self.device(DeviceKind::Cpu),
        }
    }

    /// Another device.
    pub fn device(&mut self, kind: DeviceKind) -> DeviceIndex {
        DeviceIndex(push(&mut self.program.devices, kind))
    }

    /// The index of a source file's name.
    pub fn file(&mut self, name: &str) -> u32 {
        if let Some(&index) = self.files.get(name) {
            return index;
        }
        let index = push(&mut self.program.files, name.to_owned());
        self.files.insert(name.to_owned(), index);
        index
    }

    pub fn image(&mut self, image: Image) -> u32 {
        push(&mut self.program.images, image)
    }

    pub fn kernel(&mut self, kernel: Kernel) -> u32 {
        push(&mut self.program.kernels, kernel)
    }

    /// The index of a packed function's name.
    pub fn packed(&mut self, name: &str) -> u32 {
        if let Some(&index) = self.packed.get(name) {
            return index;
        }
        let index = push(&mut self.program.packed_names, name.to_owned());
        self.packed.insert(name.to_owned(), index);
        index
    }

    /// The index of a constant. Copies a tensor that is not contiguous.
    pub fn constant(&mut self, tensor: &Tensor) -> Result<u32, TensorError> {
        let tensor = tensor.to_contiguous()?.to_read_only();
        let alike = self.constants.entry(sample(&tensor)?).or_default();
        let constants = &self.program.constants;
        let is_it = |index: &&u32| constants.get(**index as usize).is_some_and(|known| is_same(known, &tensor));
        if let Some(&index) = alike.iter().find(is_it) {
            return Ok(index);
        }
        let index = push(&mut self.program.constants, tensor);
        alike.push(index);
        Ok(index)
    }

    /// Reserves an index for a function that is called before it is written; [`ProgramBuilder::define`] fills it.
    pub fn declare(&mut self, name: &str) -> u32 {
        push(&mut self.program.functions, FunctionBuilder::new(name).finish())
    }

    /// Writes a declared function; an unknown index is left alone, and calls to it do not verify.
    pub fn define(&mut self, index: u32, function: FunctionBuilder) {
        if let Some(reserved) = self.program.functions.get_mut(index as usize) {
            *reserved = function.finish();
        }
    }

    pub fn function(&mut self, function: FunctionBuilder) -> u32 {
        push(&mut self.program.functions, function.finish())
    }

    /// The verified program.
    pub fn finish(self) -> Result<Program, VerifyError> {
        self.program.verify()?;
        Ok(self.program)
    }
}

/// Type, shape and some of the bytes: large weights are told apart without being read.
type Sample = (DataType, Vec<i64>, Vec<u8>);

/// About how many bytes a sample has.
const SAMPLED_BYTES: usize = 512;

fn sample(tensor: &Tensor) -> Result<Sample, TensorError> {
    let bytes = tensor.as_bytes()?;
    let some = bytes.iter().step_by((bytes.len() / SAMPLED_BYTES).max(1)).copied();
    Ok((tensor.dtype(), tensor.shape().to_vec(), some.collect()))
}

/// Whether the tensors are equal; those over the same memory are not read.
fn is_same(a: &Tensor, b: &Tensor) -> bool {
    let alike = a.dtype() == b.dtype() && a.shape() == b.shape();
    (alike && a.data_ptr() == b.data_ptr()) || a == b
}

fn push<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    (list.len() - 1) as u32
}

/// A jump whose target is not known yet; see [`FunctionBuilder::land`].
#[derive(Debug)]
#[must_use = "a jump without a target does not verify"]
pub struct Jump(usize);

/// Writes one [`Function`], instruction by instruction.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
}

impl FunctionBuilder {
    pub fn new(name: &str) -> Self {
        let function = Function {
            name: name.to_owned(),
            params: Vec::new(),
            result: Kind::Object,
            num_registers: 0,
            slots: Vec::new(),
            arena_bytes: 0,
            device: DeviceIndex::FIRST,
            instructions: Vec::new(),
            origins: Vec::new(),
        };
        Self { function }
    }

    /// The next parameter. All parameters come before the first other register.
    pub fn param(&mut self, name: &str, kind: Kind) -> Reg {
        self.function.params.push(Param { name: name.to_owned(), kind });
        self.register()
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.function.name
    }

    /// What the function returns, for those who read the program.
    pub fn result(&mut self, kind: Kind) {
        self.function.result = kind;
    }

    /// A new slot.
    pub fn slot(&mut self, name: &str) -> u32 {
        push(&mut self.function.slots, name.to_owned())
    }

    /// A new register.
    pub fn register(&mut self) -> Reg {
        let reg = Reg(self.function.num_registers);
        self.function.num_registers += 1;
        reg
    }

    /// The arena's size as planned.
    pub fn arena_bytes(&mut self, bytes: u64) {
        self.function.arena_bytes = bytes;
    }

    /// Says that the instructions from here on came from this line of a file of [`ProgramBuilder::file`].
    pub fn origin(&mut self, file: u32, line: u32) {
        let origin = Origin { instruction: self.function.instructions.len() as u32, file, line };
        match self.function.origins.last_mut() {
            Some(last) if (last.file, last.line) == (file, line) => {}
            Some(last) if last.instruction == origin.instruction => *last = origin,
            _ => self.function.origins.push(origin),
        }
    }

    /// Any instruction, where no other method fits.
    pub fn push(&mut self, instruction: Instruction) {
        self.function.instructions.push(instruction);
    }

    fn with_new(&mut self, instruction: impl FnOnce(Reg) -> Instruction) -> Reg {
        let dst = self.register();
        self.push(instruction(dst));
        dst
    }

    pub fn call_kernel(&mut self, kernel: u32, tensors: &[Reg], scalars: &[Scalar]) {
        self.push(Instruction::CallKernel { kernel, tensors: tensors.into(), scalars: scalars.into() });
    }

    pub fn call_packed(&mut self, name: u32, args: &[Reg]) -> Reg {
        self.with_new(|dst| Instruction::CallPacked { dst: Some(dst), name, args: args.into() })
    }

    /// In destination-passing style: the results are among the arguments.
    pub fn call_dps_packed(&mut self, name: u32, args: &[Reg]) {
        self.push(Instruction::CallPacked { dst: None, name, args: args.into() });
    }

    pub fn call_function(&mut self, function: u32, args: &[Reg]) -> Reg {
        self.with_new(|dst| Instruction::CallFunction { dst, function, args: args.into() })
    }

    /// Calls the function that a register holds.
    pub fn call_closure(&mut self, callee: Reg, args: &[Reg]) -> Reg {
        self.with_new(|dst| Instruction::CallClosure { dst, callee, args: args.into() })
    }

    /// A function as a value, its first arguments given.
    pub fn make_closure(&mut self, function: u32, captured: &[Reg]) -> Reg {
        self.with_new(|dst| Instruction::MakeClosure { dst, function, captured: captured.into() })
    }

    /// A function of the process as a value.
    pub fn load_packed(&mut self, name: u32) -> Reg {
        self.with_new(|dst| Instruction::LoadPacked { dst, name })
    }

    pub fn alloc(&mut self, dtype: DataType, shape: &[Dim], storage: Storage) -> Reg {
        self.alloc_on(DeviceIndex::FIRST, dtype, shape, storage)
    }

    /// A tensor on a device.
    pub fn alloc_on(&mut self, device: DeviceIndex, dtype: DataType, shape: &[Dim], storage: Storage) -> Reg {
        self.with_new(|dst| Instruction::AllocTensor { dst, dtype, shape: shape.into(), storage, device })
    }

    /// The value with its tensors on the device.
    pub fn copy(&mut self, src: Reg, device: DeviceIndex) -> Reg {
        self.with_new(|dst| Instruction::Copy { dst, src, device })
    }

    /// Overwrites a tensor's elements.
    pub fn copy_to(&mut self, target: Reg, src: Reg) {
        self.push(Instruction::CopyTo { target, src });
    }

    /// Waits for the devices.
    pub fn sync(&mut self) {
        self.push(Instruction::Sync);
    }

    pub fn load_const(&mut self, constant: u32) -> Reg {
        self.with_new(|dst| Instruction::LoadConst { dst, constant, device: DeviceIndex::FIRST })
    }

    pub fn load_literal(&mut self, value: Literal) -> Reg {
        self.with_new(|dst| Instruction::LoadLiteral { dst, value })
    }

    pub fn make_tuple(&mut self, items: &[Reg]) -> Reg {
        self.with_new(|dst| Instruction::MakeTuple { dst, items: items.into() })
    }

    pub fn get_item(&mut self, tuple: Reg, index: u32) -> Reg {
        self.with_new(|dst| Instruction::GetItem { dst, tuple, index })
    }

    pub fn make_shape(&mut self, dims: &[Dim]) -> Reg {
        self.with_new(|dst| Instruction::MakeShape { dst, dims: dims.into() })
    }

    pub fn move_to(&mut self, dst: Reg, src: Reg) {
        self.push(Instruction::Move { dst, src });
    }

    /// Checks a value; the label says what it is: `the result of "f"`.
    pub fn match_kind(&mut self, value: Reg, kind: Kind, label: impl Into<String>) {
        self.push(Instruction::Match { value, kind, label: label.into() });
    }

    /// Computes a size into a new slot.
    pub fn compute_dim(&mut self, name: &str, op: ScalarOp, lhs: Dim, rhs: Dim) -> Dim {
        self.compute(name, op, DataType::I64, &[lhs, rhs])
    }

    /// Computes a number from numbers of a type into a new slot.
    pub fn compute(&mut self, name: &str, op: ScalarOp, dtype: DataType, args: &[Dim]) -> Dim {
        let dst = self.slot(name);
        self.push(Instruction::Compute { dst, op, dtype, args: args.into() });
        Dim::Slot(dst)
    }

    /// A number as a value.
    pub fn make_scalar(&mut self, dtype: DataType, value: Dim) -> Reg {
        self.with_new(|dst| Instruction::MakeScalar { dst, dtype, value })
    }

    pub fn kill(&mut self, reg: Reg) {
        self.push(Instruction::Kill { reg });
    }

    /// Goes on where the condition holds; jumps to where the result lands otherwise.
    pub fn branch(&mut self, cond: Reg) -> Jump {
        self.push(Instruction::If { cond, otherwise: 0 });
        Jump(self.function.instructions.len() - 1)
    }

    pub fn goto(&mut self) -> Jump {
        self.push(Instruction::Goto { target: 0 });
        Jump(self.function.instructions.len() - 1)
    }

    /// Makes the next instruction the jump's target.
    pub fn land(&mut self, jump: Jump) {
        let here = self.function.instructions.len() as u32;
        match self.function.instructions.get_mut(jump.0) {
            Some(Instruction::If { otherwise: target, .. } | Instruction::Goto { target }) => *target = here,
            _ => unreachable!("a jump stands where it was made"),
        }
    }

    pub fn ret(&mut self, value: Reg) {
        self.push(Instruction::Ret { value });
    }

    pub fn ret_none(&mut self) {
        let none = self.load_literal(Literal::None);
        self.ret(none);
    }

    /// The function as written; [`Program::verify`] checks it.
    pub fn finish(self) -> Function {
        self.function
    }
}
