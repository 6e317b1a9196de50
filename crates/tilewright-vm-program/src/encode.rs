//! Programs as bytes: one writer and one reader for each type, side by side. Constants' bytes are not here, only where
//! they are.

use tilewright_tensor::{DataType, TypeCode};

use crate::program::{Access, Dim, DimOp, Function, Instruction, Kernel, Literal, Reg, Scalar, Storage};
use crate::signature::{DimPattern, Kind, Param};
use crate::wire::{Reader, WireResult, Writer, wrong};

/// Deepest nesting of tuples in a signature.
pub(crate) const MAX_NESTING: usize = 64;

pub(crate) fn write_dtype(w: &mut Writer, dtype: DataType) {
    w.u8(dtype.code as u8);
    w.u8(dtype.bits);
    w.u16(dtype.lanes);
}

pub(crate) fn read_dtype(r: &mut Reader<'_>) -> WireResult<DataType> {
    let (code, bits, lanes) = (r.u8()?, r.u8()?, r.u16()?);
    let known = DataType::TENSOR_ELEMENTS.into_iter().chain([DataType::HANDLE, DataType::VOID]);
    match known.into_iter().find(|dtype| dtype.code as u8 == code && dtype.bits == bits) {
        Some(dtype) if lanes == 1 || (lanes > 1 && dtype.code != TypeCode::Handle) => Ok(dtype.with_lanes(lanes)),
        _ => wrong(format!("a data type of code {code}, {bits} bits, {lanes} lanes")),
    }
}

fn write_pattern(w: &mut Writer, dims: Option<&[DimPattern]>) {
    let Some(dims) = dims else { return w.u8(0) };
    w.u8(1);
    w.list(dims, |w, dim| match *dim {
        DimPattern::Const(size) => {
            w.u8(0);
            w.i64(size);
        }
        DimPattern::Slot(slot) => {
            w.u8(1);
            w.u32(slot);
        }
        DimPattern::Any => w.u8(2),
    });
}

fn read_pattern(r: &mut Reader<'_>) -> WireResult<Option<Vec<DimPattern>>> {
    match r.u8()? {
        0 => return Ok(None),
        1 => {}
        tag => return wrong(format!("shape pattern {tag}")),
    }
    let dims = r.list(|r| match r.u8()? {
        0 => Ok(DimPattern::Const(r.i64()?)),
        1 => Ok(DimPattern::Slot(r.u32()?)),
        2 => Ok(DimPattern::Any),
        tag => wrong(format!("dimension pattern {tag}")),
    })?;
    Ok(Some(dims))
}

fn write_kind(w: &mut Writer, kind: &Kind) {
    match kind {
        Kind::Object => w.u8(0),
        Kind::Tensor { dtype: Some(dtype), dims } => {
            w.u8(1);
            write_dtype(w, *dtype);
            write_pattern(w, dims.as_deref());
        }
        Kind::Tensor { dtype: None, dims } => {
            w.u8(2);
            write_pattern(w, dims.as_deref());
        }
        Kind::Shape { dims } => {
            w.u8(3);
            write_pattern(w, dims.as_deref());
        }
        Kind::Prim(dtype) => {
            w.u8(4);
            write_dtype(w, *dtype);
        }
        Kind::Tuple(fields) => {
            w.u8(5);
            w.list(fields, write_kind);
        }
    }
}

fn read_kind(r: &mut Reader<'_>, depth: usize) -> WireResult<Kind> {
    if depth > MAX_NESTING {
        return wrong(format!("tuples nested deeper than {MAX_NESTING}"));
    }
    Ok(match r.u8()? {
        0 => Kind::Object,
        1 => Kind::Tensor { dtype: Some(read_dtype(r)?), dims: read_pattern(r)? },
        2 => Kind::Tensor { dtype: None, dims: read_pattern(r)? },
        3 => Kind::Shape { dims: read_pattern(r)? },
        4 => Kind::Prim(read_dtype(r)?),
        5 => Kind::Tuple(r.list(|r| read_kind(r, depth + 1))?),
        tag => return wrong(format!("kind {tag}")),
    })
}

fn write_reg(w: &mut Writer, reg: &Reg) {
    w.u32(reg.0);
}

fn read_reg(r: &mut Reader<'_>) -> WireResult<Reg> {
    Ok(Reg(r.u32()?))
}

fn write_dim(w: &mut Writer, dim: &Dim) {
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

fn read_dim(r: &mut Reader<'_>) -> WireResult<Dim> {
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

const DIM_OPS: [DimOp; 7] =
    [DimOp::Add, DimOp::Sub, DimOp::Mul, DimOp::FloorDiv, DimOp::FloorMod, DimOp::Min, DimOp::Max];

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
        Instruction::AllocTensor { dst, dtype, shape, storage } => {
            w.u8(4);
            write_reg(w, dst);
            write_dtype(w, *dtype);
            w.list(shape, write_dim);
            write_storage(w, storage);
        }
        Instruction::LoadConst { dst, constant } => {
            w.u8(5);
            write_reg(w, dst);
            w.u32(*constant);
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
        Instruction::Match { value, kind } => {
            w.u8(11);
            write_reg(w, value);
            write_kind(w, kind);
        }
        Instruction::ComputeDim { dst, op, lhs, rhs } => {
            w.u8(12);
            w.u32(*dst);
            w.u8(*op as u8);
            write_dim(w, lhs);
            write_dim(w, rhs);
        }
        Instruction::ReadDim { dst, src } => {
            w.u8(13);
            w.u32(*dst);
            write_reg(w, src);
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
    }
}

fn read_instruction(r: &mut Reader<'_>) -> WireResult<Instruction> {
    Ok(match r.u8()? {
        0 => Instruction::CallKernel { kernel: r.u32()?, tensors: r.list(read_reg)?, scalars: r.list(read_scalar)? },
        1 => Instruction::CallPacked { dst: Some(read_reg(r)?), name: r.u32()?, args: r.list(read_reg)? },
        2 => Instruction::CallPacked { dst: None, name: r.u32()?, args: r.list(read_reg)? },
        3 => Instruction::CallFunction { dst: read_reg(r)?, function: r.u32()?, args: r.list(read_reg)? },
        4 => Instruction::AllocTensor {
            dst: read_reg(r)?,
            dtype: read_dtype(r)?,
            shape: r.list(read_dim)?,
            storage: read_storage(r)?,
        },
        5 => Instruction::LoadConst { dst: read_reg(r)?, constant: r.u32()? },
        6 => Instruction::LoadLiteral { dst: read_reg(r)?, value: read_literal(r)? },
        7 => Instruction::MakeTuple { dst: read_reg(r)?, items: r.list(read_reg)? },
        8 => Instruction::GetItem { dst: read_reg(r)?, tuple: read_reg(r)?, index: r.u32()? },
        9 => Instruction::MakeShape { dst: read_reg(r)?, dims: r.list(read_dim)? },
        10 => Instruction::Move { dst: read_reg(r)?, src: read_reg(r)? },
        11 => Instruction::Match { value: read_reg(r)?, kind: read_kind(r, 0)? },
        12 => {
            let (dst, op) = (r.u32()?, r.u8()?);
            let Some(&op) = DIM_OPS.get(op as usize) else { return wrong(format!("size operation {op}")) };
            Instruction::ComputeDim { dst, op, lhs: read_dim(r)?, rhs: read_dim(r)? }
        }
        13 => Instruction::ReadDim { dst: r.u32()?, src: read_reg(r)? },
        14 => Instruction::Kill { reg: read_reg(r)? },
        15 => Instruction::If { cond: read_reg(r)?, otherwise: r.u32()? },
        16 => Instruction::Goto { target: r.u32()? },
        17 => Instruction::Ret { value: read_reg(r)? },
        tag => return wrong(format!("instruction {tag}")),
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
    w.list(&function.instructions, write_instruction);
}

pub(crate) fn read_function(r: &mut Reader<'_>) -> WireResult<Function> {
    Ok(Function {
        name: r.string()?,
        params: r.list(|r| Ok(Param { name: r.string()?, kind: read_kind(r, 0)? }))?,
        result: read_kind(r, 0)?,
        num_registers: r.u32()?,
        slots: r.list(Reader::string)?,
        arena_bytes: r.u64()?,
        instructions: r.list(read_instruction)?,
    })
}

pub(crate) fn write_kernel(w: &mut Writer, kernel: &Kernel) {
    w.u32(kernel.image);
    w.u32(kernel.export);
    w.list(&kernel.tensors, |w, access| w.u8(*access as u8));
    w.list(&kernel.scalars, |w, dtype| write_dtype(w, *dtype));
    w.u64(kernel.scratch_bytes);
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
    })
}
