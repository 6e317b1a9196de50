//! For the verifier: on which device the tensors of each register lie, and which may still be on their way from one.

use tilewright_tensor::DeviceKind;

use crate::program::{DeviceIndex, Function, Instruction, Kernel, Program, Reg};
use crate::signature::Kind;
use crate::uses::{Use, each_register};
use crate::verify::Check;

/// Where a register's tensors lie.
#[derive(Clone, Copy, Default)]
struct Location {
    /// None where that is not known, or differs.
    device: Option<DeviceIndex>,
    /// Whether they may still be on their way there.
    in_flight: bool,
}

/// The locations of all registers of a function at a point of a path.
#[derive(Clone)]
pub(crate) struct Locations(Vec<Location>);

impl Locations {
    /// What the parameters' kinds say.
    pub(crate) fn on_entry(function: &Function) -> Self {
        let mut locations = vec![Location::default(); function.num_registers as usize];
        for (param, location) in function.params.iter().zip(&mut locations) {
            location.device = device_of(&param.kind);
        }
        Self(locations)
    }

    /// What is known where two paths meet.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            let device = mine.device.filter(|device| theirs.device == Some(*device));
            *mine = Location { device, in_flight: mine.in_flight || theirs.in_flight };
        }
    }

    pub(crate) fn device(&self, reg: Reg) -> Option<DeviceIndex> {
        self.0[reg.0 as usize].device
    }

    /// What the instruction reads has arrived. A value on its way may be moved and dropped.
    pub(crate) fn arrived(&self, instruction: &Instruction) -> Check {
        if matches!(instruction, Instruction::Move { .. } | Instruction::Kill { .. }) {
            return Ok(());
        }
        each_register(instruction, &mut |reg, use_| match use_ {
            Use::Read if self.0[reg.0 as usize].in_flight => {
                Err(format!("register {} is on its way from a device and is read before a sync", reg.0))
            }
            Use::Read | Use::Write => Ok(()),
        })
    }

    /// The kernel's tensors lie on its device, as far as they are known to lie on one.
    pub(crate) fn are_on_device(&self, program: &Program, kernel: &Kernel, tensors: &[Reg]) -> Check {
        for reg in tensors {
            if let Some(location) = self.device(*reg).filter(|location| *location != kernel.device) {
                let (name, here, there) = (program.kernel_name(kernel), kernel.device.0, location.0);
                let register = reg.0;
                return Err(format!(
                    "kernel \"{name}\" of device {here} is given register {register}, which lies on device {there}"
                ));
            }
        }
        Ok(())
    }

    /// The facts after the instruction.
    pub(crate) fn step(&mut self, program: &Program, instruction: &Instruction) -> Check {
        let written = match instruction {
            Instruction::AllocTensor { device, .. } | Instruction::LoadConst { device, .. } => {
                Location { device: Some(*device), in_flight: false }
            }
            Instruction::Move { src, .. } => self.0[src.0 as usize],
            Instruction::Copy { src, device, .. } => Location {
                device: Some(*device),
                in_flight: is_host(program, *device) && !self.is_on_host(program, *src),
            },
            _ => Location::default(),
        };
        each_register(instruction, &mut |reg, use_| {
            if use_ == Use::Write {
                self.0[reg.0 as usize] = written;
            }
            Ok(())
        })?;
        match instruction {
            Instruction::Sync => self.0.iter_mut().for_each(|location| location.in_flight = false),
            Instruction::Match { value, kind, .. } => {
                if let Some(device) = device_of(kind) {
                    self.0[value.0 as usize].device = Some(device);
                }
            }
            Instruction::CopyTo { target, src } => {
                let to_host = self.device(*target).is_none_or(|device| is_host(program, device));
                self.0[target.0 as usize].in_flight |= to_host && !self.is_on_host(program, *src);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the register's tensors certainly lie on the host.
    fn is_on_host(&self, program: &Program, reg: Reg) -> bool {
        self.device(reg).is_some_and(|device| is_host(program, device))
    }
}

fn is_host(program: &Program, device: DeviceIndex) -> bool {
    program.devices.get(device.0 as usize) == Some(&DeviceKind::Cpu)
}

/// Where a value of the kind lies, if it is a tensor.
fn device_of(kind: &Kind) -> Option<DeviceIndex> {
    match kind {
        Kind::Tensor { device, .. } => Some(*device),
        _ => None,
    }
}
