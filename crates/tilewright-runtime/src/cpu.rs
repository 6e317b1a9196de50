//! What this machine's processor has, by LLVM's names.

use tilewright_vm_program::TargetInfo;

use crate::error::{ErrorKind, Result};

/// Whether the processor and the system support a feature. Names that this version does not know count as absent.
#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    if feature.starts_with("amx-") {
        return tiles::has(feature);
    }
    macro_rules! detected {
        ($($llvm:literal => $rust:tt),* $(,)?) => {
            match feature {
                // Part of every 64-bit processor.
                "64bit" | "cmov" | "cx8" | "fxsr" | "mmx" | "nopl" | "sse" | "sse2" | "x87" => true,
                $($llvm => std::arch::is_x86_feature_detected!($rust),)*
                _ => false,
            }
        };
    }
    detected! {
        "sse3" => "sse3", "ssse3" => "ssse3", "sse4.1" => "sse4.1", "sse4.2" => "sse4.2", "sse4a" => "sse4a",
        "crc32" => "sse4.2", "popcnt" => "popcnt", "lzcnt" => "lzcnt", "bmi" => "bmi1", "bmi2" => "bmi2",
        "cx16" => "cmpxchg16b", "movbe" => "movbe", "aes" => "aes", "pclmul" => "pclmulqdq", "sha" => "sha",
        "adx" => "adx", "rdrnd" => "rdrand", "rdseed" => "rdseed", "xsave" => "xsave", "xsavec" => "xsavec",
        "xsaveopt" => "xsaveopt", "xsaves" => "xsaves", "tbm" => "tbm", "avx" => "avx", "avx2" => "avx2",
        "fma" => "fma", "f16c" => "f16c", "gfni" => "gfni", "vaes" => "vaes", "vpclmulqdq" => "vpclmulqdq",
        "avxvnni" => "avxvnni", "avxvnniint8" => "avxvnniint8", "avxifma" => "avxifma",
        "avxneconvert" => "avxneconvert", "avx512f" => "avx512f", "avx512bw" => "avx512bw", "avx512cd" => "avx512cd",
        "avx512dq" => "avx512dq", "avx512vl" => "avx512vl", "avx512ifma" => "avx512ifma",
        "avx512vbmi" => "avx512vbmi", "avx512vbmi2" => "avx512vbmi2", "avx512vnni" => "avx512vnni",
        "avx512bitalg" => "avx512bitalg", "avx512vpopcntdq" => "avx512vpopcntdq", "avx512bf16" => "avx512bf16",
        "avx512fp16" => "avx512fp16", "avx512vp2intersect" => "avx512vp2intersect",
    }
}

/// Whether the processor and the system support a feature. Names that this version does not know count as absent.
#[cfg(target_arch = "aarch64")]
fn has(feature: &str) -> bool {
    use std::arch::is_aarch64_feature_detected as detected;
    match feature {
        "neon" | "fp-armv8" => true,
        "dotprod" => detected!("dotprod"),
        "fullfp16" => detected!("fp16"),
        "fp16fml" => detected!("fhm"),
        "bf16" => detected!("bf16"),
        "i8mm" => detected!("i8mm"),
        "lse" => detected!("lse"),
        "rdm" => detected!("rdm"),
        "crc" => detected!("crc"),
        "sve" => detected!("sve"),
        "sve2" => detected!("sve2"),
        _ => false,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn has(_feature: &str) -> bool {
    false
}

/// An error unless machine code for `target` can run here; it names what is missing.
pub(crate) fn require(target: &TargetInfo) -> Result<()> {
    let wrong_machine =
        || ErrorKind::WrongMachine { target: target.triple.clone(), host: std::env::consts::ARCH }.into();
    let architecture = match target.triple.split('-').next().unwrap_or_default() {
        "arm64" => "aarch64",
        "amd64" => "x86_64",
        name => name,
    };
    if architecture != std::env::consts::ARCH || target.triple.contains("windows") != cfg!(windows) {
        return Err(wrong_machine());
    }
    let missing: Vec<_> = target
        .features
        .iter()
        .map(|feature| feature.strip_prefix('+').unwrap_or(feature))
        .filter(|feature| !feature.starts_with('-') && !has(feature))
        .map(str::to_owned)
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(ErrorKind::MissingFeatures { missing }.into()) }
}

/// Registers of matrices (AMX), which a process has to ask the system for.
#[cfg(target_arch = "x86_64")]
mod tiles {
    use std::arch::x86_64::__cpuid_count;
    use std::sync::LazyLock;

    /// Whether the processor has the unit, and the system lets this process use it.
    pub(super) fn has(unit: &str) -> bool {
        /// The bits of CPUID's leaf 7, register EDX.
        const BITS: [(&str, u32); 3] = [("amx-bf16", 22), ("amx-tile", 24), ("amx-int8", 25)];
        static ALLOWED: LazyLock<bool> = LazyLock::new(allowed);
        let Some((_, bit)) = BITS.into_iter().find(|(name, _)| *name == unit) else { return false };
        __cpuid_count(7, 0).edx >> bit & 1 == 1 && *ALLOWED
    }

    /// Asks Linux for the state of the tiles' data, number 18, for all threads of the process.
    #[cfg(target_os = "linux")]
    fn allowed() -> bool {
        const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
        const TILE_DATA: libc::c_long = 18;
        // SAFETY: the call takes two numbers and touches no memory.
        unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, TILE_DATA) == 0 }
    }

    #[cfg(not(target_os = "linux"))]
    fn allowed() -> bool {
        false
    }
}
