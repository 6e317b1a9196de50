//! What an instruction reads and writes: its registers and its slots.

use crate::program::{Dim, Instruction, Reg, Scalar};
use crate::verify::Check;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
}

pub(crate) type Visit<'a, T> = &'a mut dyn FnMut(T, Use) -> Check;

/// Calls `visit` with the registers that the instruction reads, then with the one that it writes (or kills).
pub(crate) fn each_register(instruction: &Instruction, visit: Visit<'_, Reg>) -> Check {
    let mut read = |regs: &[Reg]| regs.iter().try_for_each(|&reg| visit(reg, Use::Read));
    let written = match instruction {
        Instruction::CallKernel { tensors, scalars, .. } => {
            read(tensors)?;
            for scalar in scalars {
                if let Scalar::Reg(reg) = scalar {
                    read(&[*reg])?;
                }
            }
            None
        }
        Instruction::CallPacked { dst, args, .. } => {
            read(args)?;
            *dst
        }
        Instruction::CallFunction { dst, args, .. } => {
            read(args)?;
            Some(*dst)
        }
        Instruction::CallClosure { dst, callee, args } => {
            read(&[*callee])?;
            read(args)?;
            Some(*dst)
        }
        Instruction::MakeTuple { dst, items } | Instruction::MakeClosure { dst, captured: items, .. } => {
            read(items)?;
            Some(*dst)
        }
        Instruction::CopyTo { target, src } => {
            read(&[*target, *src])?;
            None
        }
        Instruction::GetItem { dst, tuple: src, .. }
        | Instruction::Move { dst, src }
        | Instruction::Copy { dst, src, .. } => {
            read(&[*src])?;
            Some(*dst)
        }
        Instruction::AllocTensor { dst, .. }
        | Instruction::LoadConst { dst, .. }
        | Instruction::LoadLiteral { dst, .. }
        | Instruction::LoadPacked { dst, .. }
        | Instruction::MakeScalar { dst, .. }
        | Instruction::MakeShape { dst, .. } => Some(*dst),
        Instruction::Match { value: src, .. } | Instruction::If { cond: src, .. } | Instruction::Ret { value: src } => {
            read(&[*src])?;
            None
        }
        Instruction::Kill { reg } => Some(*reg),
        Instruction::Compute { .. } | Instruction::Goto { .. } | Instruction::Sync => None,
    };
    written.map_or(Ok(()), |reg| visit(reg, Use::Write))
}

/// Calls `visit` with the slots that the instruction reads, then with those that have a value afterwards.
pub(crate) fn each_slot(instruction: &Instruction, visit: Visit<'_, u32>) -> Check {
    let mut read = |dim: &Dim| match *dim {
        Dim::Slot(slot) => visit(slot, Use::Read),
        Dim::Const(_) => Ok(()),
    };
    match instruction {
        Instruction::CallKernel { scalars, .. } => scalars.iter().try_for_each(|scalar| match scalar {
            Scalar::Dim(dim) => read(dim),
            Scalar::Reg(_) => Ok(()),
        }),
        Instruction::AllocTensor { shape: dims, .. } | Instruction::MakeShape { dims, .. } => {
            dims.iter().try_for_each(read)
        }
        Instruction::Compute { dst, args, .. } => {
            args.iter().try_for_each(read)?;
            visit(*dst, Use::Write)
        }
        Instruction::MakeScalar { value, .. } => read(value),
        Instruction::Match { kind, .. } => {
            let mut outcome = Ok(());
            kind.for_each_slot(&mut |slot| {
                if outcome.is_ok() {
                    outcome = visit(slot, Use::Write);
                }
            });
            outcome
        }
        Instruction::CallPacked { .. }
        | Instruction::CallFunction { .. }
        | Instruction::CallClosure { .. }
        | Instruction::MakeClosure { .. }
        | Instruction::LoadPacked { .. }
        | Instruction::LoadConst { .. }
        | Instruction::LoadLiteral { .. }
        | Instruction::MakeTuple { .. }
        | Instruction::GetItem { .. }
        | Instruction::Move { .. }
        | Instruction::Copy { .. }
        | Instruction::CopyTo { .. }
        | Instruction::Sync
        | Instruction::Kill { .. }
        | Instruction::If { .. }
        | Instruction::Goto { .. }
        | Instruction::Ret { .. } => Ok(()),
    }
}
