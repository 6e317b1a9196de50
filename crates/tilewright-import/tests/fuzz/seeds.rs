//! Small checkpoints of every format, written byte by byte, and their parts for whoever damages them.

use std::io::Write;

/// How parts become files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// One part, as it is.
    Whole,
    /// A header in JSON, the elements.
    Safetensors,
    /// A pickle, then storages of the keys 0, 1, …, in a zip archive.
    Torch,
    /// Arrays in a zip archive, the second one deflated.
    Npz,
    /// An index in JSON, then the parts of a safetensors file.
    Index,
    /// A list in JSON, then a shard.
    Mlc,
    /// One part: a model of ONNX.
    Onnx,
}

/// A file in parts that are changed apart from each other.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub(crate) kind: Kind,
    pub(crate) parts: Vec<Vec<u8>>,
}

impl Seed {
    fn new(kind: Kind, parts: &[&[u8]]) -> Self {
        Self { kind, parts: parts.iter().map(|part| part.to_vec()).collect() }
    }

    /// The files: the first is the one that is opened, the second the one that it names.
    pub(crate) fn files(&self) -> (Vec<u8>, Vec<u8>) {
        let part = |number: usize| self.parts.get(number).map_or(&[][..], Vec::as_slice);
        match self.kind {
            Kind::Whole | Kind::Onnx => (part(0).to_vec(), Vec::new()),
            Kind::Safetensors => (safetensors(part(0), part(1)), Vec::new()),
            Kind::Torch => {
                let names: Vec<String> = (1..self.parts.len()).map(|number| format!("a/data/{}", number - 1)).collect();
                let mut members = vec![("a/data.pkl", part(0), false), ("a/byteorder", b"little".as_slice(), false)];
                members.extend(names.iter().enumerate().map(|(number, name)| (name.as_str(), part(number + 1), false)));
                (zip(&members), Vec::new())
            }
            Kind::Npz => (zip(&[("x.npy", part(0), false), ("y.npy", part(1), true)]), Vec::new()),
            Kind::Index => (part(0).to_vec(), safetensors(part(1), part(2))),
            Kind::Mlc => (part(0).to_vec(), part(1).to_vec()),
        }
    }
}

/// One file of every kind.
pub(crate) fn all() -> Vec<Seed> {
    vec![
        Seed::new(Kind::Safetensors, &[HEADER.as_bytes(), &[0; 14]]),
        Seed::new(Kind::Whole, &[&gguf_of_all_types(3)]),
        Seed::new(Kind::Whole, &[&gguf_of_all_types(2)]),
        Seed::new(Kind::Torch, &[&state_dict(), &[0; 48], &[1; 8]]),
        Seed::new(Kind::Whole, &[&old_torch()]),
        Seed::new(Kind::Npz, &[&npy("<f4", "(2, 3)", &[0; 24]), &npy(">i2", "(4,)", &[7; 8])]),
        Seed::new(Kind::Index, &[INDEX.as_bytes(), HEADER.as_bytes(), &[0; 14]]),
        Seed::new(Kind::Mlc, &[MLC.as_bytes(), &[0; 24]]),
        Seed::new(Kind::Whole, &[&npy("<f8", "()", &[0; 8])]),
        Seed::new(Kind::Onnx, &[&of_hexadecimal(&ONNX.concat())]),
    ]
}

pub(crate) const HEADER: &str = r#"{"__metadata__":{"format":"pt"},"a.w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b\u00e4":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]},"c":{"dtype":"F8_E8M0","shape":[0],"data_offsets":[14,14]}}"#;
const INDEX: &str = r#"{"metadata":{"total_size":14},"weight_map":{"a.w":"s.bin","bä":"s.bin"}}"#;
const MLC: &str = r#"{"metadata":{"ParamSize":2},"records":[{"dataPath":"s.bin","format":"raw-shard","nbytes":24,"records":[{"name":"w","shape":[2,2],"dtype":"float32","format":"f32-to-bf16","nbytes":8,"byteOffset":0},{"name":"q","shape":[4],"dtype":"uint32","format":"raw","nbytes":16,"byteOffset":8}]}]}"#;
/// `relu(x @ w)`, as an exporter writes it.
const ONNX: [&str; 4] = [
    "08083a760a1d0a01780a01771201731a084d61744d756c5f7322064d61744d756c3a000a160a01731201791a0652656c",
    "755f79220452656c753a00120567726170682a1b0802080210014201774a100000803f0000004000004040000080c05a",
    "140a0178120f0a0d080112090a0312016e0a02080262030a017942040a00101142110a0d636f6d2e6d6963726f736f66",
    "741001",
];

fn of_hexadecimal(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

pub(crate) fn safetensors(header: &[u8], data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header, data].concat()
}

pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// An archive of members by name, which may be deflated.
pub(crate) fn zip(members: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, contents, deflated) in members {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(contents).unwrap();
        let stored = if *deflated { encoder.finish().unwrap() } else { contents.to_vec() };
        let mut checksum = flate2::Crc::new();
        checksum.update(contents);
        let mut shared = Vec::new();
        for number in [20, 0, if *deflated { 8u16 } else { 0 }, 0, 0] {
            shared.extend(number.to_le_bytes());
        }
        for number in [checksum.sum(), stored.len() as u32, contents.len() as u32] {
            shared.extend(number.to_le_bytes());
        }
        shared.extend((name.len() as u16).to_le_bytes());
        shared.extend([0; 2]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&shared);
        directory.extend([0; 10]);
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&shared);
        out.extend(name.as_bytes());
        out.extend(&stored);
    }
    let (start, count) = (out.len() as u32, members.len() as u16);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// A text of GGUF.
pub(crate) fn gguf_text(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text].concat()
}

/// A metadatum of a key, the number of its type, and the bytes of its value.
pub(crate) fn gguf_meta(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    [gguf_text(key.as_bytes()), kind.to_le_bytes().to_vec(), value.to_vec()].concat()
}

/// What the header says of a tensor: name, dimensions (the innermost first), type, offset.
pub(crate) fn gguf_info(name: &str, dims: &[u64], kind: u32, offset: u64) -> Vec<u8> {
    let mut out = gguf_text(name.as_bytes());
    out.extend((dims.len() as u32).to_le_bytes());
    dims.iter().for_each(|dim| out.extend(dim.to_le_bytes()));
    out.extend(kind.to_le_bytes());
    out.extend(offset.to_le_bytes());
    out
}

pub(crate) fn gguf(version: u32, metadata: &[Vec<u8>], infos: &[Vec<u8>], data: &[u8]) -> Vec<u8> {
    let mut out = b"GGUF".to_vec();
    out.extend(version.to_le_bytes());
    out.extend((infos.len() as u64).to_le_bytes());
    out.extend((metadata.len() as u64).to_le_bytes());
    metadata.iter().chain(infos).for_each(|part| out.extend(part));
    out.resize(out.len().next_multiple_of(32), 0);
    out.extend(data);
    out
}

/// Element types of GGUF: their numbers, elements and bytes of a block.
pub(crate) const GGUF_TYPES: [(u32, u64, usize); 22] = [
    (0, 1, 4),
    (1, 1, 2),
    (24, 1, 1),
    (27, 1, 8),
    (28, 1, 8),
    (30, 1, 2),
    (2, 32, 18),
    (3, 32, 20),
    (6, 32, 22),
    (7, 32, 24),
    (8, 32, 34),
    (10, 256, 84),
    (11, 256, 110),
    (12, 256, 144),
    (13, 256, 176),
    (14, 256, 210),
    (15, 256, 292),
    (16, 256, 66),
    (20, 32, 18),
    (23, 256, 136),
    (35, 256, 66),
    (39, 32, 17),
];

/// A file with one tensor of every type, and metadata of every type.
pub(crate) fn gguf_of_all_types(version: u32) -> Vec<u8> {
    let (mut infos, mut data) = (Vec::new(), Vec::new());
    for (number, (kind, elements, bytes)) in GGUF_TYPES.into_iter().enumerate() {
        data.resize(data.len().next_multiple_of(32), 0);
        infos.push(gguf_info(&format!("t{kind}"), &[elements, 1], kind, data.len() as u64));
        data.extend((0..bytes).map(|at| (at * 7 + number) as u8));
    }
    let texts = [&8u32.to_le_bytes()[..], &1u64.to_le_bytes(), &gguf_text(b"x")].concat();
    let nested = [&9u32.to_le_bytes()[..], &1u64.to_le_bytes(), &texts].concat();
    let numbers = [&4u32.to_le_bytes()[..], &2u64.to_le_bytes(), &[1, 0, 0, 0, 2, 0, 0, 0]].concat();
    let mut metadata: Vec<Vec<u8>> = [1, 1, 2, 2, 4, 4, 4, 1]
        .iter()
        .zip(0..)
        .map(|(&size, kind)| gguf_meta(&format!("m{kind}"), kind, &[1; 8][..size]))
        .collect();
    metadata.extend((10..13).map(|kind| gguf_meta(&format!("m{kind}"), kind, &[0; 8])));
    metadata.push(gguf_meta("text", 8, &gguf_text("ä".as_bytes())));
    metadata.push(gguf_meta("nested", 9, &nested));
    metadata.push(gguf_meta("numbers", 9, &numbers));
    gguf(version, &metadata, &infos, &data)
}

/// Instructions of a pickle that push a text.
pub(crate) fn text(text: &str) -> Vec<u8> {
    [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

/// Instructions that push an integer.
pub(crate) fn int(value: i32) -> Vec<u8> {
    [b"J", &value.to_le_bytes()[..]].concat()
}

/// Instructions that push a tuple.
pub(crate) fn tuple(items: &[Vec<u8>]) -> Vec<u8> {
    [b"(".as_slice(), &items.concat(), b"t"].concat()
}

/// A tensor of PyTorch: storage class, key, elements of the storage, offset, sizes, strides.
pub(crate) fn tensor(class: &str, key: &str, count: i32, view: (i32, &[i32], &[i32])) -> Vec<u8> {
    let class = format!("ctorch\n{class}\n").into_bytes();
    let storage = tuple(&[text("storage"), class, text(key), text("cpu"), int(count)]);
    let sizes = |sizes: &[i32]| tuple(&sizes.iter().map(|size| int(*size)).collect::<Vec<_>>());
    let hooks = b"ccollections\nOrderedDict\n)R".to_vec();
    let arguments =
        tuple(&[[storage, b"Q".to_vec()].concat(), int(view.0), sizes(view.1), sizes(view.2), b"\x89".to_vec(), hooks]);
    [b"ctorch._utils\n_rebuild_tensor_v2\n", arguments.as_slice(), b"R"].concat()
}

/// A dictionary of values that instructions push.
pub(crate) fn dict(items: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let items: Vec<u8> = items.iter().flat_map(|(key, value)| [text(key), value.clone()].concat()).collect();
    [b"}(".as_slice(), &items, b"u"].concat()
}

/// A pickle that ends with the value.
pub(crate) fn pickle(value: &[u8]) -> Vec<u8> {
    [b"\x80\x02", value, b"."].concat()
}

/// The pickle of tensors over a storage of 48 bytes and one of 8, and what else checkpoints hold.
pub(crate) fn state_dict() -> Vec<u8> {
    let parameter = [
        b"ctorch._utils\n_rebuild_parameter\n".to_vec(),
        tuple(&[tensor("LongStorage", "1", 1, (0, &[], &[])), b"\x88".to_vec(), b"N".to_vec()]),
        b"R".to_vec(),
    ];
    let model = dict(&[
        ("w", tensor("FloatStorage", "0", 12, (0, &[3, 4], &[4, 1]))),
        ("t", tensor("FloatStorage", "0", 12, (1, &[2, 3], &[1, 4]))),
        ("p", parameter.concat()),
    ]);
    pickle(&dict(&[("model", model), ("epoch", int(3)), ("lrs", tuple(&[int(1), int(2)]))]))
}

/// A file of the form before version 1.6.
pub(crate) fn old_torch() -> Vec<u8> {
    let value = dict(&[("w", tensor("FloatStorage", "7", 2, (0, &[2], &[1])))]);
    let mut out = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.".to_vec();
    out.extend(pickle(&int(1001)));
    out.extend(pickle(&dict(&[("little_endian", b"\x88".to_vec())])));
    out.extend(pickle(&value));
    out.extend(pickle(&[b"](".as_slice(), &text("7"), b"e"].concat()));
    out.extend(2u64.to_le_bytes());
    out.extend([0, 0, 128, 63, 0, 0, 0, 64]);
    out
}
