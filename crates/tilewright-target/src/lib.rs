//! What a machine is, as far as a compiler has to know: its instruction set by features, its vectors, its caches.
//!
//! Reading order: [`Target`], [`Target::host`] (the machine that we run on, by what its processor says it has),
//! [`Target::parse`] (the field's target string), [`presets`] (well-known machines as data).
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
//! target for a feature or a limit, never for its name.

mod host;
mod parse;
pub mod presets;

use std::collections::BTreeSet;
use std::fmt;

pub use parse::{OptionValue, TargetError, TargetWords};

/// The sort of machine, which decides the code generator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A CPU, through LLVM.
    Cpu,
    /// An NVIDIA GPU: known, but not built in this version.
    Cuda,
}

impl Kind {
    /// The word that target strings begin with.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "llvm",
            Self::Cuda => "cuda",
        }
    }
}

/// The instruction set of a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arch {
    X86_64,
    AArch64,
}

/// Bytes that the caches of a core hold of what was used last, on any machine: second-level caches have one or two megabytes,
/// or a larger cache behind them. It is for those who have no target to ask, too.
pub const NEAR_BYTES: u64 = 1 << 20;

/// Bytes behind which addresses meet the same places of these caches, which hold a line for each of their ways there: eight of
/// Zen 4's megabyte, sixteen of the two megabytes of Sapphire Rapids.
pub const NEAR_WAY_BYTES: u64 = 1 << 17;

/// Sizes that schedules are chosen by. They shape the code but never its meaning.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Vector registers that a kernel may use.
    pub vector_registers: u32,
    /// First-level data cache of a core, in bytes.
    pub l1_bytes: u64,
    /// Second-level cache of a core, in bytes.
    pub l2_bytes: u64,
    /// Last-level cache, in bytes: what the cores of this machine may count on.
    pub l3_bytes: u64,
    /// Cores that share the work; task boundaries never depend on it.
    pub cores: u32,
    /// Threads that a block of a GPU may have; 0 where there are no blocks of threads.
    pub max_threads_per_block: u32,
}

impl Limits {
    /// Bytes of tensors that fill the last-level cache, an eighth of which is left to what else is used: larger results are
    /// written past it.
    pub fn filling_bytes(&self) -> u64 {
        let cache = self.l3_bytes.max(NEAR_BYTES);
        cache - cache / 8
    }
}

/// A machine to compile for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    pub kind: Kind,
    pub arch: Arch,
    /// LLVM's name of machine, system and object format.
    pub triple: String,
    /// LLVM's name of the processor whose instruction timings are assumed. It grants no instruction by itself:
    /// [`Target::features`] does.
    pub cpu: String,
    /// The instruction set extensions that kernels may use, by LLVM's names.
    pub features: BTreeSet<String>,
    /// Width of the vectors that kernels should use.
    pub vector_bits: u32,
    pub limits: Limits,
}

impl Target {
    /// The machine that we run on.
    pub fn host() -> Self {
        host::detect()
    }

    /// Reads a target string: `llvm [-mtriple=T] [-mcpu=C] [-mattr=+a,-b]`, with `-num-cores=N` as a limit.
    ///
    /// Without `-mcpu` and `-mtriple`, `llvm` is the host; `-mcpu` alone names a preset; with `-mtriple` the default
    /// is the architecture's baseline. A preset's name stands for `llvm -mcpu=` and that name.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        parse::parse(text)
    }

    /// Whether kernels may use the extension.
    pub fn has(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }

    /// What a processor must have to run code for this target: written into the executable.
    pub fn required_features(&self) -> Vec<String> {
        self.features.iter().cloned().collect()
    }

    /// Lanes of a vector register for elements of so many bits, at least 1.
    pub fn lanes(&self, element_bits: u32) -> u32 {
        (self.vector_bits / element_bits.max(1)).max(1)
    }

    /// The width of the narrowest vectors whose arithmetic is as fast for each element as that of the widest ones. Zen 4
    /// computes a vector of 512 bits as two halves.
    pub fn full_rate_bits(&self) -> u32 {
        let in_halves = self.vector_bits == 512 && self.is_zen4();
        if in_halves { 256 } else { self.vector_bits }
    }

    /// Whether the dot product of pairs of bfloat16 is taken to be faster than as many fused multiply-adds of float32. It is
    /// on processors of AMD up to Zen 5; those of Intel begin one of 512 bits in two cycles, in which they do four
    /// multiply-adds of half as many products each.
    pub fn has_fast_bf16_dots(&self) -> bool {
        self.is_zen_with_avx512()
    }

    /// Whether one instruction reads a vector of elements that may lie anywhere faster than loads of single ones do. It takes
    /// a third of the time on Intel's processors from Sapphire Rapids on, which have float16, and as long on Zen 4; earlier
    /// ones of Intel have been slowed down for safety.
    pub fn has_fast_gathers(&self) -> bool {
        self.has("avx512fp16")
    }

    /// Whether a loop that waits for memory asks best for what it reads once into the first level of cache, and not the
    /// second: Zen 4 then takes a quarter less for four rows times 64 MB of columns. It is not known of others.
    pub fn reads_once_into_first_level(&self) -> bool {
        self.is_zen4()
    }

    /// Zen 5 has an extension more.
    fn is_zen4(&self) -> bool {
        self.is_zen_with_avx512() && !self.has("avxvnni")
    }

    /// Whether the processor is taken to be Zen 4 or Zen 5, by its extensions, which is a heuristic: Cooper Lake lacks those
    /// of Ice Lake, and all later ones of Intel have float16, which none of AMD up to Zen 5 has.
    fn is_zen_with_avx512(&self) -> bool {
        self.has("avx512bf16") && self.has("avx512vbmi2") && !self.has("avx512fp16")
    }

    /// LLVM's name of the architecture's least processor: its instructions are always there, all others are
    /// [`Target::features`].
    pub fn baseline_cpu(&self) -> &'static str {
        match self.arch {
            Arch::X86_64 => "x86-64",
            Arch::AArch64 => "generic",
        }
    }

    /// The features as LLVM takes them, `+a,+b`.
    pub fn llvm_features(&self) -> String {
        let features: Vec<String> = self.features.iter().map(|name| format!("+{name}")).collect();
        features.join(",")
    }

    /// Whether the target compiles in this version; else the reason.
    pub fn check_supported(&self) -> Result<(), TargetError> {
        match self.kind {
            Kind::Cpu => Ok(()),
            Kind::Cuda => Err(TargetError("the target \"cuda\" is not built in this version: use \"llvm\"".into())),
        }
    }

    /// The widest vectors that the features give.
    pub(crate) fn widest_vectors(arch: Arch, features: &BTreeSet<String>) -> u32 {
        let has = |name: &str| features.contains(name);
        match arch {
            Arch::X86_64 if has("avx512f") && has("avx512vl") => 512,
            Arch::X86_64 if has("avx") => 256,
            Arch::X86_64 | Arch::AArch64 => 128,
        }
    }

    /// Vector registers by the features.
    pub(crate) fn register_count(arch: Arch, features: &BTreeSet<String>) -> u32 {
        match arch {
            Arch::X86_64 if features.contains("avx512f") => 32,
            Arch::X86_64 => 16,
            Arch::AArch64 => 32,
        }
    }
}

/// The target string that parses back to a target with the same code.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Cuda if self.limits.max_threads_per_block == parse::CUDA_THREADS => return f.write_str("cuda"),
            Kind::Cuda => return write!(f, "cuda -max_threads_per_block={}", self.limits.max_threads_per_block),
            Kind::Cpu => write!(f, "llvm -mtriple={} -mcpu={}", self.triple, self.cpu)?,
        }
        let base = presets::find(self.arch, &self.cpu).map(presets::Preset::feature_set).unwrap_or_default();
        let added = self.features.difference(&base).map(|name| format!("+{name}"));
        let removed = base.difference(&self.features).map(|name| format!("-{name}"));
        let changes: Vec<String> = added.chain(removed).collect();
        if changes.is_empty() { Ok(()) } else { write!(f, " -mattr={}", changes.join(",")) }
    }
}
