//! The machine that we run on.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::sync::LazyLock;

use crate::{Arch, Limits, Machine, presets};

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
        Arch::Nvptx64 => "nvptx64-nvidia-cuda",
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

/// What a processor has of the last-level cache, at most. Where a machine is a part of another one, the system tells
/// the size of the whole cache, most of which is used by those that we do not see. The processors that share the cache
/// count, whether this process may run on them or not: what is compiled does not depend on where.
const SHARE: u64 = 16 << 20;

/// The machine: its instructions are what the processor reports, its numbers those of the preset that describes the
/// processor, its caches those that the system tells of. Where nothing describes it, the level of its features does.
/// The system is asked once: what it says of the processor stays, but for the cores that the process may use.
pub(crate) fn detect() -> Machine {
    static HOST: LazyLock<Machine> = LazyLock::new(describe);
    let mut host = HOST.clone();
    host.limits.cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    host
}

fn describe() -> Machine {
    let features = features();
    let level = presets::all()
        .iter()
        .filter(|preset| preset.arch == ARCH && LEVELS.contains(&preset.name))
        .rfind(|preset| preset.features.is_subset(&features))
        .or_else(|| presets::baseline(ARCH));
    let mut host = level.unwrap_or(&presets::all()[0]).target(triple(ARCH)).host;
    let info = first_processor();
    if let Some(preset) = Processor::of(&info).and_then(|found| presets::of_processor(ARCH, &found, &features)) {
        host.take_numbers(preset);
    }
    host.units = units(&info);
    host.features = features;
    host.fit_to_features();
    caches().iter().for_each(|cache| cache.describe(&mut host.limits));
    host
}

/// The lines that the system describes its first processor with; empty where it does not. All others would take long to
/// be written on a large machine.
fn first_processor() -> String {
    let Ok(file) = fs::File::open("/proc/cpuinfo") else { return String::new() };
    let lines = BufReader::new(file).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// The matrix units that the system lists, by LLVM's names.
fn units(info: &str) -> BTreeSet<String> {
    let flags = value_of(info, "flags").unwrap_or_default();
    let known = [("amx_tile", "amx-tile"), ("amx_int8", "amx-int8"), ("amx_bf16", "amx-bf16")];
    let has = |name: &str| flags.split_whitespace().any(|flag| flag == name);
    known.into_iter().filter(|(system, _)| has(system)).map(|(_, name)| name.to_owned()).collect()
}

/// What a processor says it is. Those of ARM have a maker and a part: the family is 0, the part is the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Processor {
    pub(crate) vendor: String,
    pub(crate) family: u32,
    pub(crate) model: u32,
}

impl Processor {
    /// The first processor of the text that the system describes them with.
    pub(crate) fn of(info: &str) -> Option<Self> {
        let value = |name: &str| value_of(info, name);
        if let Some(vendor) = value("vendor_id") {
            let (family, model) = (number(value("cpu family")?)?, number(value("model")?)?);
            return Some(Self { vendor: vendor.to_owned(), family, model });
        }
        let (vendor, model) = (value("CPU implementer")?.to_owned(), number(value("CPU part")?)?);
        Some(Self { vendor, family: 0, model })
    }
}

/// Some processors of a maker: a family and a range of models.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Processors {
    pub(crate) vendor: String,
    family: u32,
    models: std::ops::RangeInclusive<u32>,
}

impl Processors {
    /// `AuthenticAMD 25 16-31` by CPUID, or `0x41 0xd0c` by ARM's implementer and part; one model is a range, too.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (vendor, family, models) = match words.as_slice() {
            [vendor, family, models] => (vendor, number(family)?, models),
            [vendor, models] => (vendor, 0, models),
            _ => return None,
        };
        let (first, last) = models.split_once('-').unwrap_or((models, models));
        Some(Self { vendor: (*vendor).to_owned(), family, models: number(first)?..=number(last)? })
    }

    pub(crate) fn contain(&self, processor: &Processor) -> bool {
        self.vendor == processor.vendor && self.family == processor.family && self.models.contains(&processor.model)
    }
}

/// The value of the first line `name : value`.
fn value_of<'t>(info: &'t str, name: &str) -> Option<&'t str> {
    let lines = info.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(known, value)| (known.trim(), value.trim())).find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// `25`, `0xd0c`.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A data cache of the first core.
struct Cache {
    level: u32,
    bytes: u64,
    ways: Option<u32>,
    /// How many processors share it.
    processors: Option<u64>,
}

impl Cache {
    fn describe(&self, limits: &mut Limits) {
        match self.level {
            1 => (limits.l1_bytes, limits.l1_ways) = (self.bytes, self.ways.unwrap_or(limits.l1_ways)),
            2 => (limits.l2_bytes, limits.l2_ways) = (self.bytes, self.ways.unwrap_or(limits.l2_ways)),
            3 => {
                let processors = self.processors.unwrap_or_else(|| u64::from(limits.cores));
                limits.l3_bytes = self.bytes.min(processors.saturating_mul(SHARE));
            }
            _ => {}
        }
    }
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
            let ways = read("ways_of_associativity").ok().and_then(|ways| ways.parse().ok()).filter(|&ways| ways > 0);
            found.push(Cache { level, bytes, ways, processors });
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
    use crate::Target;

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
        assert!(level.features.is_subset(&host.features));
        let numbers = presets::find(host.arch, &host.name).unwrap().numbers;
        assert_eq!((host.core, host.plan, host.tasks), (numbers.core, numbers.plan, numbers.tasks));
    }

    #[test]
    fn a_processor_is_read_as_the_kernel_writes_it() {
        let x86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\nmodel name\t: AMD\n";
        let found = Processor::of(x86).unwrap();
        assert_eq!((found.vendor.as_str(), found.family, found.model), ("AuthenticAMD", 25, 97));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n";
        let found = Processor::of(arm).unwrap();
        assert_eq!((found.vendor.as_str(), found.family, found.model), ("0x41", 0, 0xd0c));
        for text in ["", "vendor_id : x", "vendor_id : x\ncpu family : 1\nmodel : y", "CPU implementer : 0x41"] {
            assert_eq!(Processor::of(text), None, "{text}");
        }
    }

    #[test]
    fn ranges_of_processors_are_read() {
        let zen4 = Processors::read("AuthenticAMD 25 96-127").unwrap();
        let of = |vendor: &str, family, model| Processor { vendor: vendor.to_owned(), family, model };
        assert!(zen4.contain(&of("AuthenticAMD", 25, 97)) && !zen4.contain(&of("AuthenticAMD", 25, 95)));
        assert!(!zen4.contain(&of("AuthenticAMD", 26, 97)) && !zen4.contain(&of("GenuineIntel", 25, 97)));
        assert!(Processors::read("0x41 0xd0c").unwrap().contain(&of("0x41", 0, 0xd0c)));
        for text in ["", "AuthenticAMD", "AuthenticAMD 25 a-b", "AuthenticAMD 25 1-2 3"] {
            assert_eq!(Processors::read(text), None, "{text}");
        }
    }

    #[test]
    fn matrix_units_are_those_that_the_system_lists() {
        let info = "flags\t\t: fpu amx_bf16 avx512_fp16 amx_tile amx_int8\n";
        assert_eq!(units(info).into_iter().collect::<Vec<_>>(), ["amx-bf16", "amx-int8", "amx-tile"]);
        assert!(units("flags : fpu amx_tiles\n").is_empty() && units("").is_empty());
    }
}
