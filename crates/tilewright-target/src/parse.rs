//! Target strings.

use std::fmt;

use tilewright_support::nearest;
use tilewright_tensor::DeviceKind;

use crate::{Arch, Device, Target, gpus, host, presets};

/// The text names no target, or not one that this version builds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetError(pub String);

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TargetError {}

const OPTIONS: [&str; 7] = ["mtriple", "mcpu", "machine", "mattr", "num-cores", "keys", "device"];

/// The options whose values are lists of words.
const LISTS: [&str; 3] = ["mattr", "keys", "libs"];

/// What an option says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue<'t> {
    Words(Vec<&'t str>),
    Number(i64),
    Text(&'t str),
}

/// The words of a target string: what kernels run on, and the options as they were written, without the dashes in
/// front.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetWords<'t> {
    pub device: DeviceKind,
    /// Names and values in order; a name may stand there more than once. The name of a processor in the place of the
    /// kind is its `mcpu`.
    pub options: Vec<(&'t str, &'t str)>,
}

impl<'t> TargetWords<'t> {
    /// The words of the text; whether each option is known, and has a value that fits, is not looked at.
    pub fn of(text: &'t str) -> Result<Self, TargetError> {
        let mut words = text.split_whitespace();
        let (device, mut options) = match words.next() {
            Some("llvm" | "cpu" | "c") => (DeviceKind::Cpu, Vec::new()),
            Some(name) if presets::all().iter().any(|preset| preset.name == name) => {
                (DeviceKind::Cpu, vec![("mcpu", name)])
            }
            Some("cuda" | "nvidia") => (DeviceKind::Cuda, Vec::new()),
            Some(name) if name.starts_with(gpus::VENDOR) => (DeviceKind::Cuda, gpus::options_of(name)?),
            Some("ext_dev") => (DeviceKind::ExtDev, Vec::new()),
            Some(other) => {
                let hint =
                    nearest(other, presets::all().iter().map(|preset| preset.name).chain(["llvm", "cuda", "ext_dev"]))
                        .map(|name| format!("; did you mean \"{name}\"?"));
                return Err(TargetError(format!("unknown target \"{other}\"{}", hint.unwrap_or_default())));
            }
            None => return Err(TargetError("expected a target such as \"llvm\", found an empty text".into())),
        };
        for word in words {
            let option =
                word.strip_prefix("--").or_else(|| word.strip_prefix('-')).and_then(|word| word.split_once('='));
            let expected = || format!("expected an option such as -mcpu=haswell, found \"{word}\"");
            options.push(option.ok_or_else(|| TargetError(expected()))?);
        }
        Ok(Self { device, options })
    }

    /// What each option says, in the order of the first ones of each name: the words of all in a list, else the last.
    pub fn values(&self) -> Vec<(&'t str, OptionValue<'t>)> {
        let mut found: Vec<(&str, OptionValue<'_>)> = Vec::new();
        for &(name, text) in &self.options {
            let value = match text.parse() {
                _ if LISTS.contains(&name) => OptionValue::Words(words_of(text).collect()),
                Ok(number) => OptionValue::Number(number),
                Err(_) => OptionValue::Text(text),
            };
            match (found.iter_mut().find(|(known, _)| *known == name), value) {
                (Some((_, OptionValue::Words(all))), OptionValue::Words(more)) => all.extend(more),
                (Some((_, known)), value) => *known = value,
                (None, value) => found.push((name, value)),
            }
        }
        found
    }
}

fn words_of(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter(|word| !word.is_empty())
}

/// A target string without the option `-host=…`, and the target string of that option, which stands in quotes where it
/// has options of its own: `cuda -host='llvm -mcpu=haswell' -arch=sm_90`.
pub fn split_host(text: &str) -> (String, Option<String>) {
    let words = |part: &str| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let found = ["-host=", "-host "].into_iter().find_map(|key| {
        let (front, host) = text.split_once(key)?;
        front.trim_end_matches('-').ends_with(char::is_whitespace).then_some((front, host))
    });
    let Some((front, host)) = found else { return (text.trim().to_owned(), None) };
    let host = host.trim_start();
    let quoted = ['\'', '"'].into_iter().find_map(|quote| Some((quote, host.strip_prefix(quote)?)));
    let (host, rest) = match quoted {
        Some((quote, host)) => host.split_once(quote).unwrap_or((host, "")),
        None => host.split_once(char::is_whitespace).unwrap_or((host, "")),
    };
    let words = [words(front.trim_end_matches('-')), words(rest)].concat();
    (words.join(" "), Some(host.trim().to_owned()))
}

pub(crate) fn parse(text: &str) -> Result<Target, TargetError> {
    let words = TargetWords::of(text)?;
    let device = match words.device {
        DeviceKind::Cuda => Device::cuda(&words.options)?,
        DeviceKind::ExtDev => Device { kind: DeviceKind::ExtDev, arch: None, limits: None, gpu: None },
        _ => return parse_cpu(&words.options),
    };
    let host = match device.limits {
        Some(_) => Target::host(),
        None => parse_cpu(&words.options)?,
    };
    Ok(Target { device: Some(device), ..host })
}

fn parse_cpu(options: &[(&str, &str)]) -> Result<Target, TargetError> {
    let (mut triple, mut cpu, mut machine, mut attributes, mut cores) = (None, None, None, Vec::new(), None);
    for &(option, value) in options {
        match option {
            "mtriple" => triple = Some(value),
            "mcpu" => cpu = Some(value),
            "machine" => machine = Some(value),
            "mattr" => attributes.extend(words_of(value)),
            "num-cores" => {
                let number = value.parse().ok().filter(|&n: &u32| n > 0);
                cores =
                    Some(number.ok_or_else(|| TargetError(format!("expected a number of cores, found \"{value}\"")))?);
            }
            // Words for people and other compilers.
            "keys" | "device" => {}
            other => {
                let hint = nearest(other, OPTIONS).map(|name| format!("; did you mean -{name}?"));
                return Err(TargetError(format!("unknown option -{other} of \"llvm\"{}", hint.unwrap_or_default())));
            }
        }
    }
    let mut target = match (triple, cpu) {
        (None, None | Some("native")) => Target::host(),
        _ => named(triple, cpu)?,
    };
    if let Some(name) = machine {
        let preset = preset_named(name, target.arch)?;
        target.take_numbers(preset);
    }
    for attribute in attributes {
        change_feature(&mut target, attribute)?;
    }
    target.fit_to_features();
    target.limits.cores = cores.unwrap_or(target.limits.cores);
    Ok(target)
}

/// A machine by triple and processor; what is absent is the host's architecture and the architecture's baseline.
fn named(triple: Option<&str>, cpu: Option<&str>) -> Result<Target, TargetError> {
    let given = triple.map(architecture).transpose()?;
    let of_any = |name: &str| presets::all().iter().find(|p| p.name == name && given.is_none_or(|arch| arch == p.arch));
    let arch = given.unwrap_or(host::ARCH);
    let preset = match cpu {
        Some("native") if arch == host::ARCH => {
            let mut host = Target::host();
            host.triple = triple.unwrap_or(host::triple(arch)).to_owned();
            return Ok(host);
        }
        Some(name) => of_any(name).map_or_else(|| preset_named(name, arch), Ok)?,
        None => {
            presets::baseline(arch).ok_or_else(|| TargetError("no processor of this architecture is known".into()))?
        }
    };
    Ok(preset.target(triple.unwrap_or(host::triple(preset.arch))))
}

/// The preset of this name and architecture.
fn preset_named(name: &str, arch: Arch) -> Result<&'static presets::Preset, TargetError> {
    presets::find(arch, name).ok_or_else(|| {
        let known: Vec<&str> = presets::all().iter().filter(|p| p.arch == arch).map(|p| p.name).collect();
        let hint = nearest(name, known.iter().copied()).map(|name| format!("; did you mean \"{name}\"?"));
        let known = known.join(", ");
        TargetError(format!("unknown processor \"{name}\"{}; known are {known}", hint.unwrap_or_default()))
    })
}

/// The architecture that a triple begins with. Kernels are made for Linux only, in its object format.
fn architecture(triple: &str) -> Result<Arch, TargetError> {
    let arch = match triple.split('-').next() {
        Some("x86_64") => Arch::X86_64,
        Some("aarch64" | "arm64") => Arch::AArch64,
        _ => return Err(TargetError(format!("expected a triple of x86_64 or aarch64, found \"{triple}\""))),
    };
    let plain = triple.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    if plain && triple.contains("linux") {
        return Ok(arch);
    }
    Err(TargetError(format!("expected a triple of Linux such as {}, found \"{triple}\"", host::triple(arch))))
}

/// The features that may be named, for an architecture: those of its presets, with the units that they have.
fn known_features(arch: Arch) -> impl Iterator<Item = &'static str> {
    let presets = presets::all().iter().filter(move |preset| preset.arch == arch);
    presets.flat_map(|preset| preset.features.iter().chain(&preset.units)).map(String::as_str)
}

/// Features without which another one has no meaning.
const NEEDS: &[(&str, &str)] = &[
    ("sse2", "sse"),
    ("sse3", "sse2"),
    ("ssse3", "sse3"),
    ("sse4.1", "ssse3"),
    ("sse4.2", "sse4.1"),
    ("avx", "sse4.2"),
    ("avx2", "avx"),
    ("fma", "avx"),
    ("f16c", "avx"),
    ("avxvnni", "avx2"),
    ("avx512f", "avx2"),
    ("avx512f", "fma"),
    ("avx512f", "f16c"),
    ("avx512bw", "avx512f"),
    ("avx512cd", "avx512f"),
    ("avx512dq", "avx512f"),
    ("avx512vl", "avx512f"),
    ("avx512vnni", "avx512f"),
    ("avx512ifma", "avx512f"),
    ("avx512vbmi", "avx512bw"),
    ("avx512vbmi2", "avx512bw"),
    ("avx512bitalg", "avx512bw"),
    ("avx512vpopcntdq", "avx512f"),
    ("vpclmulqdq", "avx"),
    ("gfni", "sse2"),
    ("avx512bf16", "avx512bw"),
    ("avx512fp16", "avx512bw"),
    ("avx512fp16", "avx512vl"),
    ("amx-int8", "amx-tile"),
    ("amx-bf16", "amx-tile"),
    ("neon", "fp-armv8"),
    ("dotprod", "neon"),
    ("fullfp16", "neon"),
    ("bf16", "neon"),
    ("i8mm", "neon"),
    ("rdm", "neon"),
];

/// Adds a feature or a matrix unit with all that it needs, or removes it with all that need it.
fn change_feature(target: &mut Target, attribute: &str) -> Result<(), TargetError> {
    let (add, name) = match (attribute.strip_prefix('+'), attribute.strip_prefix('-')) {
        (Some(name), _) => (true, name),
        (_, Some(name)) => (false, name),
        _ => return Err(TargetError(format!("expected +feature or -feature, found \"{attribute}\""))),
    };
    if !known_features(target.arch).any(|known| known == name) {
        let hint = nearest(name, known_features(target.arch)).map(|name| format!("; did you mean \"{name}\"?"));
        return Err(TargetError(format!("unknown processor feature \"{name}\"{}", hint.unwrap_or_default())));
    }
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        if add {
            open.extend(NEEDS.iter().filter(|(user, _)| *user == name).map(|(_, needed)| (*needed).to_owned()));
            match presets::all().iter().any(|preset| preset.arch == target.arch && preset.units.contains(&name)) {
                true => target.units.insert(name),
                false => target.features.insert(name),
            };
        } else {
            open.extend(NEEDS.iter().filter(|(_, needed)| *needed == name).map(|(user, _)| (*user).to_owned()));
            target.features.remove(&name);
            target.units.remove(&name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn error(text: &str) -> String {
        Target::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn plain_llvm_is_the_host() {
        assert_eq!(Target::parse("llvm"), Ok(Target::host()));
        assert_eq!(Target::parse("llvm -mcpu=native"), Ok(Target::host()));
    }

    #[test]
    fn a_target_prints_as_a_string_that_gives_it_back() {
        let texts = [
            "llvm",
            "llvm -mcpu=haswell",
            "llvm -mcpu=znver4 -mattr=-avx512f",
            "llvm -mcpu=neoverse-n1",
            "llvm -mcpu=sapphirerapids",
            "llvm -mcpu=sapphirerapids -mattr=-amx-tile",
            "llvm -mcpu=icelake-server -mattr=+amx-int8",
        ];
        for text in texts {
            let target = Target::parse(text).unwrap();
            let again = Target::parse(&target.to_string()).unwrap();
            assert_eq!(again.units, target.units, "{text}");
            assert_eq!((&again.features, &again.triple, &again.cpu), (&target.features, &target.triple, &target.cpu));
        }
    }

    #[test]
    fn features_come_with_what_they_need() {
        let target = Target::parse("llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma").unwrap();
        assert!(target.has("sse4.1") && target.has("fma") && target.vector_bits == 256);
        let target = Target::parse("llvm -mcpu=skylake-avx512 -mattr=-avx2").unwrap();
        assert!(!target.has("avx512bw") && target.has("avx") && target.vector_bits == 256);
    }

    #[test]
    fn another_architecture_is_named_by_triple_or_processor() {
        let target = Target::parse("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v1").unwrap();
        assert_eq!((target.arch, target.has("bf16"), target.lanes(32)), (Arch::AArch64, true, 4));
        assert_eq!(Target::parse("llvm -mcpu=neoverse-n1").unwrap().arch, Arch::AArch64);
    }

    #[test]
    fn a_processor_alone_is_a_target() {
        assert_eq!(Target::parse("haswell"), Target::parse("llvm -mcpu=haswell"));
        assert_eq!(Target::parse("znver4 -mattr=-avx512f"), Target::parse("llvm -mcpu=znver4 -mattr=-avx512f"));
        assert!(error("haswel").contains("did you mean \"haswell\""));
    }

    #[test]
    fn the_words_of_a_target_are_kept() {
        let words = TargetWords::of("haswell --mattr=+fma -keys=mine,cpu -mattr=-avx2").unwrap();
        assert_eq!(words.device, DeviceKind::Cpu);
        let expected = [("mcpu", "haswell"), ("mattr", "+fma"), ("keys", "mine,cpu"), ("mattr", "-avx2")];
        assert_eq!(words.options, expected);
        let features = OptionValue::Words(vec!["+fma", "-avx2"]);
        let keys = OptionValue::Words(vec!["mine", "cpu"]);
        assert_eq!(words.values(), [("mcpu", OptionValue::Text("haswell")), ("mattr", features), ("keys", keys)]);
        let cores = TargetWords::of("llvm -num-cores=2 -num-cores=4").unwrap();
        assert_eq!(cores.values(), [("num-cores", OptionValue::Number(4))]);
        assert_eq!(Target::parse("haswell -keys=mine"), Target::parse("haswell"));
    }

    #[test]
    fn wrong_targets_are_refused_with_a_next_step() {
        assert!(error("lvm").contains("did you mean \"llvm\""));
        assert!(error("llvm -mcpu=haswel").contains("did you mean \"haswell\""));
        assert!(error("llvm -mattr=+avx3").contains("unknown processor feature"));
        assert!(error("llvm -mattr=avx2").contains("+feature"));
        assert!(error("llvm -mcp=haswell").contains("did you mean -mcpu"));
        assert!(error("llvm -mtriple=x86_64-pc-windows-msvc").contains("Linux"));
        assert!(error("").contains("empty"));
        for word in ["mcpu=haswell", "-mcpu", "haswell"] {
            assert!(error(&format!("llvm {word}")).contains(&format!("such as -mcpu=haswell, found \"{word}\"")));
        }
    }

    #[test]
    fn no_feature_of_a_preset_lacks_what_it_needs() {
        for preset in presets::all() {
            let features = preset.features.union(&preset.units).cloned().collect::<std::collections::BTreeSet<_>>();
            for (user, needed) in NEEDS {
                assert!(!features.contains(*user) || features.contains(*needed), "{}: {user} {needed}", preset.name);
            }
        }
    }

    #[test]
    fn names_of_processors_and_their_architectures_fit_each_other() {
        assert!(error("llvm -mcpu=znver").contains("did you mean \"znver"));
        assert!(error("llvm -mcpu=neoverse-n3").contains("known are"));
        assert!(error("llvm -mtriple=aarch64-linux-gnu -mcpu=haswell").contains("neoverse-n1"));
        for preset in presets::all() {
            let target = Target::parse(&format!("llvm -mcpu={} -num-cores=3", preset.name)).unwrap();
            assert_eq!((target.arch, &*target.cpu, target.limits.cores), (preset.arch, preset.name, 3));
        }
    }

    #[test]
    fn a_gpu_has_as_many_threads_in_a_block_as_its_options_say() {
        let threads = |text: &str| {
            Target::parse(text).map(|target| target.device.map(|device| device.limits.unwrap().max_threads_per_block))
        };
        assert_eq!(threads("cuda"), Ok(Some(1024)));
        assert_eq!(threads("llvm"), Ok(None));
        let text = "cuda -arch=sm_80 -max_threads_per_block=128";
        let small = Target::parse(text).unwrap();
        assert_eq!(small.to_string(), text);
        assert_eq!(Target::parse(&small.to_string()), Ok(small));
        for text in ["cuda -max_threads_per_block=0", "cuda -max_threads_per_block=2000", "cuda -max_num_threads=x"] {
            assert!(threads(text).unwrap_err().to_string().contains("from 1 to 1024"), "{text}");
        }
        assert!(threads("cuda -mcpu=x").unwrap_err().to_string().contains("unknown option -mcpu"));
    }

    #[test]
    fn a_device_has_a_processor_of_its_own() {
        let cuda = Target::parse("cuda -thread_warp_size=64 -max_shared_memory_per_block=65536").unwrap();
        let limits = cuda.device.as_ref().unwrap().limits.unwrap();
        assert_eq!((limits.warp_size, limits.shared_memory_bytes, limits.max_grid[1]), (64, 65536, 65535));
        assert_eq!((cuda.kind(), &cuda.host), (Kind::Gpu, &Target::host().host));
        let haswell = Target::parse("haswell").unwrap();
        let combined = cuda.clone().with_host(&haswell);
        assert_eq!((&combined.host, &combined.device), (&haswell.host, &cuda.device));
        assert_eq!(haswell.clone().with_host(&Target::host()), haswell);
        assert!(error("cuda -thread_warp_size=none").contains("threads of a warp, found \"none\""));
    }

    #[test]
    fn the_device_of_tests_runs_kernels_of_a_processor() {
        let target = Target::parse("ext_dev -mcpu=haswell").unwrap();
        assert_eq!(
            (target.device_kind(), target.kind(), target.kind_name()),
            (DeviceKind::ExtDev, Kind::Cpu, "ext_dev")
        );
        assert_eq!(target.host, Target::parse("haswell").unwrap().host);
        assert_eq!(Target::parse(&target.to_string()), Ok(target));
        assert!(error("ext_dev -mcpu=haswel").contains("did you mean \"haswell\""));
    }

    #[test]
    fn numbers_may_be_those_of_another_processor() {
        let target = Target::parse("llvm -mcpu=x86-64-v3 -machine=znver2").unwrap();
        let zen2 = Target::parse("znver2").unwrap();
        assert_eq!((&*target.cpu, target.core, target.limits), ("x86-64-v3", zen2.core, zen2.limits));
        assert!(!target.has("avx512f") && target.vector_bits == 256);
        assert_eq!(Target::parse(&target.to_string()), Ok(target));
        assert!(error("llvm -mcpu=haswell -machine=znver22").contains("did you mean \"znver2\""));
        assert!(error("llvm -mcpu=neoverse-n1 -machine=haswell").contains("known are generic"));
    }

    #[test]
    fn a_matrix_unit_comes_with_its_registers() {
        let target = Target::parse("icelake-server -mattr=+amx-int8").unwrap();
        assert!(target.has_unit("amx-int8") && target.has_unit("amx-tile") && !target.has_unit("amx-bf16"));
        assert!(!target.has("amx-int8") && !target.llvm_features().contains("amx"));
        let without = Target::parse("sapphirerapids -mattr=-amx-tile").unwrap();
        assert!(!without.has_unit("amx-int8") && without.units.is_empty());
    }

    #[test]
    fn a_generation_of_gpus_is_said_by_its_number() {
        let code = |text: &str| Target::parse(text).map(|target| target.of_code().cpu.clone());
        assert_eq!(code("cuda").as_deref(), Ok("sm_80"));
        assert_eq!(code("cuda -arch=sm_90a").as_deref(), Ok("sm_90a"));
        assert_eq!(code("cuda -arch=compute_89").as_deref(), Ok("sm_89"));
        for wrong in ["90", "sm_", "sm_9x", "gfx90a", "sm_20"] {
            let refused = code(&format!("cuda -arch={wrong}")).unwrap_err().to_string();
            assert!(refused.contains("sm_80"), "{refused}");
        }
        assert_eq!(Target::parse("cuda").unwrap().check_supported(), Ok(()));
    }
}
