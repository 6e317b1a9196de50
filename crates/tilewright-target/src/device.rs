//! Devices of a target.

use std::fmt;

use tilewright_tensor::DeviceKind;
use tilewright_tensor::abi::CUDA_MAX_GRID;

use crate::gpus::{self, GpuPreset};
use crate::{Machine, TargetError};

/// The generation of NVIDIA's GPUs that kernels are for where none is said. Their code is text that later generations
/// take too.
pub(crate) const LEAST_ARCH: &str = "sm_80";

/// A device on which kernels run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Device {
    pub kind: DeviceKind,
    /// The generation of the device by its maker's name, such as `sm_80`, where it was said.
    pub arch: Option<String>,
    /// The limits of a GPU; none for the test device, whose kernels are those of the processor.
    pub limits: Option<DeviceLimits>,
    /// What is assumed of that GPU beyond them.
    pub gpu: Option<&'static GpuPreset>,
}

/// The limits of a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeviceLimits {
    /// Threads of a block at most.
    pub max_threads_per_block: u32,
    /// Bytes of shared memory that a block may have.
    pub shared_memory_bytes: u32,
    /// Threads that execute together.
    pub warp_size: u32,
    /// 32-bit registers of a block.
    pub registers_per_block: u32,
    /// Blocks of a launch at most, by axis: x, y, z.
    pub max_grid: [u32; 3],
}

impl DeviceLimits {
    /// What every CUDA device since compute capability 5.0 has: NVIDIA, CUDA C++ Programming Guide, technical
    /// specifications by compute capability.
    pub const CUDA: Self = Self {
        max_threads_per_block: 1024,
        shared_memory_bytes: 48 << 10,
        warp_size: 32,
        registers_per_block: 1 << 16,
        max_grid: CUDA_MAX_GRID,
    };
}

impl Device {
    /// An NVIDIA GPU by the options of its target string.
    pub(crate) fn cuda(options: &[(&str, &str)]) -> Result<Self, TargetError> {
        let mut limits = DeviceLimits::CUDA;
        let (mut arch, mut machine) = (None, None);
        for &(option, value) in options {
            let number = |max: u32, what: &str| {
                let number = value.parse().ok().filter(|number| (1..=max).contains(number));
                number.ok_or_else(|| TargetError(format!("expected from 1 to {max} {what}, found \"{value}\"")))
            };
            match option {
                "max_threads_per_block" | "max_num_threads" => {
                    limits.max_threads_per_block = number(DeviceLimits::CUDA.max_threads_per_block, "threads")?;
                }
                "max_shared_memory_per_block" => {
                    limits.shared_memory_bytes = number(u32::MAX, "bytes of shared memory")?;
                }
                "registers_per_block" => limits.registers_per_block = number(u32::MAX, "registers")?,
                "thread_warp_size" => limits.warp_size = number(u32::MAX, "threads of a warp")?,
                "arch" => arch = Some(generation(value)?),
                "machine" => machine = Some(gpus::named(value)?),
                // Words for people and other compilers.
                "libs" | "keys" | "device" => {}
                other => return Err(TargetError(format!("unknown option -{other} of \"cuda\""))),
            }
        }
        let gpu = machine.unwrap_or_else(|| gpus::of_arch(arch.as_deref()));
        Ok(Self { kind: DeviceKind::Cuda, arch, limits: Some(limits), gpu: Some(gpu) })
    }
}

/// A generation such as `sm_90a`: `compute_` in place of `sm_` means the same.
fn generation(text: &str) -> Result<String, TargetError> {
    let number = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"));
    let plain = number.map(|number| number.trim_end_matches(['a', 'f']));
    let known = plain.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| (50..1000).contains(&number));
    match number.filter(|_| known) {
        Some(number) => Ok(format!("sm_{number}")),
        None => Err(TargetError(format!("expected a generation such as sm_80 in -arch, found \"{text}\""))),
    }
}

/// Writes the target string that parses back to the device with this processor.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, device: &Device, host: &Machine) -> fmt::Result {
    f.write_str(device.kind.name())?;
    if let Some(arch) = &device.arch {
        write!(f, " -arch={arch}")?;
    }
    if let Some(gpu) = device.gpu.filter(|gpu| gpu.name != gpus::of_arch(device.arch.as_deref()).name) {
        write!(f, " -machine={}", gpu.name)?;
    }
    let Some(own) = &device.limits else {
        let host = host.to_string();
        return f.write_str(host.strip_prefix("llvm").unwrap_or_default());
    };
    let usual = &DeviceLimits::CUDA;
    for (name, value, usual) in [
        ("max_threads_per_block", own.max_threads_per_block, usual.max_threads_per_block),
        ("max_shared_memory_per_block", own.shared_memory_bytes, usual.shared_memory_bytes),
        ("registers_per_block", own.registers_per_block, usual.registers_per_block),
        ("thread_warp_size", own.warp_size, usual.warp_size),
    ] {
        if value != usual {
            write!(f, " -{name}={value}")?;
        }
    }
    Ok(())
}
