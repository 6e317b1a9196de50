//! The machine that we run on.

use std::collections::BTreeSet;
use std::fs;

use crate::{Arch, Target, presets};

/// LLVM's name of the system's object format and of its calls.
#[cfg(target_arch = "x86_64")]
pub(crate) const ARCH: Arch = Arch::X86_64;
#[cfg(target_arch = "aarch64")]
pub(crate) const ARCH: Arch = Arch::AArch64;

/// The triple of kernels for an architecture: they are ELF objects that call nothing of the system.
pub(crate) const fn triple(arch: Arch) -> &'static str {
    match arch {
        Arch::X86_64 => "x86_64-unknown-linux-gnu",
        Arch::AArch64 => "aarch64-unknown-linux-gnu",
    }
}

/// The features that the processor reports, by LLVM's names.
///
/// A feature counts where the system keeps its registers too (Rust's detection looks at XCR0). Rust's names differ from
/// LLVM's in a few places; both stand here. A feature that this list lacks is not used.
#[cfg(target_arch = "x86_64")]
fn features() -> BTreeSet<String> {
    macro_rules! detect {
        ($($rust:tt => $llvm:literal),* $(,)?) => {
            [$((std::is_x86_feature_detected!($rust), $llvm)),*]
        };
    }
    let found = detect![
        "sse" => "sse", "sse2" => "sse2", "sse3" => "sse3", "ssse3" => "ssse3", "sse4.1" => "sse4.1",
        "sse4.2" => "sse4.2", "popcnt" => "popcnt", "avx" => "avx", "avx2" => "avx2", "bmi1" => "bmi",
        "bmi2" => "bmi2", "f16c" => "f16c", "fma" => "fma", "lzcnt" => "lzcnt", "movbe" => "movbe",
        "avx512f" => "avx512f", "avx512bw" => "avx512bw", "avx512cd" => "avx512cd", "avx512dq" => "avx512dq",
        "avx512vl" => "avx512vl", "avx512vnni" => "avx512vnni", "avx512bf16" => "avx512bf16",
        "avx512fp16" => "avx512fp16", "avx512ifma" => "avx512ifma", "avx512vbmi" => "avx512vbmi",
        "avx512vbmi2" => "avx512vbmi2", "avx512bitalg" => "avx512bitalg", "avx512vpopcntdq" => "avx512vpopcntdq",
        "avxvnni" => "avxvnni", "gfni" => "gfni", "vpclmulqdq" => "vpclmulqdq",
    ];
    found.into_iter().filter(|(present, _)| *present).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> BTreeSet<String> {
    macro_rules! detect {
        ($($rust:tt => $llvm:literal),* $(,)?) => {
            [$((std::arch::is_aarch64_feature_detected!($rust), $llvm)),*]
        };
    }
    let found = detect![
        "neon" => "neon", "fp" => "fp-armv8", "dotprod" => "dotprod", "fp16" => "fullfp16", "lse" => "lse",
        "bf16" => "bf16", "i8mm" => "i8mm", "rdm" => "rdm",
    ];
    found.into_iter().filter(|(present, _)| *present).map(|(_, name)| name.to_owned()).collect()
}

/// The names of generic processors, which exist for every level of features: timings are taken from the highest level
/// that the processor reaches.
const LEVELS: [&str; 5] = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "generic"];

/// What a processor has of the last-level cache, at most. Where a machine is a part of another one, the system tells the size
/// of the whole cache, most of which is used by those that we do not see. The processors that share the cache count,
/// whether this process may run on them or not: what is compiled does not depend on where.
const SHARE: u64 = 16 << 20;

pub(crate) fn detect() -> Target {
    let features = features();
    let level = presets::ALL
        .iter()
        .filter(|preset| preset.arch == ARCH && LEVELS.contains(&preset.name))
        .rfind(|preset| preset.feature_set().is_subset(&features))
        .or_else(|| presets::ALL.iter().find(|preset| preset.arch == ARCH));
    let mut target = level.unwrap_or(&presets::ALL[0]).target(triple(ARCH));
    target.vector_bits = Target::widest_vectors(ARCH, &features);
    target.limits.vector_registers = Target::register_count(ARCH, &features);
    target.features = features;
    target.limits.cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    for Cache { level, bytes, processors } in caches() {
        match level {
            1 => target.limits.l1_bytes = bytes,
            2 => target.limits.l2_bytes = bytes,
            3 => {
                let processors = processors.unwrap_or_else(|| u64::from(target.limits.cores));
                target.limits.l3_bytes = bytes.min(processors.saturating_mul(SHARE));
            }
            _ => {}
        }
    }
    target
}

/// A data cache of the first core.
struct Cache {
    level: u32,
    bytes: u64,
    /// How many processors share it.
    processors: Option<u64>,
}

/// The first core's data caches, as the kernel describes them; empty where it does not.
fn caches() -> Vec<Cache> {
    let mut found = Vec::new();
    for index in 0..8 {
        let read = |file: &str| {
            fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}"))
                .map(|text| text.trim().to_owned())
        };
        let (Ok(level), Ok(sort), Ok(size)) = (read("level"), read("type"), read("size")) else { break };
        if sort != "Instruction"
            && let (Ok(level), Some(bytes)) = (level.parse(), cache_bytes(&size))
        {
            let processors = read("shared_cpu_list").ok().and_then(|list| listed(&list));
            found.push(Cache { level, bytes, processors });
        }
    }
    found
}

/// `32K`, `8M`.
fn cache_bytes(text: &str) -> Option<u64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1024),
        b'M' => (&text[..text.len() - 1], 1024 * 1024),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor).filter(|&bytes| bytes > 0)
}

/// How many numbers are in `0-3,8`.
fn listed(text: &str) -> Option<u64> {
    text.split(',').try_fold(0u64, |count, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        count.checked_add(u64::from(last.checked_sub(first)?) + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_caches_are_read_as_the_kernel_writes_them() {
        assert_eq!(cache_bytes("32K"), Some(32768));
        assert_eq!(cache_bytes("8M"), Some(8 << 20));
        assert_eq!((cache_bytes("K"), cache_bytes(""), cache_bytes("0K")), (None, None, None));
    }

    #[test]
    fn processors_are_counted_in_lists_as_the_kernel_writes_them() {
        assert_eq!((listed("0"), listed("0-1"), listed("0-3,8,10-11")), (Some(1), Some(2), Some(7)));
        assert_eq!((listed(""), listed("3-1"), listed("a")), (None, None, None));
    }

    #[test]
    fn the_host_is_described_by_what_it_has() {
        let host = Target::host();
        assert!(!host.features.is_empty() && host.vector_bits >= 128 && host.limits.cores >= 1);
        let level = presets::find(host.arch, &host.cpu).unwrap();
        assert!(level.feature_set().is_subset(&host.features));
    }
}
