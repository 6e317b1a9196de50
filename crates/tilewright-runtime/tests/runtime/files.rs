//! Executables as files, whole and damaged.

use std::path::PathBuf;
use std::sync::Arc;

use tilewright_runtime::{ErrorKind, Executable, Value, VirtualMachine, registry};
use tilewright_tensor::DataType;
use tilewright_vm_program::*;

use crate::code::{floats, portable, row};

/// A file in the build's own folder for such things, removed afterwards.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id())))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// `main()` gives a constant, `other()` another one.
fn constants(first: f32) -> Executable {
    let mut program = ProgramBuilder::default();
    for (name, value) in [("main", first), ("other", -1.0)] {
        let constant = program.constant(&floats(&[value; 5000])).unwrap();
        let mut function = FunctionBuilder::new(name);
        let constant = function.load_const(constant);
        function.ret(constant);
        program.function(function);
    }
    let package = Package::new(TargetInfo::portable(), program.finish().unwrap());
    Executable::load(package.encode().unwrap()).unwrap()
}

fn first_element(executable: Executable, function: &str) -> Result<f32, tilewright_runtime::Error> {
    let machine = VirtualMachine::new(Arc::new(executable), &[])?;
    let value = machine.function(function)?.call(&[])?;
    Ok(value.as_tensor()?.as_slice::<f32>()?[0])
}

#[test]
#[cfg(unix)]
fn devices_and_pipes_are_written_into_and_not_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let executable = constants(2.5);
    let (pipe, link, target) = (Place::new("pipe"), Place::new("link"), Place::new("link-target"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe.0).status().unwrap().success());
    let path = pipe.0.clone();
    let reader = std::thread::spawn(move || std::fs::read(path).unwrap());
    executable.save(&pipe.0).unwrap();
    assert!(std::fs::metadata(&pipe.0).unwrap().file_type().is_fifo());
    assert_eq!(reader.join().unwrap(), executable.bytes().as_slice());
    // A link stays one; the file that it leads to is replaced.
    constants(1.0).save(&target.0).unwrap();
    symlink(&target.0, &link.0).unwrap();
    executable.save(&link.0).unwrap();
    assert!(std::fs::symlink_metadata(&link.0).unwrap().is_symlink());
    assert_eq!(std::fs::read(&target.0).unwrap(), executable.bytes().as_slice());
    let error = executable.save(env!("CARGO_TARGET_TMPDIR")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
}

#[test]
fn a_saved_file_runs_and_has_the_same_bytes() {
    let place = Place::new("saved");
    let executable = constants(2.5);
    executable.save(&place.0).unwrap();
    let opened = Executable::open(&place.0).unwrap();
    assert_eq!(opened.bytes(), executable.bytes());
    // Saving over a file that is open leaves the open one as it was.
    constants(3.5).save(&place.0).unwrap();
    assert_eq!(first_element(opened, "main").unwrap(), 2.5);
    assert_eq!(first_element(Executable::open(&place.0).unwrap(), "main").unwrap(), 3.5);
}

#[test]
fn files_that_are_not_there_or_are_none() {
    let place = Place::new("absent");
    let error = Executable::open(&place.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io { .. }) && error.to_string().contains("absent"), "{error}");
    std::fs::write(&place.0, b"").unwrap();
    assert!(Executable::open(&place.0).unwrap_err().to_string().contains("not a Tilewright executable"));
    let bytes = constants(1.0).bytes().as_slice().to_vec();
    std::fs::write(&place.0, &bytes[..bytes.len() - 10]).unwrap();
    assert!(Executable::open(&place.0).unwrap_err().to_string().contains("malformed"));
    assert!(constants(1.0).save("/").is_err());
}

#[test]
fn a_damaged_constant_is_found_when_it_is_used() {
    let place = Place::new("damaged");
    let mut bytes = constants(1.0).bytes().as_slice().to_vec();
    let constants_section = bytes.len() - 2 * 5000 * 4 - 32;
    bytes[constants_section + 1000] ^= 1;
    std::fs::write(&place.0, &bytes).unwrap();
    assert_eq!(first_element(Executable::open(&place.0).unwrap(), "other").unwrap(), -1.0);
    let error = first_element(Executable::open(&place.0).unwrap(), "main").unwrap_err();
    assert_eq!(error.to_string(), "the executable is damaged: constant 0 does not match its checksum");
}

/// Programs that passed the verifier, whatever they are, run without a panic.
#[test]
fn mutated_programs_run_or_fail_in_order() {
    registry::register("files.tests.first", |args| Ok(args.first().cloned().unwrap_or_default())).unwrap();
    let mut program = ProgramBuilder::default();
    let packed = program.packed("files.tests.first");
    let constant = program.constant(&floats(&[1.0, 2.0])).unwrap();
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", row(n));
    let flag = main.param("flag", Kind::prim(DataType::BOOL));
    main.arena_bytes(256);
    let half = main.compute_dim("half", ScalarOp::FloorDiv, Dim::Slot(n), Dim::Const(2));
    let inner = main.alloc(DataType::F32, &[half, Dim::Slot(n)], Storage::Arena { offset: 64, bytes: 128 });
    let fixed = main.alloc(DataType::F32, &[Dim::Const(8)], Storage::Arena { offset: 192, bytes: 64 });
    main.call_dps_packed(packed, &[inner, fixed]);
    let constant = main.load_const(constant);
    let result = main.register();
    let otherwise = main.branch(flag);
    let shape = main.make_shape(&[Dim::Slot(n), half]);
    let pair = main.make_tuple(&[shape, constant, x]);
    let item = main.get_item(pair, 1);
    main.match_kind(item, Kind::tensor(DataType::F32, &[DimPattern::Const(2)]), "the item");
    main.move_to(result, item);
    let end = main.goto();
    main.land(otherwise);
    let called = main.call_packed(packed, &[x]);
    main.move_to(result, called);
    main.land(end);
    main.kill(inner);
    main.ret(result);
    let machine = portable_with(program, main);
    let original = machine.executable().bytes().as_slice().to_vec();
    let args = [Value::from(floats(&[1.0; 4])), Value::Bool(true)];
    machine.function("main").unwrap().call(&args).unwrap();

    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let entry = |section: usize| 24 + section * 24;
    let number = |at: usize| u64::from_le_bytes(original[at..at + 8].try_into().unwrap()) as usize;
    let (start, length) = (number(entry(1) + 8), number(entry(1) + 16));
    let (mut ran, mut failed) = (0, 0);
    for _ in 0..30_000 {
        let mut bytes = original.clone();
        for _ in 0..=below(2) {
            bytes[start + below(length)] = [0, 1, 2, 3, 4, 5, 8, 16, 64, 128, 255][below(11)];
        }
        let checksum = crc32(&bytes[start..start + length]);
        bytes[entry(1) + 4..entry(1) + 8].copy_from_slice(&checksum.to_le_bytes());
        bytes[20..24].fill(0);
        let table = 24 + 24 * bytes[16] as usize;
        let checksum = crc32(&bytes[..table]);
        bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
        let Ok(executable) = Executable::load_copy(&bytes) else { continue };
        let Ok(machine) = VirtualMachine::new(Arc::new(executable), &[]) else { continue };
        let Ok(main) = machine.function("main") else { continue };
        for flag in [true, false] {
            match main.call(&[args[0].clone(), Value::Bool(flag)]) {
                Ok(_) => ran += 1,
                Err(_) => failed += 1,
            }
        }
    }
    assert!(ran > 100 && failed > 100, "{ran} ran, {failed} failed");
}

fn portable_with(mut program: ProgramBuilder, main: FunctionBuilder) -> VirtualMachine {
    program.function(main);
    let bytes = Package::new(TargetInfo::portable(), program.finish().unwrap()).encode().unwrap();
    VirtualMachine::new(Arc::new(Executable::load(bytes).unwrap()), &[]).unwrap()
}

/// CRC-32 as the format has it, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[test]
fn a_portable_program_needs_no_machine() {
    let mut main = FunctionBuilder::new("main");
    main.ret_none();
    assert!(matches!(portable(main).function("main").unwrap().call(&[]).unwrap(), Value::None));
}

/// Machine code of every version of the format that is read: `max(x · w, 0)` modulo 0.75, for the weight of the file.
#[test]
#[cfg(target_arch = "x86_64")]
fn kept_files_of_older_versions_run() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tilewright-vm-program/tests/corpus");
    for version in OLDEST_FORMAT_VERSION..=FORMAT_VERSION {
        let executable = Executable::open(corpus.join(format!("v{version}/kernels-x86_64.twx"))).unwrap();
        let machine = VirtualMachine::new(Arc::new(executable), &[]).unwrap();
        for n in [0usize, 1, 7] {
            let x: Vec<f32> = (0..n * 4).map(|i| (i as f32 - 9.0) * 0.375).collect();
            let expected = x.chunks(4).flat_map(|row| {
                (0..4).map(|j| {
                    let sum: f32 = (0..4).map(|k| row[k] * ((((k * 4 + j) * 7 % 5) as f32 - 2.0) * 0.5)).sum();
                    sum.max(0.0) % 0.75
                })
            });
            let expected: Vec<f32> = expected.collect();
            let x = tilewright_tensor::Tensor::from_vec(&[n as i64, 4], x).unwrap();
            let y = machine.function("main").unwrap().call(&[x.into()]).unwrap();
            assert_eq!(y.as_tensor().unwrap().to_vec::<f32>().unwrap(), expected, "version {version}, {n} rows");
        }
    }
}

/// A file with a constant of 2 GiB of zeros, which takes no space on disk, after one of 20,000 bytes.
fn file_with_a_large_constant(place: &Place) {
    const SMALL: usize = 5003;
    let mut program = ProgramBuilder::default();
    for (name, elements) in [("main", 5000), ("other", SMALL)] {
        let constant = program.constant(&floats(&vec![1.5; elements])).unwrap();
        let mut function = FunctionBuilder::new(name);
        let constant = function.load_const(constant);
        function.ret(constant);
        program.function(function);
    }
    let package = Package::new(TargetInfo::portable(), program.finish().unwrap());
    let mut bytes = package.encode().unwrap().as_slice().to_vec();
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    // The second constant claims more elements: its shape, the section's length, and their checksums say so.
    let large = 1usize << 29;
    let shape = bytes.windows(8).position(|window| window == SMALL.to_le_bytes()).unwrap();
    bytes[shape..shape + 8].copy_from_slice(&large.to_le_bytes());
    let grown = (large - SMALL) * 4;
    let count = bytes[16] as usize;
    for entry in (0..count).map(|section| 24 + 24 * section) {
        let (start, length) = (word(&bytes, entry + 8), word(&bytes, entry + 16));
        if bytes[entry] == 4 {
            bytes[entry + 16..entry + 24].copy_from_slice(&(length + grown).to_le_bytes());
        } else {
            let checksum = crc32(&bytes[start..start + length]);
            bytes[entry + 4..entry + 8].copy_from_slice(&checksum.to_le_bytes());
        }
    }
    bytes[20..24].fill(0);
    let checksum = crc32(&bytes[..24 + 24 * count]);
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(&place.0, &bytes).unwrap();
    std::fs::File::options().write(true).open(&place.0).unwrap().set_len((bytes.len() + grown) as u64).unwrap();
}

/// Bytes of a mapped file that are in memory.
#[cfg(target_os = "linux")]
fn resident_bytes(path: &std::path::Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let mut lines = maps.lines().skip_while(|line| !line.ends_with(name));
    let line = lines.find_map(|line| line.strip_prefix("Rss:")).expect("the file is mapped");
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[test]
#[cfg(target_os = "linux")]
fn opening_a_large_file_touches_none_of_its_weights() {
    let place = Place::new("large");
    file_with_a_large_constant(&place);
    let executable = Executable::open(&place.0).unwrap();
    assert_eq!(executable.program().constants[1].num_bytes(), 1 << 31);
    let machine = VirtualMachine::new(Arc::new(executable), &[]).unwrap();
    // The small weight is checked and used; the system may read a little ahead.
    let value = machine.function("main").unwrap().call(&[]).unwrap();
    assert_eq!(value.as_tensor().unwrap().as_slice::<f32>().unwrap()[4999], 1.5);
    let resident = resident_bytes(&place.0);
    assert!(resident < 4 << 20, "{resident} bytes of the file are in memory");
}

#[test]
fn machine_code_that_cannot_run_here_is_refused_by_what_is_missing() {
    let mut program = ProgramBuilder::default();
    program.image(Image { text: vec![0xc3], ..Image::default() });
    let program = program.finish().unwrap();
    let refusal = |triple: &str, features: &[&str]| {
        let features = features.iter().map(|&feature| feature.to_owned()).collect();
        let package = Package::new(TargetInfo { triple: triple.into(), features }, program.clone());
        let executable = Executable::load(package.encode().unwrap()).unwrap();
        // Whatever the machine, the file can be looked at.
        assert!(executable.program().as_text().is_empty());
        VirtualMachine::new(Arc::new(executable), &[]).unwrap_err().to_string()
    };
    let here = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let elsewhere = if cfg!(target_arch = "x86_64") { "aarch64-linux-gnu" } else { "x86_64-linux-gnu" };
    let error = refusal(&here, &["warp-drive", "anti-gravity"]);
    assert!(error.contains("warp-drive") && error.contains("anti-gravity"), "{error}");
    let error = refusal(elsewhere, &[]);
    assert!(error.contains(elsewhere) && error.contains(std::env::consts::ARCH), "{error}");
    // Without machine code, no machine is wrong.
    let portable = Package::new(TargetInfo { triple: elsewhere.into(), features: vec![] }, Program::default());
    assert!(VirtualMachine::new(Arc::new(Executable::load(portable.encode().unwrap()).unwrap()), &[]).is_ok());
}

#[test]
fn many_savers_and_loaders_of_one_path_see_whole_files() {
    let place = Place::new("contended");
    let executables: Vec<Executable> = (0..4).map(|i| constants(i as f32)).collect();
    executables[0].save(&place.0).unwrap();
    std::thread::scope(|scope| {
        for executable in &executables {
            let place = &place;
            scope.spawn(move || {
                for _ in 0..25 {
                    executable.save(&place.0).unwrap();
                }
            });
            scope.spawn(move || {
                for _ in 0..50 {
                    let found = first_element(Executable::open(&place.0).unwrap(), "main").unwrap();
                    assert!((0.0..4.0).contains(&found));
                }
            });
        }
    });
    let folder = place.0.parent().unwrap();
    let name = place.0.file_name().unwrap().to_str().unwrap();
    let left = std::fs::read_dir(folder).unwrap().filter(|entry| {
        let entry = entry.as_ref().unwrap().file_name();
        entry.to_str().is_some_and(|other| other.starts_with(name) && other != name)
    });
    assert_eq!(left.count(), 0, "temporary files are left");
}
