//! Files that NumPy and Python wrote (`data/make.py`), and files that nobody should trust.

use proptest::prelude::*;
use tilewright_import::{Format, Value, read_idx, read_npy, read_npz, read_pickle, read_tensors};
use tilewright_tensor::{DataType, Tensor};

macro_rules! data {
    ($($name:literal),* $(,)?) => { [$(($name, include_bytes!(concat!("data/", $name)).as_slice())),*] };
}

const PICKLES: [(&str, &[u8]); 6] =
    data!["values0.pkl", "values1.pkl", "values2.pkl", "values3.pkl", "values4.pkl", "values5.pkl"];
const EVIL: [(&str, &[u8]); 6] = data!["evil0.pkl", "evil1.pkl", "evil2.pkl", "evil3.pkl", "evil4.pkl", "evil5.pkl"];
const ARRAYS: [(&str, &[u8]); 3] = data!["c.npy", "fortran.npy", "big.npy"];
const ARCHIVES: [(&str, &[u8]); 2] = data!["plain.npz", "deflated.npz"];
const IMAGES: &[u8] = include_bytes!("data/images.idx.gz");

fn weights() -> Tensor {
    Tensor::from_vec(&[2, 3], (0..6).map(|i| i as f32 - 2.5).collect()).unwrap()
}

#[test]
fn every_protocol_gives_the_same_values() {
    for (name, bytes) in PICKLES {
        let value = read_pickle(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let array = |key: &str| match value.get(key) {
            Some(Value::Array(tensor)) => tensor.clone(),
            other => panic!("{name}: {key} is {other:?}"),
        };
        for key in ["w", "fortran", "big"] {
            assert_eq!(array(key), weights(), "{name}: {key}");
        }
        assert_eq!(array("mask").as_slice::<bool>().unwrap(), [true, false]);
        assert_eq!(array("scalar"), Tensor::scalar(0.25f64));
        assert_eq!(array("counts").as_slice::<i64>().unwrap(), [-1, 1 << 40]);
        assert_eq!((array("empty").shape(), array("empty").dtype()), ([0, 3].as_slice(), DataType::U8));
        let plain = Value::List(vec![
            Value::None,
            Value::Bool(true),
            Value::Int(-7),
            Value::Int(1 << 40),
            Value::Float(0.5),
            Value::Str("tä\n".into()),
            Value::Bytes(vec![0, 255]),
            Value::Tuple(vec![]),
            Value::Tuple(vec![Value::Str("a".into()), Value::Int(1)]),
        ]);
        assert_eq!(value.get("plain"), Some(&plain), "{name}");
        assert_eq!(value.get("shared"), Some(&Value::List(vec![Value::Array(weights()), Value::Array(weights())])));
        let ordered = [("b", 1), ("a", 2)].map(|(k, v)| (Value::Str(k.into()), Value::Int(v)));
        assert_eq!(value.get("ordered"), Some(&Value::Dict(ordered.into())));
        assert_eq!(value.get("set"), Some(&Value::Set(vec![Value::Int(3)])));
    }
}

#[test]
fn code_in_a_pickle_is_refused_by_name() {
    for (name, bytes) in EVIL {
        let error = read_pickle(bytes).unwrap_err().to_string();
        assert!(error.contains(".system`, which is refused"), "{name}: {error}");
    }
}

#[test]
fn numpys_own_files() {
    for (name, bytes) in ARRAYS {
        assert_eq!(read_npy(bytes).unwrap(), weights(), "{name}");
        assert_eq!(read_tensors(bytes).unwrap()[0].1, weights());
    }
    for (name, bytes) in ARCHIVES {
        let tensors = read_npz(bytes).unwrap();
        assert_eq!((tensors[0].0.as_str(), &tensors[0].1, tensors.len()), ("w", &weights(), 2), "{name}");
    }
}

#[test]
fn images_with_and_without_gzip() {
    let images = read_idx(IMAGES).unwrap();
    assert_eq!(
        (images.shape(), images.as_slice::<u8>().unwrap()),
        ([2, 2, 2].as_slice(), (0..8).collect::<Vec<_>>().as_slice())
    );
    assert_eq!(Format::detect(IMAGES), Format::Idx);
    let floats = [0, 0, 0x0d, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0];
    assert_eq!(read_idx(&floats).unwrap().as_slice::<f32>().unwrap(), [1.0]);
}

#[test]
fn sizes_that_a_file_claims_are_not_believed() {
    let huge = [0, 0, 8, 3, 0xff, 0xff, 0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0, 0, 1, 1, 2];
    assert!(read_idx(&huge).is_err());
    assert!(read_idx(&[0, 0, 8, 255]).is_err());
    for header in [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 16), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': 'é', 'fortran_order': False, 'shape': (1,), }",
        "((((((((((((((",
        "",
    ] {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend([0; 4]);
        assert!(read_npy(&bytes).is_err(), "{header}");
    }
    assert!(read_npy(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").is_err());
}

#[test]
fn pickles_that_unfold_or_contain_themselves_are_refused() {
    // A list that is its own item.
    assert!(read_pickle(b"]q\x00h\x00a.").unwrap_err().message.contains("contains itself"));
    // Lists of ten of the list before, thirty levels deep.
    let mut laughs = b"]q\x00".to_vec();
    for _ in 0..30 {
        laughs.extend(b"0](");
        laughs.extend(b"h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00eq\x00");
    }
    laughs.push(b'.');
    assert!(read_pickle(&laughs).unwrap_err().message.contains("far more than its own length"));
    let deep: Vec<u8> = [vec![b'('; 1], vec![b']'; 1], vec![0x85; 100_000], vec![b'.']].concat();
    assert!(read_pickle(&deep).unwrap_err().message.contains("nested deeper"));
    for (bytes, message) in [
        (b"\x8e\xff\xff\xff\xff\xff\xff\xff\xff.".as_slice(), "ends too early"),
        (b"\x97.", "outside the pickle"),
        (b"P1\n.", "persistent"),
        (b"K\x01K\x02R.", "expected a function"),
        (b"ios\nsystem\n.", "`os.system`"),
        (b"cnumpy\nload\n.", "`numpy.load`"),
        (b".", "empty"),
        (b"", "ends too early"),
        (b"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", "64 bits"),
        (b"cnumpy\nndarray\n.", "stands for nothing"),
        (b"(K\x01K\x02K\x03d.", "a key without a value"),
    ] {
        let error = read_pickle(bytes).unwrap_err();
        assert!(error.to_string().contains(message), "{bytes:?}: {error}");
    }
}

#[test]
fn a_file_that_holds_no_tensors_says_what_it_holds() {
    let error = read_tensors(b"}X\x01\x00\x00\x00aK\x01s.").unwrap_err();
    assert_eq!(error.to_string(), "pickle: \"a\" is an integer, expected an array");
}

fn read_all(bytes: &[u8]) {
    let _ = (read_tensors(bytes), read_pickle(bytes), read_idx(bytes), read_npy(bytes), read_npz(bytes));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn no_damage_panics(file in 0usize..12, changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6), cut in any::<u16>()) {
        let files = PICKLES.into_iter().chain(ARRAYS).chain(ARCHIVES).chain([("images", IMAGES)]);
        let mut bytes = files.map(|f| f.1).nth(file).unwrap().to_vec();
        for (at, byte) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        if cut % 4 == 0 {
            bytes.truncate(usize::from(cut) % (bytes.len() + 1));
        }
        read_all(&bytes);
    }
}
