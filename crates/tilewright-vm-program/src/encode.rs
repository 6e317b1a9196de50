//! Programs as bytes: one writer and one reader for each type, side by side. Constants' bytes are not here, only where
//! they are.

use tilewright_support::with_stack;
use tilewright_tensor::{DataType, DeviceKind, TypeCode};

use crate::program::{
    Access, DeviceIndex, Dim, Function, Instruction, Kernel, Literal, MathOp, Origin, Reg, Scalar, ScalarOp, Storage,
};
use crate::signature::{DimPattern, Kind, MAX_NESTING, Param};
use crate::wire::{Reader, WireResult, Writer, wrong};

pub(crate) fn write_dtype(w: &mut Writer, dtype: DataType) {
    w.u8(dtype.code as u8);
    w.u8(dtype.bits);
    w.u16(dtype.lanes);
}

pub(crate) fn read_dtype(r: &mut Reader<'_>) -> WireResult<DataType> {
    let (code, bits, lanes) = (r.u8()?, r.u8()?, r.u16()?);
    let known = DataType::TENSOR_ELEMENTS
        .into_iter()
        .chain(DataType::STORED_ELEMENTS)
        .chain([DataType::HANDLE, DataType::VOID]);
    match known.into_iter().find(|dtype| dtype.code as u8 == code && dtype.bits == bits) {
        Some(dtype) if lanes == 1 || (lanes > 1 && dtype.code != TypeCode::Handle) => Ok(dtype.with_lanes(lanes)),
        _ => wrong(format!("a data type of code {code}, {bits} bits, {lanes} lanes")),
    }
}

fn write_dim_pattern(w: &mut Writer, dim: &DimPattern) {
    match *dim {
        DimPattern::Const(size) => {
            w.u8(0);
            w.i64(size);
        }
        DimPattern::Slot(slot) => {
            w.u8(1);
            w.u32(slot);
        }
        DimPattern::Any => w.u8(2),
    }
}

fn read_dim_pattern(r: &mut Reader<'_>) -> WireResult<DimPattern> {
    match r.u8()? {
        0 => Ok(DimPattern::Const(r.i64()?)),
        1 => Ok(DimPattern::Slot(r.u32()?)),
        2 => Ok(DimPattern::Any),
        tag => wrong(format!("dimension pattern {tag}")),
    }
}

fn write_pattern(w: &mut Writer, dims: Option<&[DimPattern]>) {
    let Some(dims) = dims else { return w.u8(0) };
    w.u8(1);
    w.list(dims, write_dim_pattern);
}

fn read_pattern(r: &mut Reader<'_>) -> WireResult<Option<Vec<DimPattern>>> {
    match r.u8()? {
        0 => Ok(None),
        1 => Ok(Some(r.list(read_dim_pattern)?)),
        tag => wrong(format!("shape pattern {tag}")),
    }
}

fn write_device(w: &mut Writer, device: DeviceIndex) {
    w.u32(device.0);
}

/// The first version of the format knew one device.
fn read_device(r: &mut Reader<'_>) -> WireResult<DeviceIndex> {
    if r.version() < 2 { Ok(DeviceIndex::FIRST) } else { Ok(DeviceIndex(r.u32()?)) }
}

fn write_kind(w: &mut Writer, kind: &Kind) {
    match kind {
        Kind::Object => w.u8(0),
        Kind::Tensor { dtype, dims, device } => {
            w.u8(if dtype.is_some() { 1 } else { 2 });
            if let Some(dtype) = dtype {
                write_dtype(w, *dtype);
            }
            write_pattern(w, dims.as_deref());
            write_device(w, *device);
        }
        Kind::Shape { dims } => {
            w.u8(3);
            write_pattern(w, dims.as_deref());
        }
        Kind::Prim { dtype, value } => {
            w.u8(4);
            write_dtype(w, *dtype);
            write_dim_pattern(w, value);
        }
        Kind::Tuple(fields) => {
            w.u8(5);
            w.list(fields, |w, field| with_stack(|| write_kind(w, field)));
        }
        Kind::Function => w.u8(6),
    }
}

fn read_kind(r: &mut Reader<'_>, depth: usize) -> WireResult<Kind> {
    if depth > MAX_NESTING {
        return wrong(format!("tuples nested deeper than {MAX_NESTING}"));
    }
    Ok(match r.u8()? {
        0 => Kind::Object,
        1 => Kind::Tensor { dtype: Some(read_dtype(r)?), dims: read_pattern(r)?, device: read_device(r)? },
        2 => Kind::Tensor { dtype: None, dims: read_pattern(r)?, device: read_device(r)? },
        3 => Kind::Shape { dims: read_pattern(r)? },
        4 if r.version() < 2 => Kind::Prim { dtype: read_dtype(r)?, value: DimPattern::Any },
        4 => Kind::Prim { dtype: read_dtype(r)?, value: read_dim_pattern(r)? },
        5 => Kind::Tuple(r.list(|r| with_stack(|| read_kind(r, depth + 1)))?),
        6 => Kind::Function,
        tag => return wrong(format!("kind {tag}")),
    })
}

fn write_reg(w: &mut Writer, reg: &Reg) {
    w.u32(reg.0);
}

fn read_reg(r: &mut Reader<'_>) -> WireResult<Reg> {
    Ok(Reg(r.u32()?))
}

pub(crate) fn write_dim(w: &mut Writer, dim: &Dim) {
    match *dim {
        Dim::Const(size) => {
            w.u8(0);
            w.i64(size);
        }
        Dim::Slot(slot) => {
            w.u8(1);
            w.u32(slot);
        }
    }
}

pub(crate) fn read_dim(r: &mut Reader<'_>) -> WireResult<Dim> {
    match r.u8()? {
        0 => Ok(Dim::Const(r.i64()?)),
        1 => Ok(Dim::Slot(r.u32()?)),
        tag => wrong(format!("dimension {tag}")),
    }
}

fn write_scalar(w: &mut Writer, scalar: &Scalar) {
    match scalar {
        Scalar::Dim(dim) => write_dim(w, dim),
        Scalar::Reg(reg) => {
            w.u8(2);
            write_reg(w, reg);
        }
    }
}

fn read_scalar(r: &mut Reader<'_>) -> WireResult<Scalar> {
    match r.u8()? {
        0 => Ok(Scalar::Dim(Dim::Const(r.i64()?))),
        1 => Ok(Scalar::Dim(Dim::Slot(r.u32()?))),
        2 => Ok(Scalar::Reg(read_reg(r)?)),
        tag => wrong(format!("scalar {tag}")),
    }
}

fn write_literal(w: &mut Writer, value: &Literal) {
    match value {
        Literal::None => w.u8(0),
        Literal::Bool(value) => {
            w.u8(1);
            w.u8(u8::from(*value));
        }
        Literal::Int(value) => {
            w.u8(2);
            w.i64(*value);
        }
        Literal::Float(value) => {
            w.u8(3);
            w.u64(value.to_bits());
        }
        Literal::Str(text) => {
            w.u8(4);
            w.string(text);
        }
        Literal::DataType(dtype) => {
            w.u8(5);
            write_dtype(w, *dtype);
        }
    }
}

fn read_literal(r: &mut Reader<'_>) -> WireResult<Literal> {
    Ok(match r.u8()? {
        0 => Literal::None,
        1 => Literal::Bool(r.u8()? != 0),
        2 => Literal::Int(r.i64()?),
        3 => Literal::Float(f64::from_bits(r.u64()?)),
        4 => Literal::Str(r.string()?),
        5 => Literal::DataType(read_dtype(r)?),
        tag => return wrong(format!("literal {tag}")),
    })
}

fn write_storage(w: &mut Writer, storage: &Storage) {
    match *storage {
        Storage::Fresh => w.u8(0),
        Storage::Arena { offset, bytes } => {
            w.u8(1);
            w.u64(offset);
            w.u64(bytes);
        }
    }
}

fn read_storage(r: &mut Reader<'_>) -> WireResult<Storage> {
    match r.u8()? {
        0 => Ok(Storage::Fresh),
        1 => Ok(Storage::Arena { offset: r.u64()?, bytes: r.u64()? }),
        tag => wrong(format!("storage {tag}")),
    }
}

/// Numbers of the operations that are not in [`ScalarOp::PLAIN`].
const CAST: u8 = 100;
const MATH: u8 = 101;

pub(crate) fn write_op(w: &mut Writer, op: ScalarOp) {
    match op {
        ScalarOp::Cast(dtype) => {
            w.u8(CAST);
            write_dtype(w, dtype);
        }
        ScalarOp::Math(op) => {
            w.u8(MATH);
            w.u8(op as u8);
        }
        plain => w.u8(ScalarOp::PLAIN.iter().position(|&op| op == plain).unwrap_or_default() as u8),
    }
}

pub(crate) fn read_op(r: &mut Reader<'_>) -> WireResult<ScalarOp> {
    let number = r.u8()?;
    match number {
        CAST => Ok(ScalarOp::Cast(read_dtype(r)?)),
        MATH => {
            let number = r.u8()?;
            match MathOp::ALL.get(number as usize) {
                Some(&op) => Ok(ScalarOp::Math(op)),
                None => wrong(format!("mathematical function {number}")),
            }
        }
        _ => match ScalarOp::PLAIN.get(number as usize) {
            Some(&op) => Ok(op),
            None => wrong(format!("operation {number}")),
        },
    }
}

pub(crate) fn write_device_kind(w: &mut Writer, kind: &DeviceKind) {
    w.u8(*kind as u8);
}

pub(crate) fn read_device_kind(r: &mut Reader<'_>) -> WireResult<DeviceKind> {
    let number = r.u8()?;
    match DeviceKind::ALL.into_iter().find(|&kind| kind as u8 == number) {
        Some(kind) => Ok(kind),
        None => wrong(format!("device kind {number}")),
    }
}

fn write_instruction(w: &mut Writer, instruction: &Instruction) {
    match instruction {
        Instruction::CallKernel { kernel, tensors, scalars } => {
            w.u8(0);
            w.u32(*kernel);
            w.list(tensors, write_reg);
            w.list(scalars, write_scalar);
        }
        Instruction::CallPacked { dst, name, args } => {
            w.u8(if dst.is_some() { 1 } else { 2 });
            if let Some(dst) = dst {
                write_reg(w, dst);
            }
            w.u32(*name);
            w.list(args, write_reg);
        }
        Instruction::CallFunction { dst, function, args } => {
            w.u8(3);
            write_reg(w, dst);
            w.u32(*function);
            w.list(args, write_reg);
        }
        Instruction::AllocTensor { dst, dtype, shape, storage, device } => {
            w.u8(4);
            write_reg(w, dst);
            write_dtype(w, *dtype);
            w.list(shape, write_dim);
            write_storage(w, storage);
            write_device(w, *device);
        }
        Instruction::LoadConst { dst, constant, device } => {
            w.u8(5);
            write_reg(w, dst);
            w.u32(*constant);
            write_device(w, *device);
        }
        Instruction::LoadLiteral { dst, value } => {
            w.u8(6);
            write_reg(w, dst);
            write_literal(w, value);
        }
        Instruction::MakeTuple { dst, items } => {
            w.u8(7);
            write_reg(w, dst);
            w.list(items, write_reg);
        }
        Instruction::GetItem { dst, tuple, index } => {
            w.u8(8);
            write_reg(w, dst);
            write_reg(w, tuple);
            w.u32(*index);
        }
        Instruction::MakeShape { dst, dims } => {
            w.u8(9);
            write_reg(w, dst);
            w.list(dims, write_dim);
        }
        Instruction::Move { dst, src } => {
            w.u8(10);
            write_reg(w, dst);
            write_reg(w, src);
        }
        Instruction::Match { value, kind, label } => {
            w.u8(11);
            write_reg(w, value);
            write_kind(w, kind);
            w.string(label);
        }
        Instruction::Compute { dst, op, dtype, args } => {
            w.u8(12);
            w.u32(*dst);
            write_op(w, *op);
            write_dtype(w, *dtype);
            w.list(args, write_dim);
        }
        Instruction::MakeScalar { dst, dtype, value } => {
            w.u8(13);
            write_reg(w, dst);
            write_dtype(w, *dtype);
            write_dim(w, value);
        }
        Instruction::Kill { reg } => {
            w.u8(14);
            write_reg(w, reg);
        }
        Instruction::If { cond, otherwise } => {
            w.u8(15);
            write_reg(w, cond);
            w.u32(*otherwise);
        }
        Instruction::Goto { target } => {
            w.u8(16);
            w.u32(*target);
        }
        Instruction::Ret { value } => {
            w.u8(17);
            write_reg(w, value);
        }
        Instruction::CallClosure { dst, callee, args } => {
            w.u8(18);
            write_reg(w, dst);
            write_reg(w, callee);
            w.list(args, write_reg);
        }
        Instruction::MakeClosure { dst, function, captured } => {
            w.u8(19);
            write_reg(w, dst);
            w.u32(*function);
            w.list(captured, write_reg);
        }
        Instruction::LoadPacked { dst, name } => {
            w.u8(20);
            write_reg(w, dst);
            w.u32(*name);
        }
        Instruction::Copy { dst, src, device } => {
            w.u8(21);
            write_reg(w, dst);
            write_reg(w, src);
            write_device(w, *device);
        }
        Instruction::CopyTo { target, src } => {
            w.u8(22);
            write_reg(w, target);
            write_reg(w, src);
        }
        Instruction::Sync => w.u8(23),
    }
}

/// The instructions that had another form in the first version: sizes were computed from two `int64`, and a number in a
/// register became a size by itself.
fn read_first_version(r: &mut Reader<'_>, tag: u8) -> WireResult<Instruction> {
    const OPS: [ScalarOp; 7] = [
        ScalarOp::Add,
        ScalarOp::Sub,
        ScalarOp::Mul,
        ScalarOp::FloorDiv,
        ScalarOp::FloorMod,
        ScalarOp::Min,
        ScalarOp::Max,
    ];
    let label = "a value inside the function".to_owned();
    match tag {
        11 => Ok(Instruction::Match { value: read_reg(r)?, kind: read_kind(r, 0)?, label }),
        12 => {
            let (dst, op) = (r.u32()?, r.u8()?);
            let Some(&op) = OPS.get(op as usize) else { return wrong(format!("size operation {op}")) };
            let args = vec![read_dim(r)?, read_dim(r)?];
            Ok(Instruction::Compute { dst, op, dtype: DataType::I64, args })
        }
        _ => {
            let kind = Kind::Prim { dtype: DataType::I64, value: DimPattern::Slot(r.u32()?) };
            Ok(Instruction::Match { value: read_reg(r)?, kind, label })
        }
    }
}

fn read_instruction(r: &mut Reader<'_>) -> WireResult<Instruction> {
    let tag = r.u8()?;
    Ok(match tag {
        0 => Instruction::CallKernel { kernel: r.u32()?, tensors: r.list(read_reg)?, scalars: r.list(read_scalar)? },
        1 => Instruction::CallPacked { dst: Some(read_reg(r)?), name: r.u32()?, args: r.list(read_reg)? },
        2 => Instruction::CallPacked { dst: None, name: r.u32()?, args: r.list(read_reg)? },
        3 => Instruction::CallFunction { dst: read_reg(r)?, function: r.u32()?, args: r.list(read_reg)? },
        4 => Instruction::AllocTensor {
            dst: read_reg(r)?,
            dtype: read_dtype(r)?,
            shape: r.list(read_dim)?,
            storage: read_storage(r)?,
            device: read_device(r)?,
        },
        5 => Instruction::LoadConst { dst: read_reg(r)?, constant: r.u32()?, device: read_device(r)? },
        6 => Instruction::LoadLiteral { dst: read_reg(r)?, value: read_literal(r)? },
        7 => Instruction::MakeTuple { dst: read_reg(r)?, items: r.list(read_reg)? },
        8 => Instruction::GetItem { dst: read_reg(r)?, tuple: read_reg(r)?, index: r.u32()? },
        9 => Instruction::MakeShape { dst: read_reg(r)?, dims: r.list(read_dim)? },
        10 => Instruction::Move { dst: read_reg(r)?, src: read_reg(r)? },
        11..=13 if r.version() < 2 => return read_first_version(r, tag),
        11 => Instruction::Match { value: read_reg(r)?, kind: read_kind(r, 0)?, label: r.string()? },
        12 => Instruction::Compute { dst: r.u32()?, op: read_op(r)?, dtype: read_dtype(r)?, args: r.list(read_dim)? },
        13 => Instruction::MakeScalar { dst: read_reg(r)?, dtype: read_dtype(r)?, value: read_dim(r)? },
        14 => Instruction::Kill { reg: read_reg(r)? },
        15 => Instruction::If { cond: read_reg(r)?, otherwise: r.u32()? },
        16 => Instruction::Goto { target: r.u32()? },
        17 => Instruction::Ret { value: read_reg(r)? },
        18 => Instruction::CallClosure { dst: read_reg(r)?, callee: read_reg(r)?, args: r.list(read_reg)? },
        19 => Instruction::MakeClosure { dst: read_reg(r)?, function: r.u32()?, captured: r.list(read_reg)? },
        20 => Instruction::LoadPacked { dst: read_reg(r)?, name: r.u32()? },
        21 => Instruction::Copy { dst: read_reg(r)?, src: read_reg(r)?, device: read_device(r)? },
        22 => Instruction::CopyTo { target: read_reg(r)?, src: read_reg(r)? },
        23 => Instruction::Sync,
        _ => return wrong(format!("instruction {tag}")),
    })
}

pub(crate) fn write_function(w: &mut Writer, function: &Function) {
    w.string(&function.name);
    w.list(&function.params, |w, param| {
        w.string(&param.name);
        write_kind(w, &param.kind);
    });
    write_kind(w, &function.result);
    w.u32(function.num_registers);
    w.list(&function.slots, |w, name| w.string(name));
    w.u64(function.arena_bytes);
    write_device(w, function.device);
    w.list(&function.instructions, write_instruction);
    w.list(&function.origins, |w, origin| {
        w.u32(origin.instruction);
        w.u32(origin.file);
        w.u32(origin.line);
    });
}

pub(crate) fn read_function(r: &mut Reader<'_>) -> WireResult<Function> {
    Ok(Function {
        name: r.string()?,
        params: r.list(|r| Ok(Param { name: r.string()?, kind: read_kind(r, 0)? }))?,
        result: read_kind(r, 0)?,
        num_registers: r.u32()?,
        slots: r.list(Reader::string)?,
        arena_bytes: r.u64()?,
        device: read_device(r)?,
        instructions: r.list(read_instruction)?,
        origins: match r.version() {
            1 => Vec::new(),
            _ => r.list(|r| Ok(Origin { instruction: r.u32()?, file: r.u32()?, line: r.u32()? }))?,
        },
    })
}

pub(crate) fn write_kernel(w: &mut Writer, kernel: &Kernel) {
    w.u32(kernel.image);
    w.u32(kernel.export);
    w.list(&kernel.tensors, |w, access| w.u8(*access as u8));
    w.list(&kernel.scalars, |w, dtype| write_dtype(w, *dtype));
    w.u64(kernel.scratch_bytes);
    write_device(w, kernel.device);
    w.list(&kernel.packed, |w, name| w.u32(*name));
}

pub(crate) fn read_kernel(r: &mut Reader<'_>) -> WireResult<Kernel> {
    let access = |r: &mut Reader<'_>| match r.u8()? {
        0 => Ok(Access::Read),
        1 => Ok(Access::Write),
        tag => wrong(format!("access {tag}")),
    };
    Ok(Kernel {
        image: r.u32()?,
        export: r.u32()?,
        tensors: r.list(access)?,
        scalars: r.list(read_dtype)?,
        scratch_bytes: r.u64()?,
        device: read_device(r)?,
        // Before, nobody said so.
        packed: if r.version() < 4 { Vec::new() } else { r.list(Reader::u32)? },
    })
}
