//! What a PrimFunc returns: its kernel stores it into tensors, which are read as a value.

use tilewright_ir::op::{Builtin, Touches};
use tilewright_tensor::DataType;
use tilewright_vm_program::{Dim, Literal, Reg, Storage};

use super::Emitter;
use super::device::Given;
use crate::kernels::Entry;

impl Emitter<'_, '_> {
    /// The tensors that the kernel takes after its function's own: one for the value, and one for whether there is one.
    pub(crate) fn returned_tensors(&mut self, entry: &Entry) -> Vec<Reg> {
        let Some(returned) = entry.returned else { return Vec::new() };
        let mut alloc = |dtype, shape: &[Dim]| {
            let reg = self.code.alloc_on(entry.device, dtype, shape, Storage::Fresh);
            self.set_device(reg, entry.device);
            reg
        };
        let mut regs = vec![alloc(returned.dtype, &[Dim::Const(1)])];
        if returned.maybe {
            regs.push(alloc(DataType::BOOL, &[]));
        }
        regs
    }

    /// The value that these tensors hold after the call: a scalar, or `None`.
    pub(crate) fn returned_value(&mut self, tensors: &[Reg]) -> Option<Reg> {
        match *tensors {
            [value] => Some(self.item(value)),
            [value, has_value] => {
                let condition = self.moved_to(has_value, self.tables.host);
                let dst = self.code.register();
                let to_none = self.code.branch(condition);
                let item = self.item(value);
                self.code.move_to(dst, item);
                let to_end = self.code.goto();
                self.code.land(to_none);
                let none = self.code.load_literal(Literal::None);
                self.code.move_to(dst, none);
                self.code.land(to_end);
                Some(dst)
            }
            _ => None,
        }
    }

    fn item(&mut self, tensor: Reg) -> Reg {
        let name = self.tables.program.packed(Builtin::Item.name());
        self.call_on_host(name, &[Given::read(tensor)], Touches::Reads)
    }
}
