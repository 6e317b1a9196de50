//! Well-known processors: what `-mcpu` may name, and what is assumed of each.
//!
//! A preset is a file of `presets/` and a line of the list below. It says what distinguishes the processor from its
//! base; everything else is inherited, up to `default.toml`, which has every number. `docs/machine.md` tells how to
//! write one.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::host::{Processor, Processors};
use crate::numbers::{Field, Numbers, fields};
use crate::preset_file::{Given, PresetFile, read};
use crate::{Arch, Machine, Target};

/// The list of presets: names, each of which is that of a file.
macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../presets/", $name, ".toml")))),*]
    };
}

/// Every preset's name and text, bases before those built on them. The first of each architecture is its baseline.
///
/// The x86-64 levels are those of the psABI, so far as code generation uses them.
const FILES: &[(&str, &str)] = files![
    "x86-64",
    "x86-64-v2",
    "x86-64-v3",
    "x86-64-v4",
    "haswell",
    "broadwell",
    "skylake",
    "alderlake",
    "znver1",
    "znver2",
    "znver3",
    "skylake-avx512",
    "cascadelake",
    "cooperlake",
    "icelake-server",
    "sapphirerapids",
    "znver4",
    "znver5",
    "generic",
    "cortex-a72",
    "cortex-a76",
    "neoverse-n1",
    "neoverse-v1",
    "neoverse-n2",
    "neoverse-v2",
    "apple-m1",
    "apple-m2",
];

/// What every preset is built on; no processor by itself.
const DEFAULT: &str = "default";
const DEFAULT_TEXT: &str = include_str!("../presets/default.toml");

/// A processor by its name.
#[derive(Clone, Debug)]
pub struct Preset {
    pub name: &'static str,
    pub arch: Arch,
    /// The preset that it is built on; none is `default.toml`.
    pub base: Option<&'static str>,
    /// Extensions that kernels may use, by LLVM's names.
    pub features: BTreeSet<String>,
    /// The matrix units of the processor: [`Machine::units`].
    pub units: BTreeSet<String>,
    pub(crate) processors: Vec<Processors>,
    pub(crate) numbers: Numbers,
    /// Of each number, in the order of [`fields`], whose it is and what measured it.
    sources: Vec<Source>,
}

/// Where a number comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The preset whose file gives it.
    pub preset: &'static str,
    /// What that file says measured it.
    pub text: String,
}

/// A number of a preset.
#[derive(Clone, Copy, Debug)]
pub struct NumberOf<'p> {
    pub field: &'static Field,
    pub value: f64,
    pub source: &'p Source,
}

/// Every preset, in the order of the list.
///
/// # Panics
/// If a file that is part of this crate is wrong, which its tests find.
pub fn all() -> &'static [Preset] {
    static ALL: LazyLock<Vec<Preset>> = LazyLock::new(|| {
        read_all(FILES).unwrap_or_else(|problem| panic!("a preset of this crate is wrong: {problem}"))
    });
    &ALL
}

/// The preset of this name.
pub fn find(arch: Arch, name: &str) -> Option<&'static Preset> {
    all().iter().find(|preset| preset.arch == arch && preset.name == name)
}

/// The preset of the architecture that every processor of it can run.
pub fn baseline(arch: Arch) -> Option<&'static Preset> {
    all().iter().find(|preset| preset.arch == arch)
}

/// The preset of a processor: the one that names it, of several the last whose features it has; or else the last one of
/// its maker whose features it has, since later processors are more like the latest that is known than like an early
/// one.
pub(crate) fn of_processor(arch: Arch, processor: &Processor, features: &BTreeSet<String>) -> Option<&'static Preset> {
    let of_arch = || all().iter().filter(|preset| preset.arch == arch);
    let named = || of_arch().filter(|preset| preset.processors.iter().any(|known| known.contain(processor)));
    let of_maker = || of_arch().filter(|preset| preset.processors.iter().any(|known| known.vendor == processor.vendor));
    let runs = |preset: &&Preset| preset.features.is_subset(features);
    // The last one is the most special: presets stand after those that they are built on.
    named().rfind(runs).or_else(|| named().next()).or_else(|| of_maker().rfind(runs))
}

fn read_all(files: &[(&'static str, &str)]) -> Result<Vec<Preset>, String> {
    let default = read(DEFAULT_TEXT).map_err(|problem| format!("{DEFAULT}.toml: {problem}"))?;
    let mut found: Vec<Preset> = Vec::new();
    for (name, text) in files {
        let preset = read(text).and_then(|file| resolve(name, file, &default, &found));
        found.push(preset.map_err(|problem| format!("{name}.toml: {problem}"))?);
    }
    Ok(found)
}

/// A preset with what it inherits from `default.toml` or from one of those that are `known`.
fn resolve(name: &'static str, file: PresetFile, default: &PresetFile, known: &[Preset]) -> Result<Preset, String> {
    let base = file.base.as_deref().ok_or("it has no base")?;
    let mut preset = match base {
        DEFAULT => {
            let arch = match file.arch.as_deref() {
                Some("x86_64") => Arch::X86_64,
                Some("aarch64") => Arch::AArch64,
                other => return Err(format!("arch is {other:?}, expected \"x86_64\" or \"aarch64\"")),
            };
            root(name, arch, default)?
        }
        _ if file.arch.is_some() => return Err("the base gives the architecture".to_owned()),
        _ => {
            let of_base = |preset: &&Preset| preset.name == base;
            let base = known.iter().find(of_base).ok_or_else(|| format!("no preset `{base}` stands before it"))?;
            Preset { name, base: Some(base.name), processors: Vec::new(), ..base.clone() }
        }
    };
    preset.features.extend(file.features);
    preset.units.extend(file.units);
    preset.processors = file.processors;
    give(&mut preset, &file.numbers, name)?;
    Ok(preset)
}

/// What all presets of an architecture begin with. Every number has to be there.
fn root(name: &'static str, arch: Arch, default: &PresetFile) -> Result<Preset, String> {
    let mut preset = Preset {
        name,
        arch,
        base: None,
        features: BTreeSet::new(),
        units: BTreeSet::new(),
        processors: Vec::new(),
        numbers: Numbers::default(),
        sources: vec![Source { preset: DEFAULT, text: String::new() }; fields().count()],
    };
    if let Some(absent) = fields().find(|field| !default.numbers.iter().any(|given| given.field == *field)) {
        return Err(format!("{DEFAULT}.toml has no `{}` in [{}]", absent.name, absent.section));
    }
    give(&mut preset, &default.numbers, DEFAULT)?;
    Ok(preset)
}

/// Gives a preset the numbers of a file.
fn give(preset: &mut Preset, numbers: &[Given], file: &'static str) -> Result<(), String> {
    for Given { field, value, source } in numbers {
        if !preset.numbers.set(field, *value) {
            return Err(format!("`{}` cannot be {value}", field.name));
        }
        if let Some(known) = fields().zip(&mut preset.sources).find(|(known, _)| known == field).map(|(_, known)| known)
        {
            *known = Source { preset: file, text: source.clone() };
        }
    }
    Ok(())
}

impl Preset {
    /// All numbers with their values and sources.
    pub fn numbers(&self) -> impl Iterator<Item = NumberOf<'_>> {
        let values = fields().zip(self.numbers.values());
        values.zip(&self.sources).map(|((field, value), source)| NumberOf { field, value, source })
    }

    /// The processor as a target, under the given triple.
    pub fn target(&self, triple: &str) -> Target {
        let Numbers { limits, core, plan, prefetch, estimate, tasks } = self.numbers;
        let mut host = Machine {
            arch: self.arch,
            triple: triple.to_owned(),
            cpu: self.name.to_owned(),
            name: self.name.to_owned(),
            features: self.features.clone(),
            units: self.units.clone(),
            vector_bits: 0,
            limits,
            core,
            plan,
            prefetch,
            estimate,
            tasks,
        };
        host.fit_to_features();
        Target { host, device: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> Target {
        let preset = all().iter().find(|preset| preset.name == name).unwrap_or_else(|| panic!("no preset {name}"));
        preset.target("x86_64-unknown-linux-gnu")
    }

    #[test]
    fn every_file_is_read_and_every_number_has_a_source() {
        let found = read_all(FILES).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(found.len(), FILES.len());
        for preset in &found {
            assert_eq!(preset.numbers().count(), fields().count(), "{}", preset.name);
            for NumberOf { field, value, source } in preset.numbers() {
                assert!(value > 0.0 && !source.text.is_empty(), "{}: {} from {source:?}", preset.name, field.name);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets");
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.path().is_file());
        let files = files.map(|entry| entry.file_name().into_string().unwrap());
        let mut files: Vec<String> = files.filter(|name| name != "default.toml").collect();
        let mut listed: Vec<String> = FILES.iter().map(|(name, _)| format!("{name}.toml")).collect();
        files.sort();
        listed.sort();
        assert_eq!(files, listed);
    }

    #[test]
    fn a_preset_inherits_missing_values_from_its_base() {
        for preset in all() {
            let Some(base) = preset.base.and_then(|base| find(preset.arch, base)) else { continue };
            assert!(preset.features.is_superset(&base.features), "{}", preset.name);
            for (own, inherited) in preset.numbers().zip(base.numbers()) {
                let same = own.value == inherited.value && own.source == inherited.source;
                assert!(own.source.preset == preset.name || same, "{}: {}", preset.name, own.field.name);
            }
        }
        let broadwell = find(Arch::X86_64, "broadwell").unwrap();
        let latency = broadwell.numbers().find(|number| number.field.name == "fma_latency_cycles").unwrap();
        assert_eq!((latency.value, latency.source.preset), (5.0, "haswell"));
    }

    #[test]
    fn sizes_of_caches_are_plausible() {
        for preset in all() {
            let limits = preset.numbers.limits;
            let [l1, l2, l3] = [limits.l1_bytes, limits.l2_bytes, limits.l3_bytes];
            assert!(l1 < l2 && (l1, l2) >= (16 << 10, 128 << 10) && l3 >= 2 << 20, "{}", preset.name);
            let lines = |bytes: u64, ways: u32| bytes.is_multiple_of(u64::from(ways) * limits.line_bytes);
            assert!(lines(l1, limits.l1_ways) && lines(l2, limits.l2_ways), "{}", preset.name);
        }
    }

    #[test]
    fn those_who_have_no_target_assume_what_every_preset_says() {
        for preset in all() {
            let Numbers { limits, .. } = preset.numbers;
            assert_eq!(limits.core_cache_bytes, crate::NEAR_BYTES, "{}", preset.name);
        }
    }

    #[test]
    fn files_that_are_wrong_are_refused() {
        let wrong = |text: &str| read_all(&[("a", text)]).unwrap_err();
        assert!(wrong("base = \"b\"").contains("no preset `b` stands before it"));
        assert!(wrong("arch = \"x86_64\"").contains("it has no base"));
        assert!(wrong("base = \"default\"").contains("expected \"x86_64\" or \"aarch64\""));
        let text = "base = \"default\"\narch = \"x86_64\"\n[limits]\nl1_bytes = 1.5 # x";
        assert!(wrong(text).contains("`l1_bytes` cannot be 1.5"));
        let incomplete = read("[limits]\nl1_bytes = 1 # x").unwrap();
        assert!(root("a", Arch::X86_64, &incomplete).unwrap_err().contains("default.toml has no `vector_registers`"));
    }

    #[test]
    fn a_preset_has_the_features_of_its_bases() {
        let zen4 = target("znver4");
        assert!(["sse2", "fma", "avx512vl", "avx512bf16"].iter().all(|name| zen4.has(name)));
        assert_eq!((zen4.vector_bits, zen4.limits.vector_registers, zen4.lanes(32)), (512, 32, 16));
    }

    #[test]
    fn vectors_of_the_first_zen_with_avx512_are_two_halves() {
        let found = ["haswell", "znver2", "cooperlake", "sapphirerapids", "znver4", "znver5"];
        assert_eq!(found.map(|name| target(name).full_rate_bits()), [256, 256, 512, 512, 256, 512]);
        // Vectors that are narrower than the pipes have the full rate, too.
        let narrow = Target::parse("llvm -mcpu=znver5 -mattr=-avx512f").unwrap();
        assert_eq!((narrow.vector_bits, narrow.full_rate_bits()), (256, 256));
    }

    #[test]
    fn zen_4_prefetches_streamed_data_to_l1() {
        let found = ["icelake-server", "sapphirerapids", "znver2", "znver4", "znver5"];
        assert_eq!(found.map(|name| target(name).reads_once_into_first_level()), [false, false, false, true, false]);
    }

    #[test]
    fn dot_products_of_bfloat16_are_fast_on_processors_of_amd() {
        let found = ["icelake-server", "cooperlake", "sapphirerapids", "znver4", "znver5"];
        assert_eq!(found.map(|name| target(name).has_fast_bf16_dots()), [false, false, false, true, true]);
        assert!(!Target::parse("llvm -mcpu=znver4 -mattr=-avx512bf16").unwrap().has_fast_bf16_dots());
    }

    #[test]
    fn gathers_are_fast_on_sapphire_rapids() {
        let found = ["haswell", "icelake-server", "sapphirerapids", "znver4", "znver5"];
        assert_eq!(found.map(|name| target(name).has_fast_gathers()), [false, false, true, false, false]);
        assert!(!Target::parse("llvm -mcpu=sapphirerapids -mattr=-avx512f").unwrap().has_fast_gathers());
    }

    #[test]
    fn a_matrix_unit_is_known_and_not_used_unasked() {
        let target = target("sapphirerapids");
        assert!(target.has_unit("amx-int8") && !target.has("amx-int8"));
        assert!(!target.llvm_features().contains("amx") && !target.required_features().join(" ").contains("amx"));
        assert!(!self::target("icelake-server").has_unit("amx-int8"));
    }

    #[test]
    fn processors_are_found_by_what_they_say_and_else_by_their_features() {
        let found = |vendor: &str, family, model, preset: &str| {
            let features = &find(Arch::X86_64, preset).unwrap().features;
            of_processor(Arch::X86_64, &Processor { vendor: vendor.into(), family, model }, features).map(|p| p.name)
        };
        assert_eq!(found("AuthenticAMD", 25, 97, "znver4"), Some("znver4"));
        assert_eq!(found("GenuineIntel", 6, 207, "sapphirerapids"), Some("sapphirerapids"));
        // One model, several processors.
        let models = ["skylake-avx512", "cascadelake", "cooperlake"];
        assert_eq!(models.map(|name| found("GenuineIntel", 6, 85, name)), models.map(Some));
        // A system may keep extensions from those who run on it.
        assert_eq!(found("AuthenticAMD", 25, 97, "x86-64-v3"), Some("znver4"));
        // Later than all that are known: the latest of the same vendor that has no extension it lacks.
        let number = |name: &str| all().iter().position(|preset| preset.name == name);
        let latest = found("GenuineIntel", 6, 250, "sapphirerapids").unwrap();
        assert!(number(latest) >= number("sapphirerapids"), "{latest}");
        let latest = found("AuthenticAMD", 30, 1, "znver5").unwrap();
        assert!(number(latest) >= number("znver5"), "{latest}");
        assert_eq!(found("Other", 1, 1, "znver5"), None);
        let arm = Processor { vendor: "0x41".into(), family: 0, model: 0xd0c };
        let features = &find(Arch::AArch64, "neoverse-n1").unwrap().features;
        assert_eq!(of_processor(Arch::AArch64, &arm, features).map(|preset| preset.name), Some("neoverse-n1"));
    }
}
