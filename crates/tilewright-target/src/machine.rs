//! The processor of a target.

use std::collections::BTreeSet;
use std::fmt;

use crate::numbers::{Core, Estimate, Limits, Numbers, Plan, Prefetch, Tasks};
use crate::presets;

/// An instruction set that LLVM writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arch {
    X86_64,
    AArch64,
    /// NVIDIA's PTX, of a device's kernels; never that of a host.
    Nvptx64,
}

/// A processor: the instructions that kernels may use, how much it has, and what things cost on it.
///
/// Features and [`Limits`] are those of one target: options take extensions away, the system tells the sizes of the
/// host's caches. All other numbers are those of the preset that [`Machine::name`] names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    pub arch: Arch,
    /// LLVM's name of machine, system and object format.
    pub triple: String,
    /// LLVM's name of the processor whose instruction timings are assumed. It grants no instruction by itself:
    /// [`Machine::features`] does.
    pub cpu: String,
    /// The preset whose numbers these are.
    pub name: String,
    /// The instruction set extensions that kernels may use, by LLVM's names.
    pub features: BTreeSet<String>,
    /// Matrix units (AMX) by LLVM's names, whose registers a process has to ask the system for: only executables whose
    /// kernels use one need it as a feature. `-mattr=-amx-tile` leaves them out.
    pub units: BTreeSet<String>,
    /// Width of the vectors that kernels should use.
    pub vector_bits: u32,
    pub limits: Limits,
    pub core: Core,
    pub plan: Plan,
    pub prefetch: Prefetch,
    pub estimate: Estimate,
    pub tasks: Tasks,
}

impl Machine {
    /// Whether kernels may use the extension.
    pub fn has(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }

    /// Whether kernels may use the matrix unit.
    pub fn has_unit(&self, unit: &str) -> bool {
        self.units.contains(unit) || self.has(unit)
    }

    /// What a processor must have to run code for this target: written into the executable.
    pub fn required_features(&self) -> Vec<String> {
        self.features.iter().cloned().collect()
    }

    /// Whether a product and a sum are one instruction that rounds once.
    pub fn has_fused_products(&self) -> bool {
        match self.arch {
            Arch::X86_64 => self.has("fma"),
            Arch::AArch64 | Arch::Nvptx64 => true,
        }
    }

    /// Lanes of a vector register for elements of so many bits, at least 1.
    pub fn lanes(&self, element_bits: u32) -> u32 {
        (self.vector_bits / element_bits.max(1)).max(1)
    }

    /// The width of the narrowest vectors whose arithmetic is as fast for each element as that of the widest ones that
    /// kernels use.
    pub fn full_rate_bits(&self) -> u32 {
        self.vector_bits.min(self.core.vector_pipe_bits)
    }

    /// Whether the dot product of pairs of bfloat16 is faster than as many fused multiply-adds of float32.
    pub fn has_fast_bf16_dots(&self) -> bool {
        self.has("avx512bf16") && self.core.bf16_dot_rate > 1.0
    }

    /// Whether one instruction reads a vector of elements that may lie anywhere faster than loads of single ones do.
    pub fn has_fast_gathers(&self) -> bool {
        self.has("avx512f") && self.core.gather_rate > 1.0
    }

    /// Whether a memory-bound loop prefetches streamed data to L1 rather than to L2.
    pub fn reads_once_into_first_level(&self) -> bool {
        self.core.stream_prefetch_level == 1
    }

    /// The values of all numbers, in the order of [`crate::fields`].
    pub fn number_values(&self) -> Vec<f64> {
        let &Self { limits, core, plan, prefetch, estimate, tasks, .. } = self;
        Numbers { limits, core, plan, prefetch, estimate, tasks }.values()
    }

    /// LLVM's name of the architecture's least processor: its instructions are always there, all others are
    /// [`Machine::features`].
    pub fn baseline_cpu(&self) -> &str {
        match self.arch {
            Arch::X86_64 => "x86-64",
            Arch::AArch64 => "generic",
            Arch::Nvptx64 => &self.cpu,
        }
    }

    /// The features as LLVM takes them, `+a,+b`.
    pub fn llvm_features(&self) -> String {
        let features: Vec<String> = self.features.iter().map(|name| format!("+{name}")).collect();
        features.join(",")
    }

    /// Gives vectors and registers the sizes that the instruction set has.
    pub(crate) fn fit_to_features(&mut self) {
        (self.vector_bits, self.limits.vector_registers) = match self.arch {
            Arch::X86_64 if self.has("avx512f") && self.has("avx512vl") => (512, 32),
            Arch::X86_64 => {
                let bits = if self.has("avx") { 256 } else { 128 };
                (bits, if self.has("avx512f") { 32 } else { 16 })
            }
            Arch::AArch64 => (128, 32),
            // The widest load of a thread.
            Arch::Nvptx64 => (128, 255),
        };
    }

    /// Takes the numbers of another processor's preset.
    pub(crate) fn take_numbers(&mut self, preset: &presets::Preset) {
        let numbers = preset.numbers;
        self.name = preset.name.to_owned();
        (self.limits, self.core, self.plan) = (numbers.limits, numbers.core, numbers.plan);
        (self.prefetch, self.estimate, self.tasks) = (numbers.prefetch, numbers.estimate, numbers.tasks);
        self.fit_to_features();
    }
}

/// The target string that parses back to a machine with the same code.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "llvm -mtriple={} -mcpu={}", self.triple, self.cpu)?;
        if self.name != self.cpu {
            write!(f, " -machine={}", self.name)?;
        }
        let base = presets::find(self.arch, &self.cpu);
        let base = base.map(|preset| preset.features.union(&preset.units).cloned().collect()).unwrap_or_default();
        let own: BTreeSet<String> = self.features.union(&self.units).cloned().collect();
        let added = own.difference(&base).map(|name| format!("+{name}"));
        let removed = base.difference(&own).map(|name| format!("-{name}"));
        let changes: Vec<String> = added.chain(removed).collect();
        if changes.is_empty() { Ok(()) } else { write!(f, " -mattr={}", changes.join(",")) }
    }
}
