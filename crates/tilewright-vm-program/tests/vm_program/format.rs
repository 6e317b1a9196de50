//! The executable file: what is written is read back, and nothing else is believed.

use tilewright_tensor::DataType;
use tilewright_vm_program::*;

use crate::programs::everything;

pub(crate) fn package() -> Package {
    let target = TargetInfo { triple: "x86_64-unknown-linux-gnu".into(), features: vec!["avx2".into(), "fma".into()] };
    let mut package = Package::new(target, everything());
    package.metadata.insert("source".into(), "model.py".into());
    package
}

fn bytes() -> Vec<u8> {
    package().encode().unwrap().as_slice().to_vec()
}

fn decode(bytes: &[u8]) -> Result<(Package, ConstantChecksums), FormatError> {
    Package::decode(&ExecutableBytes::copy_from(bytes).unwrap())
}

/// Makes all checksums right, so that later readers see the damage.
pub(crate) fn mend(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 8).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap()) as usize)
    };
    let count = number(bytes, 16) as u32 as usize;
    let end = 24 + 24 * count;
    if bytes.len() < end {
        return;
    }
    for section in 0..count {
        let entry = 24 + section * 24;
        let (offset, length) = (number(bytes, entry + 8), number(bytes, entry + 16));
        let content = bytes.get(offset..).and_then(|rest| rest.get(..length));
        if let Some(checksum) = content.map(crc32fast::hash) {
            bytes[entry + 4..entry + 8].copy_from_slice(&checksum.to_le_bytes());
        }
    }
    bytes[20..24].fill(0);
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
}

/// A small, fast generator; the tests need variety, not quality.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn encoded_packages_are_decoded_to_equal_ones() {
    let package = package();
    let file = package.encode().unwrap();
    let (read, checksums) = Package::decode(&file).unwrap();
    assert_eq!(read, package);
    assert_eq!(read.encode().unwrap(), file, "encoding is deterministic");
    for (index, constant) in read.program.constants.iter().enumerate() {
        checksums.check(&read.program, index).unwrap();
        assert!(constant.is_read_only() && (constant.data_ptr() as usize).is_multiple_of(64));
    }
}

#[test]
fn constants_that_nobody_can_write_are_not_copied() {
    let mut package = package();
    let weights = tilewright_tensor::Tensor::from_vec(&[3, 5], vec![1.5f32; 15]).unwrap().sealed().unwrap();
    let index = package.program.constants.len();
    package.program.constants.push(weights.clone());
    let file = package.encode().unwrap();
    let pieces: Vec<&[u8]> = file.pieces().collect();
    assert!(pieces.iter().any(|piece| std::ptr::eq(piece.as_ptr(), weights.data_ptr())));
    assert_eq!(pieces.concat(), file.as_slice());
    assert_eq!(file.len(), file.as_slice().len());
    // In one piece, as in a file, it is the same package.
    let (shared, _) = Package::decode(&file).unwrap();
    let (read, checksums) = decode(file.as_slice()).unwrap();
    assert_eq!(shared.program.constants[index].data_ptr(), weights.data_ptr());
    assert_eq!(read, shared);
    checksums.check(&read.program, index).unwrap();
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = bytes();
    for length in 0..bytes.len() {
        let mut cut = bytes[..length].to_vec();
        decode(&cut).unwrap_err();
        mend(&mut cut);
        decode(&cut).unwrap_err();
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let bytes = bytes();
    let (package, _) = decode(&bytes).unwrap();
    for index in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[index / 8] ^= 1 << (index % 8);
        // Bytes between sections mean nothing; a constant's are checked at its first use.
        if let Ok((read, checksums)) = decode(&flipped) {
            let damaged = (0..read.program.constants.len()).any(|i| checksums.check(&read.program, i).is_err());
            assert!(damaged || read == package || read.encode().unwrap().as_slice() == bytes, "bit {index}");
        }
    }
}

#[test]
fn no_bytes_with_right_checksums_make_the_reader_panic() {
    let bytes = bytes();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut valid = 0;
    for _ in 0..30_000 {
        let mut mutated = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(mutated.len());
            match random.below(4) {
                0 => mutated[at] = random.below(256) as u8,
                1 => mutated[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                2 => {
                    let end = (at + 4).min(mutated.len());
                    mutated[at..end].fill(0xff);
                }
                _ => {
                    let other = random.below(mutated.len());
                    mutated.swap(at, other);
                }
            }
        }
        mend(&mut mutated);
        if let Ok((package, _)) = decode(&mutated) {
            valid += 1;
            package.program.as_text();
            package.program.verify().unwrap();
        }
    }
    assert!(valid > 0, "some mutations only change constants or names");
}

#[test]
fn bytes_of_no_section_are_refused() {
    let whole = bytes();
    let table = 24 + 24 * whole[16] as usize;
    let mut longer = whole.clone();
    longer.push(0);
    mend(&mut longer);
    let error = decode(&longer).unwrap_err().to_string();
    assert_eq!(error, "the executable's table is malformed: 1 bytes after the last section");
    // After the table, the first section begins at a multiple of 64.
    assert!(!table.is_multiple_of(64));
    let mut padded = whole.clone();
    padded[table] = 1;
    mend(&mut padded);
    let error = decode(&padded).unwrap_err().to_string();
    assert!(error.contains(&format!("bytes {table} to")) && error.contains("no padding"), "{error}");
    // The second section begins where the first one does.
    let mut overlapping = whole;
    let first = overlapping[24 + 8..24 + 16].to_vec();
    overlapping[48 + 8..48 + 16].copy_from_slice(&first);
    mend(&mut overlapping);
    let error = decode(&overlapping).unwrap_err().to_string();
    assert!(error.contains("where the one before it ends"), "{error}");
}

#[test]
fn other_files_and_versions_are_named() {
    assert_eq!(decode(b"").unwrap_err(), FormatError::NotAnExecutable);
    assert_eq!(decode(b"\x7fELF and so on").unwrap_err(), FormatError::NotAnExecutable);
    let mut newer = bytes();
    newer[8] = 99;
    mend(&mut newer);
    let error = decode(&newer).unwrap_err();
    assert_eq!(error, FormatError::Version { found: 99 });
    assert!(error.to_string().contains("use a newer runtime"), "{error}");
    newer[8] = 0;
    mend(&mut newer);
    assert!(decode(&newer).unwrap_err().to_string().contains("build the model again"));
    let mut other_abi = bytes();
    other_abi[12] = 77;
    mend(&mut other_abi);
    let error = decode(&other_abi).unwrap_err();
    assert!(error.to_string().contains("ABI version 77"), "{error}");
    let mut damaged = bytes();
    let program = u64::from_le_bytes(damaged[24 + 24 + 8..][..8].try_into().unwrap()) as usize;
    damaged[program + 5] ^= 1;
    assert_eq!(
        decode(&damaged).unwrap_err().to_string(),
        "the executable is damaged: section \"program\" does not match its checksum"
    );
}

#[test]
fn the_text_of_a_program_is_not_much_longer_than_the_program() {
    let long = "n".repeat(100_000);
    let mut program = ProgramBuilder::default();
    let packed = program.packed(&long);
    let file = program.file(&long);
    let weights = program.constant(&tilewright_tensor::Tensor::zeros(DataType::I8, &[1; 20_000]).unwrap()).unwrap();
    let mut main = FunctionBuilder::new(&long);
    let n = main.slot(&long);
    let x = main.param("x", Kind::tensor(DataType::F32, &[DimPattern::Slot(n); 1000]));
    for line in 0..2000 {
        main.origin(file, line);
        main.call_dps_packed(packed, &[x]);
        main.make_shape(&[Dim::Slot(n); 10]);
        main.load_const(weights);
    }
    main.ret(x);
    program.function(main);
    let package = Package::new(TargetInfo::portable(), program.finish().unwrap());
    let bytes = package.encode().unwrap().as_slice().len();
    for text in [package.program.as_text(), package.program.as_python()] {
        assert!(text.len() < 64 * bytes, "{bytes} bytes make {} of text", text.len());
        assert!(text.contains(&format!("{}…", "n".repeat(120))) && text.lines().count() > 6000);
    }
}

#[test]
fn constants_do_not_share_their_bytes() {
    let mut program = ProgramBuilder::default();
    for value in [1i64, 2] {
        program.constant(&tilewright_tensor::Tensor::from_vec(&[4], vec![value; 4]).unwrap()).unwrap();
    }
    let package = Package::new(TargetInfo::portable(), program.finish().unwrap());
    let mut bytes = package.encode().unwrap().as_slice().to_vec();
    // The second constant begins at byte 64 of the section, which stands in front of its checksum.
    let checksum = crc32fast::hash(package.program.constants[1].as_bytes().unwrap());
    let pattern = [64u64.to_le_bytes().as_slice(), &checksum.to_le_bytes()].concat();
    let place = bytes.windows(12).position(|window| window == pattern).unwrap();
    bytes[place..place + 8].fill(0);
    mend(&mut bytes);
    assert!(decode(&bytes).unwrap_err().to_string().contains("overlaps another"));
}
