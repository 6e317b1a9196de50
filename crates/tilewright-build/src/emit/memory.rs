//! Storage and allocation. Storage becomes the function's arena: pieces are contiguous, of the sizes that the planner
//! chose.

use tilewright_ir::op::{Legalize, MachineOp};
use tilewright_ir::relax::{Callee, Expr, ExprKind, StructInfo};
use tilewright_ir::{Attr, Attrs};
use tilewright_tensor::DataType;
use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_vm_program::{DeviceIndex, Dim, DimPattern, Kind, Reg, Storage};

use super::{Emitter, Result, refuse};

/// A storage as a range of the arena.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    offset: u64,
    bytes: u64,
}

impl Emitter<'_, '_> {
    /// The piece of the arena that the expression reserves, if it is such an expression.
    pub(super) fn storage(&mut self, value: &Expr) -> Result<Option<Piece>> {
        match &value.kind {
            ExprKind::Var(var) => Ok(self.scope.storages.get(var).copied()),
            ExprKind::Call { callee: Callee::Op(op), attrs, .. }
                if matches!(op.legalize, Legalize::Machine(MachineOp::AllocStorage)) =>
            {
                let Some(bytes) = attrs.get("bytes").and_then(Attr::as_int).and_then(|b| u64::try_from(b).ok()) else {
                    return refuse("a storage needs a size of at least 0 bytes");
                };
                let offset = self.arena_bytes;
                let end = bytes.checked_next_multiple_of(TENSOR_ALIGN as u64).and_then(|b| offset.checked_add(b));
                let Some(end) = end else { return refuse("the storage of this function exceeds the address space") };
                self.arena_bytes = end;
                Ok(Some(Piece { offset, bytes }))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn machine_op(&mut self, op: MachineOp, args: &[Expr], attrs: &Attrs, info: &StructInfo) -> Result<Reg> {
        let dtype = || match attrs.get("dtype") {
            Some(Attr::DType(dtype)) => Ok(*dtype),
            _ => refuse("a tensor can only be allocated with a data type"),
        };
        match op {
            MachineOp::AllocTensor => {
                let shape = self.shape_argument(args.first())?;
                self.allocated(dtype()?, &shape, Storage::Fresh, info)
            }
            MachineOp::TensorInStorage => {
                let piece = match args.first() {
                    Some(storage) => self.storage(storage)?,
                    None => None,
                };
                let Some(piece) = piece else { return refuse("a planned tensor needs a storage of this function") };
                let offset = attrs.get("offset").and_then(Attr::as_int).unwrap_or(0);
                let inside = u64::try_from(offset).ok().filter(|&o| o <= piece.bytes);
                let Some(inside) = inside else { return refuse(format!("byte {offset} lies outside its storage")) };
                let shape = self.shape_argument(args.get(1))?;
                let dtype = dtype()?;
                let kept = attrs.get("bytes").and_then(Attr::as_int).filter(|kept| *kept != 0);
                let kept = kept.map_or_else(|| constant_bytes(&shape, dtype), |kept| u64::try_from(kept).ok());
                let Some(bytes) = kept.filter(|bytes| *bytes <= piece.bytes - inside) else {
                    return refuse("a planned tensor has a known size and fits into its storage");
                };
                let storage = Storage::Arena { offset: piece.offset + inside, bytes };
                self.allocated(dtype, &shape, storage, info)
            }
            MachineOp::AllocStorage => refuse("a storage must be bound to a variable"),
            MachineOp::Same | MachineOp::Closure | MachineOp::CallPrimFunc | MachineOp::Builtin(_) => {
                refuse(format!("{op:?} is no operator of memory"))
            }
            MachineOp::Kill => {
                self.kill(args.first());
                Ok(self.code.make_tuple(&[]))
            }
        }
    }

    /// A new tensor. The arena is on the first device: a tensor of another one has memory of its own.
    fn allocated(&mut self, dtype: DataType, shape: &[Dim], storage: Storage, info: &StructInfo) -> Result<Reg> {
        let place = self.device_of(info)?;
        let storage = if place == DeviceIndex::FIRST { storage } else { Storage::Fresh };
        let reg = self.code.alloc_on(place, dtype, shape, storage);
        self.set_device(reg, place);
        Ok(reg)
    }

    /// The variable has no value any more; the register is given up with its last variable.
    pub(super) fn kill(&mut self, value: Option<&Expr>) {
        let Some(var) = value.and_then(Expr::as_var) else { return };
        let Some(reg) = self.scope.registers.remove(var) else { return };
        let shares = self.scope.shares.entry(reg).or_default();
        *shares = shares.saturating_sub(1);
        if *shares == 0 {
            self.code.kill(reg);
        }
    }

    /// The dimensions of a shape; where only the run knows them, they are read from the value.
    fn shape_argument(&mut self, arg: Option<&Expr>) -> Result<Vec<Dim>> {
        let Some(arg) = arg else { return refuse("a tensor can only be allocated with a shape") };
        if let Some(dims) = arg.struct_info.dims() {
            return self.shape(dims);
        }
        let Some(rank) = arg.struct_info.rank() else {
            return refuse("a tensor can only be allocated with a shape of known rank");
        };
        let shape = self.value(arg)?;
        let slots: Vec<u32> = (0..rank).map(|_| self.code.slot("size")).collect();
        let dims = slots.iter().map(|slot| DimPattern::Slot(*slot)).collect();
        self.code.match_kind(shape, Kind::Shape { dims: Some(dims) }, "the shape of a new tensor");
        Ok(slots.into_iter().map(Dim::Slot).collect())
    }
}

/// The bytes of a tensor, if its shape is constant and its size representable.
fn constant_bytes(shape: &[Dim], dtype: DataType) -> Option<u64> {
    shape.iter().try_fold(dtype.bytes() as u64, |bytes, dim| match dim {
        Dim::Const(size) => bytes.checked_mul(u64::try_from(*size).ok()?),
        Dim::Slot(_) => None,
    })
}
