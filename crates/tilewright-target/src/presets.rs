//! Well-known processors: what `-mcpu` may name, and what is assumed of each.

use std::collections::BTreeSet;

use crate::{Arch, Kind, Limits, Target};

/// A processor by its name.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    pub arch: Arch,
    /// The preset whose features this one has too.
    pub base: Option<&'static str>,
    /// Features that it adds.
    pub adds: &'static [&'static str],
    /// Vector width to use, where it is not the widest.
    pub vector_bits: Option<u32>,
    pub l1_kib: u32,
    pub l2_kib: u32,
    pub l3_kib: u32,
}

const V2: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"];
const V3: &[&str] = &["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"];
const V4: &[&str] = &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];
/// What the second generation of processors with AVX-512 brought, on both makers' chips.
const ICE_LAKE: &[&str] =
    &["avx512vnni", "avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq", "gfni", "vpclmulqdq"];

const fn x86(name: &'static str, base: &'static str, adds: &'static [&'static str], caches: [u32; 3]) -> Preset {
    preset(name, Arch::X86_64, Some(base), adds, caches)
}

const fn arm(name: &'static str, base: &'static str, adds: &'static [&'static str], caches: [u32; 3]) -> Preset {
    preset(name, Arch::AArch64, Some(base), adds, caches)
}

const fn preset(
    name: &'static str,
    arch: Arch,
    base: Option<&'static str>,
    adds: &'static [&'static str],
    [l1_kib, l2_kib, l3_kib]: [u32; 3],
) -> Preset {
    Preset { name, arch, base, adds, vector_bits: None, l1_kib, l2_kib, l3_kib }
}

/// Every preset, bases before those built on them. The first of each architecture is its baseline.
///
/// The x86-64 levels are those of the psABI, so far as code generation uses them; caches in KiB: first and second level
/// of a core, last level.
pub const ALL: &[Preset] = &[
    preset("x86-64", Arch::X86_64, None, &["sse", "sse2"], [32, 256, 4096]),
    x86("x86-64-v2", "x86-64", V2, [32, 256, 8192]),
    x86("x86-64-v3", "x86-64-v2", V3, [32, 256, 8192]),
    x86("x86-64-v4", "x86-64-v3", V4, [32, 1024, 16384]),
    x86("haswell", "x86-64-v3", &[], [32, 256, 8192]),
    x86("broadwell", "haswell", &[], [32, 256, 8192]),
    x86("skylake", "broadwell", &[], [32, 256, 8192]),
    x86("alderlake", "skylake", &["avxvnni", "gfni", "vpclmulqdq"], [48, 1280, 30720]),
    x86("znver1", "x86-64-v3", &[], [32, 512, 8192]),
    x86("znver2", "znver1", &[], [32, 512, 16384]),
    x86("znver3", "znver2", &["vpclmulqdq"], [32, 512, 32768]),
    x86("skylake-avx512", "x86-64-v4", &[], [32, 1024, 22528]),
    x86("cascadelake", "skylake-avx512", &["avx512vnni"], [32, 1024, 22528]),
    x86("cooperlake", "cascadelake", &["avx512bf16"], [32, 1024, 22528]),
    x86("icelake-server", "x86-64-v4", ICE_LAKE, [48, 1280, 32768]),
    x86("sapphirerapids", "icelake-server", &["avxvnni", "avx512bf16", "avx512fp16"], [48, 2048, 65536]),
    x86("znver4", "icelake-server", &["avx512bf16"], [32, 1024, 32768]),
    x86("znver5", "znver4", &["avxvnni"], [48, 1024, 32768]),
    preset("generic", Arch::AArch64, None, &["neon", "fp-armv8"], [32, 256, 4096]),
    arm("cortex-a72", "generic", &[], [32, 1024, 4096]),
    arm("cortex-a76", "generic", &["dotprod", "fullfp16", "lse", "rdm"], [64, 512, 4096]),
    arm("neoverse-n1", "cortex-a76", &[], [64, 1024, 32768]),
    arm("neoverse-v1", "neoverse-n1", &["bf16", "i8mm"], [64, 1024, 32768]),
    arm("neoverse-n2", "neoverse-v1", &[], [64, 1024, 32768]),
    arm("neoverse-v2", "neoverse-v1", &[], [64, 2048, 65536]),
    // Under Linux, as all kernels are.
    arm("apple-m1", "cortex-a76", &[], [128, 12288, 8192]),
    arm("apple-m2", "apple-m1", &["bf16", "i8mm"], [128, 16384, 8192]),
];

/// The preset of this name.
pub fn find(arch: Arch, name: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.arch == arch && preset.name == name)
}

impl Preset {
    /// All features, those of its bases included.
    pub fn feature_set(&self) -> BTreeSet<String> {
        let mut features: BTreeSet<String> = self.adds.iter().map(|&name| name.to_owned()).collect();
        let mut base = self.base;
        while let Some(preset) = base.and_then(|name| find(self.arch, name)) {
            features.extend(preset.adds.iter().map(|&name| name.to_owned()));
            base = preset.base;
        }
        features
    }

    /// The machine, under the given triple.
    pub fn target(&self, triple: &str) -> Target {
        let features = self.feature_set();
        let bytes = |kib: u32| u64::from(kib) * 1024;
        Target {
            kind: Kind::Cpu,
            arch: self.arch,
            triple: triple.to_owned(),
            cpu: self.name.to_owned(),
            vector_bits: self.vector_bits.unwrap_or_else(|| Target::widest_vectors(self.arch, &features)),
            limits: Limits {
                vector_registers: Target::register_count(self.arch, &features),
                l1_bytes: bytes(self.l1_kib),
                l2_bytes: bytes(self.l2_kib),
                l3_bytes: bytes(self.l3_kib),
                cores: 1,
                max_threads_per_block: 0,
            },
            features,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_stand_before_what_is_built_on_them() {
        for (i, preset) in ALL.iter().enumerate() {
            if let Some(base) = preset.base {
                assert!(ALL[..i].iter().any(|p| p.name == base && p.arch == preset.arch), "{}", preset.name);
            }
        }
    }

    #[test]
    fn a_preset_has_the_features_of_its_bases() {
        let zen4 = find(Arch::X86_64, "znver4").unwrap().target("x86_64-unknown-linux-gnu");
        assert!(["sse2", "fma", "avx512vl", "avx512bf16"].iter().all(|name| zen4.has(name)));
        assert_eq!((zen4.vector_bits, zen4.limits.vector_registers, zen4.lanes(32)), (512, 32, 16));
    }

    #[test]
    fn vectors_of_the_first_zen_with_avx512_are_two_halves() {
        let bits = |name| find(Arch::X86_64, name).unwrap().target("x86_64-unknown-linux-gnu").full_rate_bits();
        let found = ["haswell", "znver3", "cooperlake", "sapphirerapids", "znver4", "znver5"].map(bits);
        assert_eq!(found, [256, 256, 512, 512, 256, 512]);
    }

    #[test]
    fn what_is_read_once_comes_into_the_first_level_on_zen_4() {
        let near =
            |name| find(Arch::X86_64, name).unwrap().target("x86_64-unknown-linux-gnu").reads_once_into_first_level();
        let found = ["icelake-server", "sapphirerapids", "znver3", "znver4", "znver5"].map(near);
        assert_eq!(found, [false, false, false, true, false]);
    }

    #[test]
    fn dot_products_of_bfloat16_are_fast_on_processors_of_amd() {
        let fast = |name| find(Arch::X86_64, name).unwrap().target("x86_64-unknown-linux-gnu").has_fast_bf16_dots();
        let found = ["icelake-server", "cooperlake", "sapphirerapids", "znver4", "znver5"].map(fast);
        assert_eq!(found, [false, false, false, true, true]);
    }
}
