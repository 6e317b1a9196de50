//! What a machine is, as far as a compiler has to know: its instruction set by features, its vectors, its caches, and
//! what things cost on it.
//!
//! Reading order: [`Target`] (a processor and perhaps a device), [`Machine`] (a processor, with its numbers:
//! [`Limits`], [`Core`], [`Plan`], [`Prefetch`], [`Estimate`], [`Tasks`]), [`Device`], [`Target::host`] (the machine
//! that we run on, by what its processor says it has), [`Target::parse`] (the field's target string), [`presets`]
//! (well-known processors as data).
//!
//! ```
//! use tilewright_target::Target;
//!
//! let haswell = Target::parse("llvm -mcpu=haswell").unwrap();
//! assert_eq!((haswell.vector_bits, haswell.has("fma")), (256, true));
//! let careful = Target::parse("llvm -mcpu=haswell -mattr=-fma").unwrap();
//! assert!(!careful.has("fma"));
//! ```
//!
//! Invariants: a target is a value; nothing here compiles, and only [`Target::host`] looks at the machine below. Ask a
//! target for a feature, a limit or a cost, never for its name. A number of a processor stands in a preset file, with
//! its source. Two are of no processor and stand in the code: the share of a last-level cache that a host with many
//! processors may count on (`host`), and the limits of a GPU that nobody described (`device`).

mod device;
mod gpus;
mod host;
mod machine;
mod numbers;
mod parse;
mod preset_file;
pub mod presets;

use std::fmt;
use std::ops::{Deref, DerefMut};

use tilewright_tensor::DeviceKind;

pub use device::{Device, DeviceLimits};
pub use gpus::GpuPreset;
pub use machine::{Arch, Machine};
pub use numbers::{Core, Estimate, Field, Gpu, Limits, Plan, Prefetch, Tasks, fields, gpu_fields};
pub use parse::{OptionValue, TargetError, TargetWords, split_host};

/// [`Limits::core_cache_bytes`] of every preset, for those who have no target to ask.
pub const NEAR_BYTES: u64 = 1 << 20;

/// The sort of machine that kernels run on, which decides their schedules, their lowering and the code generator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A processor, through LLVM.
    Cpu,
    /// Threads in blocks.
    Gpu,
}

/// A machine to compile for: a processor, and the device if kernels run on one.
///
/// It reads as its processor: `target.limits` are those of [`Target::host`](Target#structfield.host).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// The processor: what runs the program, and its kernels where there is no device.
    pub host: Machine,
    /// Where kernels run, if not on the processor.
    pub device: Option<Device>,
}

impl Deref for Target {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.host
    }
}

impl DerefMut for Target {
    fn deref_mut(&mut self) -> &mut Machine {
        &mut self.host
    }
}

impl Target {
    /// The machine that we run on.
    pub fn host() -> Self {
        Self { host: host::detect(), device: None }
    }

    /// Reads a target string: `llvm [-mtriple=T] [-mcpu=C] [-machine=M] [-mattr=+a,-b]`, with `-num-cores=N` as a
    /// limit.
    ///
    /// Without `-mcpu` and `-mtriple`, `llvm` is the host; `-mcpu` alone names a preset; with `-mtriple` the default
    /// is the architecture's baseline. `-machine` names the preset whose numbers are taken in place of those of
    /// `-mcpu`. A preset's name stands for `llvm -mcpu=` and that name. `cuda` is a device
    /// of the host. `ext_dev`, with the options of `llvm`, is the device of tests: kernels of that processor, and
    /// tensors in memory that the host cannot read.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        parse::parse(text)
    }

    /// The same device with the processor of another target. What runs on a processor alone stays as it is.
    pub fn with_host(self, around: &Self) -> Self {
        match self.device {
            Some(_) => Self { host: around.host.clone(), ..self },
            None => self,
        }
    }

    /// What kernels run on, and tensors lie on.
    pub fn device_kind(&self) -> DeviceKind {
        self.device.as_ref().map_or(DeviceKind::Cpu, |device| device.kind)
    }

    /// The limits and the numbers of the GPU on which kernels run, if it is one.
    pub fn gpu(&self) -> Option<(DeviceLimits, Gpu)> {
        let device = self.device.as_ref()?;
        Some((device.limits?, device.gpu?.numbers))
    }

    /// The sort of that machine.
    pub fn kind(&self) -> Kind {
        match self.device_kind() {
            // Kernels of the test device run on the processor.
            DeviceKind::Cpu | DeviceKind::ExtDev => Kind::Cpu,
            DeviceKind::Cuda | DeviceKind::Vulkan | DeviceKind::Metal | DeviceKind::WebGpu => Kind::Gpu,
        }
    }

    /// The word that the target string begins with.
    pub fn kind_name(&self) -> &'static str {
        match self.device_kind() {
            DeviceKind::Cpu => "llvm",
            device => device.name(),
        }
    }

    /// Whether the target compiles in this version; else the reason.
    pub fn check_supported(&self) -> Result<(), TargetError> {
        match self.device_kind() {
            DeviceKind::Cpu | DeviceKind::ExtDev | DeviceKind::Cuda => Ok(()),
            other => {
                let message = format!("the target \"{}\" is not built in this version: use \"cuda\"", other.name());
                Err(TargetError(message))
            }
        }
    }

    /// The target as generated code depends on it: for kernels of a processor, that without its device; for those of a
    /// GPU, one whose machine is the GPU.
    pub fn of_code(&self) -> Self {
        let Some(device) = self.device.as_ref().filter(|device| device.kind == DeviceKind::Cuda) else {
            return Self { host: self.host.clone(), device: None };
        };
        let mut host = self.host.clone();
        host.arch = Arch::Nvptx64;
        host.triple = host::triple(Arch::Nvptx64).to_owned();
        host.cpu = device.arch.clone().unwrap_or_else(|| device::LEAST_ARCH.to_owned());
        host.name = host.cpu.clone();
        host.features.clear();
        host.units.clear();
        host.fit_to_features();
        Self { host, device: Some(device.clone()) }
    }
}

/// The target string that parses back to a target with the same code. Of a target with a device it says the device: its
/// processor is the host's, or was given by itself.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.device {
            Some(device) => device::write(f, device, &self.host),
            None => self.host.fmt(f),
        }
    }
}
