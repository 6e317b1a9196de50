//! Checkpoints that are whole, and those that nobody should trust. What tensors hold is compared with NumPy in
//! `python/tests/test_checkpoint.py`.

#[path = "fuzz/seeds.rs"]
mod seeds;

use std::path::PathBuf;

use seeds::{
    Kind, dict, gguf, gguf_info, gguf_meta, gguf_of_all_types, gguf_text, int, npy, old_torch, pickle, safetensors,
    state_dict, tensor, text, tuple, zip,
};
use tilewright_import::ImportError;
use tilewright_import::checkpoint::{Checkpoint, Expected, Meta};
use tilewright_tensor::{DataType, SharedBytes};

fn open(bytes: impl Into<Vec<u8>>) -> Result<Checkpoint, ImportError> {
    Checkpoint::from_bytes(SharedBytes::from(bytes.into()))
}

/// The message of bytes that are refused.
fn refusal(bytes: impl Into<Vec<u8>>) -> String {
    open(bytes).map_or_else(|error| error.to_string(), |checkpoint| format!("opened: {checkpoint:?}"))
}

/// Requires that every file is refused with the message.
fn refused<const N: usize>(cases: [(Vec<u8>, &str); N]) {
    for (number, (bytes, message)) in cases.into_iter().enumerate() {
        let found = refusal(bytes);
        assert!(found.contains(message), "case {number}: expected {message:?}, found {found}");
    }
}

fn listing(json: &str) -> Result<Checkpoint, ImportError> {
    Checkpoint::from_listing(json.as_bytes(), &mut |_| Ok(SharedBytes::from(vec![0; 8])))
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused() {
    for seed in seeds::all().into_iter().filter(|seed| seed.kind != Kind::Onnx) {
        let (first, second) = seed.files();
        let read = |length: usize| match seed.kind {
            Kind::Index | Kind::Mlc => {
                Checkpoint::from_listing(&first[..length], &mut |_| Ok(SharedBytes::from(second.clone())))
            }
            _ => open(&first[..length]),
        };
        let whole = read(first.len());
        assert!(whole.is_ok(), "{:?}: {whole:?}", seed.kind);
        for length in 0..first.len() {
            assert!(read(length).is_err(), "{:?} cut off at {length} of {}", seed.kind, first.len());
        }
    }
}

#[test]
fn headers_of_safetensors_that_lie() {
    let file = |header: &str, data: usize| safetensors(header.as_bytes(), &vec![0; data]);
    let one = |name: &str, dtype: &str, shape: &str, begin: u64, end: u64| {
        format!("\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":[{begin},{end}]}}")
    };
    let of = |tensors: &[String], data: usize| file(&format!("{{{}}}", tensors.join(",")), data);
    let (x, deep) = (one("x", "U8", "[4]", 0, 4), format!("{{\"x\":{}", "[".repeat(100_000)));
    refused([
        (of(&[x.clone(), x.clone()], 4), "overlaps the one before it"),
        (of(&[one("x", "U8", "[0]", 0, 0), one("x", "U8", "[0]", 0, 0)], 0), "two tensors of the name \"x\""),
        (of(&[x.clone(), one("y", "U8", "[4]", 2, 6)], 6), "\"y\" overlaps"),
        (of(&[x.clone(), one("y", "U8", "[4]", 5, 9)], 9), "\"y\" begins after a gap"),
        (of(std::slice::from_ref(&x), 5), "the tensors have 4 bytes, and the file has 5"),
        (of(&[one("x", "U8", "[4]", 0, 5)], 4), "takes the bytes 0 to 5 of 4"),
        (of(&[one("x", "U8", "[4]", 4, 0)], 4), "takes the bytes 4 to 0"),
        (of(&[one("x", "F32", "[4]", 0, 4)], 4), "cannot have 4 bytes"),
        (of(&[one("x", "F4", "[3]", 0, 2)], 2), "cannot have 2 bytes"),
        (of(&[one("x", "F32", "[4611686018427387904,4]", 0, 0)], 0), "cannot have 0 bytes"),
        (of(&[one("x", "F32", "[99999999999999999999]", 0, 0)], 0), "is no integer from 0"),
        (of(&[one("x", "F32", "[-1]", 0, 0)], 0), "`-1` is no integer"),
        (of(&[one("x", "Q4", "[4]", 0, 4)], 4), "\"Q4\" is no element type"),
        (file("{\"x\":{\"dtype\":\"U8\"}}", 0), "needs `dtype`, `shape` and `data_offsets`"),
        (file("{\"x\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 0), "the key \"dtype\" twice"),
        (file("{\"x\":{\"device\":0}}", 0), "unknown key \"device\""),
        (file("{\"x\":7}", 0), "expected `{`"),
        (file("{\"__metadata__\":{\"a\":1}}", 0), "expected a text"),
        (file("{\"\\ud800\":1}", 0), "expected `\\u`"),
        (file("{} x", 0), "text after the end"),
        (file(&deep, 0), "expected `{`"),
        (file(&format!("{{\"x\":{{\"shape\":{}", "[".repeat(100_000)), 0), "expected a number"),
        (safetensors(b"{\"\xff\":1}", b""), "not UTF-8 (at byte 10)"),
        ([&(1u64 << 40).to_le_bytes()[..], b"{}"].concat(), "begins as none that is known"),
        ([&4096u64.to_le_bytes()[..], b"{}"].concat(), "only 2 are left"),
    ]);
}

#[test]
fn headers_of_gguf_that_lie() {
    let info = |dims: &[u64], kind: u32, offset: u64| gguf_info("x", dims, kind, offset);
    let count = |tensors: u64, metadata: u64| {
        [b"GGUF\x03\0\0\0".as_slice(), &tensors.to_le_bytes(), &metadata.to_le_bytes(), &[0; 64]].concat()
    };
    let file = |infos: &[Vec<u8>], data: usize| gguf(3, &[], infos, &vec![0; data]);
    let meta = |kind: u32, value: &[u8]| gguf(3, &[gguf_meta("k", kind, value)], &[], &[]);
    let array = |kind: u32, count: u64| [&kind.to_le_bytes()[..], &count.to_le_bytes()].concat();
    let nested = [array(9, 1).repeat(1_000), array(0, 0)].concat();
    refused([
        (count(u64::MAX, 0), "tensors do not fit"),
        (count(0, u64::MAX / 13), "metadata do not fit"),
        (count(5, 0), "5 tensors do not fit into the 64 bytes"),
        (gguf(1, &[], &[], &[]), "version 1 is not read"),
        (gguf(3u32.swap_bytes(), &[], &[], &[]), "big-endian"),
        (gguf(77, &[], &[], &[]), "versions 2 and 3 are read, found 77"),
        (file(&[info(&[1 << 62, 1 << 62], 0, 0)], 0), "larger than any memory"),
        (file(&[info(&[u64::MAX], 0, 0)], 0), "larger than any size"),
        (file(&[info(&[4], 0, u64::MAX - 31)], 0), "the file is cut off"),
        (file(&[info(&[4], 0, 4)], 64), "no multiple of the alignment 32"),
        (file(&[info(&[4], 77, 0)], 64), "77 is no element type"),
        (file(&[info(&[33], 2, 0)], 64), "rows of 33 elements are no whole blocks of 32 (Q4_0)"),
        (file(&[info(&[1; 9], 0, 0)], 64), "9 dimensions are more than 8"),
        (file(&[gguf_info("a", &[16], 0, 0), gguf_info("b", &[16], 0, 32)], 96), "\"a\" and \"b\" overlap"),
        (file(&[gguf_info("a", &[1], 0, 0), gguf_info("a", &[1], 0, 32)], 64), "two tensors of the name \"a\""),
        (gguf(3, &[gguf_meta("k", 4, &[0; 4]), gguf_meta("k", 4, &[0; 4])], &[], &[]), "\"k\" of the metadata"),
        (gguf(3, &[gguf_meta("general.alignment", 4, &[3, 0, 0, 0])], &[], &[]), "expected a power of two"),
        (gguf(3, &[gguf_meta("general.alignment", 8, &gguf_text(b"32"))], &[], &[]), "expected a power of two"),
        (meta(13, &[]), "13 is no type of metadata"),
        (meta(7, &[2]), "a bool of the value 2"),
        (meta(9, &array(7, 1).into_iter().chain([2]).collect::<Vec<_>>()), "holds the byte 2"),
        (meta(9, &array(0, 1 << 40)), "items of an array do not fit"),
        (meta(9, &array(8, 1 << 40)), "items of an array do not fit"),
        (meta(9, &array(12, u64::MAX)), "items of an array do not fit"),
        (meta(9, &array(13, 0)), "no type of the items"),
        (meta(9, &nested), "nested deeper than 8"),
        (meta(8, &gguf_text(b"a\xff")), "not UTF-8 (at byte 46)"),
        (meta(8, &u64::MAX.to_le_bytes()), "it is cut off"),
    ]);
}

/// A file of torch.save with a pickle and a storage of 16 bytes.
fn torch(pickle: &[u8]) -> Vec<u8> {
    zip(&[("a/data.pkl", pickle, false), ("a/data/0", &[0; 16], false)])
}

#[test]
fn pickles_of_torch_that_lie() {
    let of = |value: &[u8]| torch(&pickle(value));
    let view = |offset, shape: &[i32], strides: &[i32]| of(&tensor("FloatStorage", "0", 4, (offset, shape, strides)));
    let storage = |parts: &[Vec<u8>]| of(&[tuple(parts), b"Q".to_vec()].concat());
    let class = b"ctorch\nFloatStorage\n".to_vec();
    let deep = [b"]".repeat(50_000), b"a".repeat(49_999)].concat();
    let deep_dicts = (0..40).fold(tensor("FloatStorage", "0", 4, (0, &[4], &[1])), |value, _| dict(&[("k", value)]));
    // Keys of 60,000 bytes inside each other, from a memo: names that are longer than the file by far.
    let mut long = [text(&"k".repeat(60_000)), b"q\x000".to_vec()].concat();
    let leaf = tensor("FloatStorage", "0", 4, (0, &[4], &[1]));
    long.extend((0..12).fold([leaf, b"q\x010h\x01".to_vec()].concat(), |value, _| {
        [b"}h\x00".to_vec(), value, b"s".to_vec()].concat()
    }));
    refused([
        (view(1, &[4], &[1]), "reaches outside of its storage of 16 bytes"),
        (view(-1, &[1], &[1]), "reaches outside"),
        (view(0, &[2], &[i32::MAX]), "reaches outside"),
        (view(0, &[2], &[-1]), "reaches outside"),
        (view(0, &[-1], &[1]), "negative dimension"),
        (view(0, &[1 << 16, 1 << 16], &[0, 0]), "far more than its own length"),
        (view(0, &[4], &[]), "cannot have 0 strides"),
        (of(&tensor("FloatStorage", "0", 5, (0, &[4], &[1]))), "should have 20 bytes, found 16"),
        (of(&tensor("FloatStorage", "0", -1, (0, &[4], &[1]))), "a storage of -1 elements"),
        (of(&tensor("FloatStorage", "9", 4, (0, &[4], &[1]))), "no storage \"9\""),
        (of(&tensor("FloatStorage", "../x", 4, (0, &[4], &[1]))), "no storage \"../x\""),
        (of(&tensor("ComplexFloatStorage", "0", 2, (0, &[2], &[1]))), "`torch.ComplexFloatStorage`, which is refused"),
        (storage(&[text("module"), class.clone(), text("0"), text("cpu"), int(4)]), "none to a storage"),
        (storage(&[text("storage"), text("x"), text("0"), text("cpu"), int(4)]), "none to a storage"),
        (of(b"K\x01Q"), "none to a storage"),
        (of(b"cos\nsystem\n"), "`os.system`, which is refused"),
        (of(b"ctorch\nload\n"), "`torch.load`, which is refused"),
        (of(b"ctorch._utils\n_rebuild_tensor_v2\n)R"), "expected the storage, offset, sizes"),
        (of(b"ctorch._utils\n_rebuild_parameter\n(K\x01tR"), "expected the tensor of a parameter"),
        (of(&deep), "nested deeper than 1000"),
        (of(b"]q\x00h\x00a"), "contains itself"),
        (of(&deep_dicts), "nested deeper than 32"),
        (of(&long), "names that are far too long"),
        (of(&[class, b"\x81".to_vec()].concat()), "objects of classes are not made"),
        (zip(&[("a/data.pkl", &state_dict(), false), ("a/byteorder", b"big", false)]), "big-endian"),
        (zip(&[("a/data.pkl", &state_dict(), false), ("a/data/0", &[0; 48], true)]), "is compressed"),
        (
            zip(&[("a/data.pkl", b"", false), ("a/constants.pkl", b"", false), ("a/code/x.py", b"", false)]),
            "TorchScript",
        ),
    ]);
    let two = dict(&[("a", dict(&[("b", leaf_of(0))])), ("a.b", leaf_of(1))]);
    assert!(refusal(of(&two)).contains("two tensors of the name \"a.b\""));
    for cut in 0..old_torch().len() {
        assert!(open(&old_torch()[..cut]).is_err(), "{cut}");
    }
}

fn leaf_of(offset: i32) -> Vec<u8> {
    tensor("FloatStorage", "0", 4, (offset, &[2], &[1]))
}

#[test]
fn archives_that_lie() {
    let array = npy("<f4", "(4,)", &[0; 16]);
    let whole = zip(&[("x.npy", &array, false)]);
    let directory = whole.len() - 22 - 46 - 5;
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    // 64 MiB of zeros, as a library deflates them.
    let zeros = npy("|u1", "(67108864,)", &vec![0; 64 << 20]);
    let bomb = zip(&[("x.npy", &zeros, true)]);
    assert!(bomb.len() < 1 << 20);
    // Two entries of the directory for the same bytes.
    let mut twice = zip(&[("x.npy", &array, false), ("y.npy", &array, false)]);
    let second = twice.len() - 22 - 51;
    twice[second + 42..second + 46].fill(0);
    let damaged = {
        let mut archive = zip(&[("x.npy", &array, true)]);
        let directory = archive.len() - 22 - 51;
        archive[directory + 16] ^= 1;
        archive
    };
    let wrong_crc = open(damaged).unwrap().get("x").unwrap_err().to_string();
    assert!(wrong_crc.contains("checksum"), "{wrong_crc}");
    refused([
        (bomb, "unfolds into 67108"),
        (twice, "has another name in its own header"),
        (zip(&[("x.npy", &array, false), ("x.npy", &array, false)]), "two members of the name"),
        (with(directory + 8, &[1]), "is encrypted"),
        (with(directory + 10, &[9]), "compressed by method 9"),
        (with(directory + 20, &[0xff; 4]), "lacks its sizes of 64 bits"),
        (with(directory + 24, &[0xfe; 4]), "two different sizes"),
        (with(directory + 42, &[0xfe; 4]), "is not inside the file"),
        (with(directory + 42, &[1]), "has no header where the directory says"),
        (with(directory, &[0]), "directory is damaged"),
        (with(whole.len() - 12, &[0xff; 2]), "does not have 65535 entries"),
        (with(whole.len() - 10, &[0xff; 4]), "directory is not inside"),
        (zip(&[("x.txt", &array, false)]), "expected a name that ends in `.npy`"),
        (zip(&[("x.npy", &npy("<f4", "(5,)", &[0; 16]), false)]), "have 20 bytes, found 16"),
        (zip(&[("x.npy", &npy("<f4", "(-1,)", &[0; 16]), false)]), "negative dimension"),
        (zip(&[("x.npy", &npy("|O", "(1,)", &[0; 16]), true)]), "Python objects"),
    ]);
}

#[test]
fn listings_name_files_of_their_folder_only() {
    let index = |file: &str| format!("{{\"weight_map\":{{\"x\":\"{file}\"}}}}");
    let shard = |path: &str, record: &str| {
        format!("{{\"records\":[{{\"dataPath\":\"{path}\",\"format\":\"raw-shard\",\"records\":[{record}]}}]}}")
    };
    let record = |dtype: &str, shape: &str, bytes: &str, offset: u64| {
        let format = "\"format\":\"raw\"";
        format!(
            "{{\"name\":\"x\",\"dtype\":\"{dtype}\",\"shape\":{shape},\"nbytes\":{bytes},\"byteOffset\":{offset},{format}}}"
        )
    };
    for path in ["../x", "/etc/passwd", "a/../../x", "C:/x", "a\\\\..\\\\x", "", "."] {
        for json in [index(path), shard(path, "")] {
            let error = listing(&json).unwrap_err().to_string();
            assert!(error.contains("outside of the folder"), "{json}: {error}");
        }
    }
    for (json, message) in [
        (index("s.bin"), "\"s.bin\": checkpoint: the file begins as none"),
        (shard("s", &record("float32", "[3]", "12", 0)), "12 bytes from 0 on are not in the shard"),
        (shard("s", &record("float32", "[1]", "4", u64::MAX)), "are not in the shard"),
        (shard("s", &record("float32", "[2]", "4", 0)), "has 8 bytes, and 4 are said"),
        (shard("s", &record("float99", "[1]", "4", 0)), "\"float99\" is no data type"),
        (shard("s", &record("float32", "[4611686018427387904,4]", "0", 0)), "larger than the address space"),
        (shard("s", "{\"name\":\"x\"}"), "`byteOffset` are needed"),
        (
            shard("s", &[record("int8", "[4]", "4", 0), record("int8", "[4]", "4", 3)].join(",")),
            "\"x\" and \"x\" overlap",
        ),
        ("{\"a\":1}".to_owned(), "neither a `weight_map` nor `records`"),
        (format!("{{\"a\":{}", "[".repeat(1_000)), "nested deeper than 64"),
        ("{\"records\":[{\"format\":\"zip\"}]}".to_owned(), "shards of the format \"zip\""),
    ] {
        let error = listing(&json).unwrap_err().to_string();
        assert!(error.contains(message), "{json}: {error}");
    }
}

/// A folder of one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tilewright-checkpoint-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn folders_are_opened_by_what_is_in_them() {
    let top = folder("folders");
    let inner = top.join("snapshots/1");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::create_dir(top.join("blobs")).unwrap();
    let message =
        |path: &PathBuf| Checkpoint::open(path).map_or_else(|error| error.to_string(), |found| format!("{found:?}"));
    assert!(message(&inner).contains("has no checkpoint"), "{}", message(&inner));
    assert!(message(&inner.join("x.gguf")).contains("No such file"));
    let file = safetensors(br#"{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#, &[3, 4]);
    for name in ["one.safetensors", "two.safetensors"] {
        std::fs::write(inner.join(name), &file).unwrap();
    }
    assert!(message(&inner).contains("no index of them: open one file"));
    std::fs::write(inner.join("model.safetensors.index.json"), r#"{"weight_map":{"x":"link","y":"link"}}"#).unwrap();
    std::fs::write(top.join("secret"), &file).unwrap();
    std::os::unix::fs::symlink(top.join("secret"), inner.join("link")).unwrap();
    assert!(message(&inner).contains("a link that leads out of the folder"), "{}", message(&inner));
    // The cache of Hugging Face's hub has links to `blobs`.
    std::fs::rename(top.join("secret"), top.join("blobs/secret")).unwrap();
    std::fs::remove_file(inner.join("link")).unwrap();
    std::os::unix::fs::symlink("../../blobs/secret", inner.join("link")).unwrap();
    assert!(message(&inner).contains("the tensor \"y\" should be in \"link\", and is not"), "{}", message(&inner));
    std::fs::write(inner.join("model.safetensors.index.json"), r#"{"weight_map":{"x":"link"}}"#).unwrap();
    let found = Checkpoint::open(&inner).unwrap();
    assert_eq!((found.get("x").unwrap().as_slice::<u8>().unwrap(), found.files().len()), (&[3u8, 4][..], 1));
    let _ = std::fs::remove_dir_all(top);
}

#[test]
fn a_gguf_file_of_several_opens_all_of_them() {
    let top = folder("split");
    let part = |number: u16, count: u16, name: &str| {
        let metadata =
            [gguf_meta("split.no", 2, &number.to_le_bytes()), gguf_meta("split.count", 2, &count.to_le_bytes())];
        gguf(3, &metadata, &[gguf_info(name, &[1], 24, 0)], &[number as u8 + 5])
    };
    for (number, name) in [(0, "a"), (1, "b")] {
        std::fs::write(top.join(format!("m-{:05}-of-00002.gguf", number + 1)), part(number, 2, name)).unwrap();
    }
    for path in [top.clone(), top.join("m-00002-of-00002.gguf")] {
        let found = Checkpoint::open(&path).unwrap();
        let values = ["a", "b"].map(|name| found.get(name).unwrap().as_slice::<i8>().unwrap()[0]);
        assert_eq!((values, found.entries()[1].file(), found.files().len()), ([5, 6], 1, 2));
    }
    std::fs::write(top.join("m-00002-of-00002.gguf"), part(0, 2, "b")).unwrap();
    let error = Checkpoint::open(&top).unwrap_err().to_string();
    assert!(error.contains("`split.no` is Some(0), expected 1"), "{error}");
    std::fs::remove_file(top.join("m-00002-of-00002.gguf")).unwrap();
    assert!(Checkpoint::open(&top).unwrap_err().to_string().contains("No such file"));
    let _ = std::fs::remove_dir_all(top);
}

#[test]
fn tensors_of_torch_are_views_of_their_storages() {
    let storage: Vec<u8> = (0..12).flat_map(|value| (value as f32).to_le_bytes()).collect();
    let member: Vec<(&str, &[u8], bool)> =
        vec![("a/data.pkl", &[], false), ("a/data/0", &storage, false), ("a/data/1", &[7, 0, 0, 0, 0, 0, 0, 0], false)];
    let state = state_dict();
    let members: Vec<_> =
        member.iter().map(|m| if m.1.is_empty() { (m.0, state.as_slice(), m.2) } else { *m }).collect();
    let found = open(zip(&members)).unwrap();
    let (w, t) = (found.get("model.w").unwrap(), found.get("model.t").unwrap());
    assert_eq!(w.to_vec::<f32>().unwrap(), (0..12).map(|value| value as f32).collect::<Vec<_>>());
    assert_eq!(t.to_vec::<f32>().unwrap(), [1.0, 5.0, 9.0, 2.0, 6.0, 10.0]);
    assert_eq!((t.shape(), found.get("model.p").unwrap().to_vec::<i64>().unwrap()), (&[2, 3][..], vec![7]));
    assert_eq!(found.meta("epoch"), Some(&Meta::Int(3)));
    assert_eq!(found.meta("lrs"), Some(&Meta::List(vec![Meta::Int(1), Meta::Int(2)])));
    let old = open(old_torch()).unwrap();
    assert_eq!(old.get("w").unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn everything_that_differs_is_reported_at_once() {
    let found = open(gguf_of_all_types(3)).unwrap();
    let expected =
        |name: &str, shape: &[Option<i64>], dtype| Expected { name: name.into(), shape: shape.into(), dtype };
    let wanted = [
        expected("t0", &[Some(1), None], Some(DataType::F32)),
        expected("t2", &[Some(1), Some(32)], Some(DataType::F32)),
        expected("t1", &[Some(2), Some(1)], Some(DataType::F16)),
        expected("t24", &[Some(1), Some(1)], Some(DataType::U8)),
        expected("t16", &[None, None], Some(DataType::F32)),
        expected("gone", &[], None),
    ];
    let report = found.compare(&wanted);
    assert_eq!((report.matched, report.unexpected.len(), report.is_loadable()), (2, 17, false));
    assert_eq!(report.missing, ["gone"]);
    assert_eq!(report.misshapen, [("t1".to_owned(), vec![2, 1], vec![1, 1])]);
    let types: Vec<_> = report.mistyped.iter().map(|(name, _, stored)| (name.as_str(), stored.as_str())).collect();
    assert_eq!(types, [("t24", "int8"), ("t16", "IQ2_XXS")]);
    let text = report.to_string();
    for part in ["1 missing\n  \"gone\"", "17 unexpected", "\"t1\": expected [2, 1], found [1, 1]"] {
        assert!(text.contains(part), "{text}");
    }
    // Names with a beginning of their own are explained.
    let file = safetensors(br#"{"model.w":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}"#, &[1]);
    let found = open(file).unwrap();
    assert_eq!(found.compare(&[expected("w", &[], None)]).extra_prefix.as_deref(), Some("model."));
    let longer = found.compare(&[expected("net.model.w", &[], None), expected("net.model.b", &[], None)]);
    assert_eq!(longer.absent_prefix.as_deref(), Some("net."));
    let error = found.get("model.v").unwrap_err().to_string();
    assert!(error.contains("there is \"model.w\""), "{error}");
}
