//! The devices of values, and copies between devices.
//!
//! A program for another device than the host has its kernels and its tensors on that device, the first one, but for
//! those tensors whose struct info names the host. Functions of the process and of the runtime run on the host, and so
//! do kernels that call such functions: they get copies of what they read, and what they may have written is copied
//! back. A tensor is copied, too, where it stands for one on another device: as an argument, a result, or where the
//! program says so. After each copy to the host the program waits, unless nobody reads it.

use tilewright_ir::op::Touches;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, VDevice};
use tilewright_support::with_stack;
use tilewright_vm_program::{DeviceIndex, DeviceKind, Kind, Reg, Scalar};

use super::{Emitter, Result, Tables, refuse};
use crate::kernels::Entry;

/// The kinds of targets whose tensors lie in the memory of the processor.
const HOST: [&str; 3] = ["llvm", "c", "cpu"];

/// An argument of a function of the process or of the runtime.
#[derive(Clone, Copy)]
pub(super) struct Given {
    reg: Reg,
    /// Whether it may be a tensor, hold one, or lead to one.
    tensors: bool,
    /// Whether the function may have written to it.
    writable: bool,
}

impl Given {
    /// A tensor that the function only reads.
    pub(super) fn read(reg: Reg) -> Self {
        Self { reg, tensors: true, writable: false }
    }

    /// A value that is no tensor.
    pub(super) fn plain(reg: Reg) -> Self {
        Self { reg, tensors: false, writable: false }
    }
}

impl Tables<'_> {
    /// Which device of the program the annotation names.
    pub(super) fn index_of(&self, device: &VDevice) -> Option<DeviceIndex> {
        if HOST.contains(&device.kind()) {
            return Some(self.host);
        }
        let is_first = self.device != DeviceKind::Cpu && device.kind() == self.device.name() && device.id == 0;
        is_first.then_some(DeviceIndex::FIRST)
    }

    /// The devices of the program, in words.
    pub(super) fn devices(&self) -> String {
        match self.device {
            DeviceKind::Cpu => "one device, the processor".to_owned(),
            other => format!("{}, device 0, and the processor", other.name()),
        }
    }
}

impl Emitter<'_, '_> {
    /// Whether there is another device than the host.
    fn has_device(&self) -> bool {
        self.tables.host != DeviceIndex::FIRST
    }

    /// Where a tensor of this struct info lies.
    pub(super) fn device_of(&self, info: &StructInfo) -> Result<DeviceIndex> {
        let StructInfo::Tensor { vdevice: Some(device), .. } = info else { return Ok(DeviceIndex::FIRST) };
        match self.tables.index_of(device) {
            Some(index) => Ok(index),
            None => {
                refuse(format!("a tensor lies on {device}, and the program is compiled for {}", self.tables.devices()))
            }
        }
    }

    fn device(&self, reg: Reg) -> DeviceIndex {
        self.devices.get(&reg).copied().unwrap_or(DeviceIndex::FIRST)
    }

    pub(super) fn set_device(&mut self, reg: Reg, device: DeviceIndex) {
        match device {
            DeviceIndex::FIRST => self.devices.remove(&reg),
            device => self.devices.insert(reg, device),
        };
    }

    /// The register's value lies where its struct info says.
    pub(super) fn set_device_of(&mut self, reg: Reg, info: &StructInfo) -> Result<()> {
        let device = self.device_of(info)?;
        self.set_device(reg, device);
        Ok(())
    }

    /// The same for the result of a call.
    pub(super) fn set_device_of_result(&mut self, reg: Reg, results: &[StructInfo]) -> Result<()> {
        match results {
            [info] => self.set_device_of(reg, info),
            _ => Ok(()),
        }
    }

    /// The value on the device, ready to be read there.
    pub(super) fn moved_to(&mut self, reg: Reg, device: DeviceIndex) -> Reg {
        if self.device(reg) == device {
            return reg;
        }
        let copy = self.code.copy(reg, device);
        if device == self.tables.host {
            self.code.sync();
        }
        self.set_device(copy, device);
        copy
    }

    /// The value where its struct info says.
    pub(super) fn moved_as(&mut self, reg: Reg, info: &StructInfo) -> Result<Reg> {
        let device = self.device_of(info)?;
        Ok(self.moved_to(reg, device))
    }

    /// What a value has to be, where the register has it.
    pub(crate) fn kind_on_device_of(&self, kind: Kind, reg: Reg) -> Kind {
        match kind {
            Kind::Tensor { dtype, dims, .. } => Kind::Tensor { dtype, dims, device: self.device(reg) },
            other => other,
        }
    }

    /// The arguments of a function of the module, where its parameters say.
    pub(super) fn arguments_of(&mut self, function: &Expr, args: &[Expr]) -> Result<Vec<Reg>> {
        let mut regs = self.values(args)?;
        if self.has_device() {
            let params = match &function.struct_info {
                StructInfo::Func { params: Some(params), .. } => params.as_slice(),
                _ => &[],
            };
            for (at, reg) in regs.iter_mut().enumerate() {
                *reg = self.moved_as(*reg, params.get(at).unwrap_or(&StructInfo::Object))?;
            }
        }
        Ok(regs)
    }

    /// The condition as the host reads it.
    pub(super) fn condition(&mut self, condition: &Expr) -> Result<Reg> {
        let reg = self.value(condition)?;
        let is_scalar = matches!(condition.struct_info, StructInfo::Prim { .. });
        Ok(if is_scalar { reg } else { self.moved_to(reg, self.tables.host) })
    }

    /// Calls a kernel. Tensors that lie elsewhere are copied to its device, and back if it writes them.
    pub(crate) fn call_on_device(&mut self, entry: &Entry, tensors: &[Reg], scalars: &[Scalar]) {
        let copies: Vec<Reg> = tensors
            .iter()
            .map(|&reg| if self.device(reg) == entry.device { reg } else { self.code.copy(reg, entry.device) })
            .collect();
        if copies == tensors {
            return self.code.call_kernel(entry.kernel, tensors, scalars);
        }
        if entry.device == self.tables.host {
            self.code.sync();
        }
        self.code.call_kernel(entry.kernel, &copies, scalars);
        let mut to_host = false;
        let both = tensors.iter().zip(&copies).zip(&entry.interface.tensors).filter(|((reg, copy), _)| reg != copy);
        for ((&reg, &copy), tensor) in both {
            if tensor.written {
                self.code.copy_to(reg, copy);
                to_host |= self.device(reg) == self.tables.host;
            }
            self.code.kill(copy);
        }
        if to_host {
            self.code.sync();
        }
    }

    /// The values of arguments for [`Emitter::call_on_host`].
    pub(super) fn given(&mut self, args: &[Expr]) -> Result<Vec<Given>> {
        let one = |emitter: &mut Self, arg: &Expr| {
            let reg = emitter.value(arg)?;
            let tensors = leads_to_tensors(&arg.struct_info);
            Ok(Given { reg, tensors, writable: !matches!(arg.kind, ExprKind::Constant(_)) })
        };
        args.iter().map(|arg| one(self, arg)).collect()
    }

    /// Calls a function of the process or of the runtime. Its result may lie anywhere.
    pub(super) fn call_on_host(&mut self, name: u32, args: &[Given], touches: Touches) -> Reg {
        let plain: Vec<Reg> = args.iter().map(|arg| arg.reg).collect();
        if !self.has_device() || touches == Touches::Nothing || !args.iter().any(|arg| arg.tensors) {
            return self.code.call_packed(name, &plain);
        }
        let mut copies: Vec<(Given, Reg)> = Vec::new();
        for arg in args.iter().filter(|arg| arg.tensors) {
            if !copies.iter().any(|(known, _)| known.reg == arg.reg) {
                copies.push((*arg, self.code.copy(arg.reg, self.tables.host)));
            }
        }
        // The function may call back: what the program asked its device for is done then.
        self.code.sync();
        let copy_of = |reg: Reg| copies.iter().find(|(arg, _)| arg.reg == reg).map_or(reg, |(_, copy)| *copy);
        let given: Vec<Reg> = plain.into_iter().map(copy_of).collect();
        let result = self.code.call_packed(name, &given);
        for (arg, copy) in copies {
            if touches == Touches::Writes && arg.writable {
                self.code.copy_to(arg.reg, copy);
            }
            self.code.kill(copy);
        }
        result
    }

    /// The result of [`Emitter::call_on_host`], where the caller says that it lies.
    pub(super) fn result_to_device(&mut self, reg: Reg, results: &[StructInfo]) -> Result<Reg> {
        let needless = !results.is_empty() && !results.iter().any(leads_to_tensors);
        if !self.has_device() || needless {
            return Ok(reg);
        }
        let device = match results {
            [info] => self.device_of(info)?,
            _ => DeviceIndex::FIRST,
        };
        let copy = self.code.copy(reg, device);
        if device == self.tables.host {
            self.code.sync();
        }
        self.set_device(copy, device);
        Ok(copy)
    }
}

/// Whether a value of this struct info may be a tensor, hold one, or lead to one.
fn leads_to_tensors(info: &StructInfo) -> bool {
    match info {
        StructInfo::Prim { .. } | StructInfo::Shape(_) => false,
        StructInfo::Object | StructInfo::Tensor { .. } | StructInfo::Func { .. } => true,
        StructInfo::Tuple(fields) => with_stack(|| fields.iter().any(leads_to_tensors)),
    }
}
