//! GPUs as data: what is assumed of each by its name or its generation.
//!
//! A preset is a file of `presets/gpu/` in the format of processors' presets, with the numbers of [`Gpu`]. It inherits
//! what it does not say from its base, or from `generic.toml`, which has every number and stands for a GPU of which
//! nothing is known. `-arch=sm_90` names the first preset of that generation, `-machine=nvidia-h200` any, and the
//! target `nvidia/nvidia-h100` is `cuda` with both.

use std::sync::LazyLock;

use tilewright_support::nearest;

use crate::TargetError;
use crate::numbers::{Gpu, Group, gpu_fields};
use crate::preset_file::{Given, read};
use crate::presets::{NumberOf, Source};

/// A GPU by its name.
#[derive(Clone, Debug)]
pub struct GpuPreset {
    pub name: &'static str,
    /// Its generation, by NVIDIA's name; none of the generic one.
    pub arch: Option<String>,
    pub numbers: Gpu,
    /// Of each number, in the order of [`gpu_fields`], whose it is and what measured it.
    sources: Vec<Source>,
}

/// What it is assumed to be is the preset: equal names are equal numbers.
impl PartialEq for GpuPreset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for GpuPreset {}

impl std::hash::Hash for GpuPreset {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl GpuPreset {
    /// All numbers with their values and sources.
    pub fn numbers(&self) -> impl Iterator<Item = NumberOf<'_>> {
        let values = gpu_fields().zip(self.numbers.values());
        values.zip(&self.sources).map(|((field, value), source)| NumberOf { field, value, source })
    }

    /// Every preset, the generic one first.
    ///
    /// # Panics
    /// If a file that is part of this crate is wrong, which its tests find.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<GpuPreset>> = LazyLock::new(|| {
            read_all(FILES).unwrap_or_else(|problem| panic!("a preset of this crate is wrong: {problem}"))
        });
        &ALL
    }
}

macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../presets/gpu/", $name, ".toml")))),*]
    };
}

/// Every preset's name and text, bases before those built on them; of a generation the one first that `-arch` means.
const FILES: &[(&str, &str)] =
    files!["generic", "nvidia-a100", "geforce-rtx-4090", "nvidia-l40", "nvidia-h100", "nvidia-h200",];

/// What names of NVIDIA's GPUs begin with, as targets.
pub(crate) const VENDOR: &str = "nvidia/";

/// The preset of a generation: letters after its number, as in `sm_90a`, name instructions, not another GPU.
pub(crate) fn of_arch(arch: Option<&str>) -> &'static GpuPreset {
    let [generic, known @ ..] = GpuPreset::all() else { unreachable!("a test sees that there is a generic preset") };
    let number = arch.map(|arch| arch.trim_end_matches(|c: char| c.is_ascii_lowercase()));
    known.iter().find(|preset| preset.arch.as_deref() == number).unwrap_or(generic)
}

/// The preset of this name.
pub(crate) fn named(name: &str) -> Result<&'static GpuPreset, TargetError> {
    GpuPreset::all().iter().find(|preset| preset.name == name).ok_or_else(|| {
        let known: Vec<&str> = GpuPreset::all().iter().map(|preset| preset.name).collect();
        let hint = nearest(name, known.iter().copied()).map(|name| format!("; did you mean \"{name}\"?"));
        TargetError(format!("unknown GPU \"{name}\"{}; known are {}", hint.unwrap_or_default(), known.join(", ")))
    })
}

/// The options of `cuda` that a target such as `nvidia/nvidia-h100` stands for.
pub(crate) fn options_of(target: &str) -> Result<Vec<(&'static str, &'static str)>, TargetError> {
    let preset = named(target.strip_prefix(VENDOR).unwrap_or(target))?;
    let arch = preset.arch.as_deref().map(|arch| ("arch", arch));
    Ok(arch.into_iter().chain([("machine", preset.name)]).collect())
}

fn read_all(files: &[(&'static str, &str)]) -> Result<Vec<GpuPreset>, String> {
    let mut found: Vec<GpuPreset> = Vec::new();
    for (name, text) in files {
        let preset = resolve(name, text, &found).map_err(|problem| format!("{name}.toml: {problem}"))?;
        found.push(preset);
    }
    Ok(found)
}

/// A preset with what it inherits from one of those that are `known`; the first one has everything itself.
fn resolve(name: &'static str, text: &str, known: &[GpuPreset]) -> Result<GpuPreset, String> {
    let file = read(text)?;
    let base = match (&file.base, known.first()) {
        (Some(base), _) => {
            Some(known.iter().find(|preset| preset.name == *base).ok_or(format!("no preset `{base}` is before it"))?)
        }
        (None, generic) => generic,
    };
    let none = Source { preset: name, text: String::new() };
    let mut preset = match base {
        Some(base) => GpuPreset { name, ..base.clone() },
        None => GpuPreset { name, arch: None, numbers: Gpu::default(), sources: vec![none; gpu_fields().count()] },
    };
    preset.arch = file.arch.or(preset.arch);
    for Given { field, value, source } in file.numbers {
        if field.section != "gpu" || !preset.numbers.set(field.name, value) {
            return Err(format!("`{}` of [{}] cannot be {value}", field.name, field.section));
        }
        let own = gpu_fields().zip(&mut preset.sources).find(|(known, _)| **known == *field).map(|(_, own)| own);
        if let Some(own) = own {
            *own = Source { preset: name, text: source };
        }
    }
    match gpu_fields().zip(&preset.sources).find(|(_, source)| source.text.is_empty()) {
        Some((absent, _)) => Err(format!("there is no `{}` in [gpu]", absent.name)),
        None => Ok(preset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    #[test]
    fn every_file_of_the_folder_is_in_the_list_and_has_numbers_with_sources() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets/gpu");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let (mut files, mut listed): (Vec<String>, Vec<String>) =
            (files.collect(), FILES.iter().map(|(name, _)| format!("{name}.toml")).collect());
        files.sort();
        listed.sort();
        assert_eq!(files, listed);
        for preset in read_all(FILES).unwrap() {
            for NumberOf { field, value, source } in preset.numbers() {
                assert!(value > 0.0 && !source.text.is_empty(), "{}: {} from {source:?}", preset.name, field.name);
            }
        }
    }

    #[test]
    fn a_gpu_is_named_by_its_generation_or_its_name() {
        let gpu = |text: &str| Target::parse(text).map(|target| target.device.unwrap().gpu.unwrap().name);
        for (text, name) in [
            ("cuda", "generic"),
            ("cuda -arch=sm_75", "generic"),
            ("cuda -arch=sm_80", "nvidia-a100"),
            ("cuda -arch=sm_90a", "nvidia-h100"),
            ("cuda -arch=sm_90 -machine=nvidia-h200", "nvidia-h200"),
            ("nvidia/nvidia-h200", "nvidia-h200"),
            ("nvidia/geforce-rtx-4090 -max_threads_per_block=256", "geforce-rtx-4090"),
        ] {
            assert_eq!(gpu(text).as_deref(), Ok(name), "{text}");
            let target = Target::parse(text).unwrap();
            assert_eq!(Target::parse(&target.to_string()), Ok(target));
        }
        let unknown = gpu("nvidia/nvidia-h10").unwrap_err().to_string();
        assert!(unknown.contains("did you mean \"nvidia-h100\"?"), "{unknown}");
    }

    #[test]
    fn rates_are_those_of_datasheets() {
        // TFLOP/s of float32 and of dense float16.
        for (name, f32, f16) in
            [("nvidia-a100", 19.5, 312.0), ("geforce-rtx-4090", 82.6, 165.2), ("nvidia-l40", 90.5, 181.05)]
        {
            let numbers = named(name).unwrap().numbers;
            let matrix = numbers.matrix_fma_per_cycle * numbers.clock_ghz * f64::from(numbers.multiprocessors);
            let near = |found: f64, expected: f64| (2.0 * found / 1000.0 / expected - 1.0).abs() < 0.01;
            assert!(near(numbers.f32_fma_per_ns(), f32) && near(matrix, f16), "{name}");
        }
    }
}
