"""Checkpoints: files of every format, written here byte by byte, read and compared with NumPy."""

import hashlib
import io
import json
import struct
import zipfile

import numpy as np
import pytest

import tilewright as tw
from tilewright import checkpoint
from tilewright.contrib import tvmjs

rng = np.random.default_rng(5)
W = rng.standard_normal((3, 4)).astype("float32")
BF16 = {"bfloat16": "uint16"}


# safetensors

SAFETENSORS = [
    ("BOOL", "bool"), ("U8", "uint8"), ("I8", "int8"), ("U16", "uint16"), ("I16", "int16"), ("U32", "uint32"),
    ("I32", "int32"), ("U64", "uint64"), ("I64", "int64"), ("F16", "float16"), ("F32", "float32"), ("F64", "float64"),
    ("BF16", "bfloat16"),
]  # fmt: skip


def safetensors(tensors, metadata=None):
    """A file of tensors by name: the format's type, and an array of the bits."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, array) in tensors.items():
        end = len(data) + array.nbytes
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": [len(data), end]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def bits(dtype, shape):
    """Values that every type has, as their bits."""
    values = rng.integers(0, 2, shape) if dtype == "bool" else rng.integers(0, 100, shape)
    if dtype == "bfloat16":
        return (values.astype("float32").view("uint32") >> 16).astype("uint16")
    return values.astype(dtype)


def bits_of(tensor):
    return tensor.view(BF16[tensor.dtype]).numpy() if tensor.dtype in BF16 else tensor.numpy()


def test_safetensors_of_all_types():
    tensors = {f"x.{name}": (name, bits(dtype, (2, 3))) for name, dtype in SAFETENSORS}
    found = checkpoint.open(safetensors(tensors, {"format": "pt"}))
    assert found.metadata == {"format": "pt"} and list(found) == list(tensors) and found.format == "safetensors"
    for (name, (_, expected)), (_, dtype) in zip(tensors.items(), SAFETENSORS, strict=True):
        assert found[name].dtype == dtype and found.entry(name).stored == dtype
        assert np.array_equal(bits_of(found[name]), expected), name


def test_a_mapped_tensor_is_not_copied_and_not_written(tmp_path):
    path = tmp_path / "a.safetensors"
    # A header whose length leaves the elements aligned.
    text = json.dumps({"w": {"dtype": "F32", "shape": W.shape, "data_offsets": [0, W.nbytes]}}).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + W.tobytes())
    found = checkpoint.open(path)
    assert found["w"].same_as(found["w"]) and np.array_equal(found["w"].numpy(), W)
    with pytest.raises(tw.TVMError, match="read-only"):
        found["w"][0, 0] = 1.0
    assert found.raw("w").numpy().tobytes() == W.tobytes()
    assert repr(found) == f"<Checkpoint of {path}: safetensors, 1 tensors>"


# GGUF


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(metadata, tensors, version=3):
    """A file of metadata (number of the type, bytes) and tensors (shape, number of the type, bytes)."""
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for key, (kind, value) in metadata.items():
        out += text(key) + struct.pack("<I", kind) + value
    data = b""
    for name, (shape, kind, value) in tensors.items():
        data += b"\0" * (-len(data) % 32)
        out += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
        out += struct.pack("<IQ", kind, len(data))
        data += value
    return out + b"\0" * (-len(out) % 32) + data


def integers(bytes_, width, count, *, planes=None):
    """Numbers of `width` bits: each plane of so many bytes has the lowest bits of all its bytes first."""
    planes = planes or bytes_.shape[1]
    parts = bytes_.reshape(len(bytes_), -1, 1, planes) >> (np.arange(8 // width) * width)[:, None]
    return (parts & ((1 << width) - 1)).reshape(len(bytes_), -1)[:, :count].astype("int64")


def halves(blocks, at):
    return blocks[:, at : at + 2].copy().view("<f2").astype("float32")


def f32(values):
    return values.astype("float32")


def six_bits(packed):
    """Scales and minima of 6 bits from 12 bytes, eight of each."""
    low, high = packed[:, :8], packed[:, 8:]
    scales = np.concatenate([low[:, :4] & 63, high & 15 | low[:, :4] >> 6 << 4], 1)
    minima = np.concatenate([low[:, 4:] & 63, high >> 4 | low[:, 4:] >> 6 << 4], 1)
    return f32(scales), f32(minima)


def grouped(q, scales, minima=0.0):
    """`scale * q - minimum` for groups of numbers."""
    groups = f32(q).reshape(len(q), scales.shape[1], -1)
    minima = np.asarray(minima, "float32")
    return (scales[:, :, None] * groups - (minima[:, :, None] if minima.ndim else minima)).reshape(len(q), -1)


TABLE = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], "float32")
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], "float32")


def fifth(bytes_):
    return np.unpackbits(bytes_, axis=1, bitorder="little").astype("int64") << 4


def q2_k(b):
    scales, minima = f32(b[:, :16] & 15), f32(b[:, :16] >> 4)
    return grouped(integers(b[:, 16:80], 2, 256, planes=32), halves(b, 80) * scales, halves(b, 82) * minima)


def q3_k(b):
    low, high = integers(b[:, 96:104], 4, 16), integers(b[:, 104:108], 2, 16)
    third = integers(b[:, :32], 1, 256, planes=32)
    q = integers(b[:, 32:96], 2, 256, planes=32) - np.where(third == 1, 0, 4)
    return grouped(q, halves(b, 108) * f32((low | high << 4) - 32))


def q4_k(b, nibbles=16, high=0):
    scales, minima = six_bits(b[:, 4:16])
    q = integers(b[:, nibbles : nibbles + 128], 4, 256, planes=32) + high
    return grouped(q, halves(b, 0) * scales, halves(b, 2) * minima)


def q6_k(b):
    low, high = integers(b[:, :128], 4, 256, planes=64), integers(b[:, 128:192], 2, 256, planes=32)
    return grouped((low | high << 4) - 32, halves(b, 208) * f32(b[:, 192:208].view("int8")))


def iq4_xs(b):
    high = b[:, 2:4].copy().view("<u2").astype("int64") >> 2 * np.arange(8) & 3
    low = np.stack([b[:, 4:8] & 15, b[:, 4:8] >> 4], 2).reshape(len(b), 8)
    scales = halves(b, 0) * f32((low | high << 4) - 32)
    return grouped(TABLE[integers(b[:, 8:], 4, 256, planes=16)], scales)


def q5_0(b):
    return f32(integers(b[:, 6:], 4, 32) + fifth(b[:, 2:6]) - 16) * halves(b, 0)


def q5_1(b):
    return f32(integers(b[:, 8:], 4, 32) + fifth(b[:, 4:8])) * halves(b, 0) + halves(b, 2)


#: Name, number, elements and bytes of a block, offsets of halves, the elements of blocks.
BLOCKS = [
    ("Q4_0", 2, 32, 18, [0], lambda b: f32(integers(b[:, 2:], 4, 32) - 8) * halves(b, 0)),
    ("Q4_1", 3, 32, 20, [0, 2], lambda b: f32(integers(b[:, 4:], 4, 32)) * halves(b, 0) + halves(b, 2)),
    ("Q5_0", 6, 32, 22, [0], q5_0),
    ("Q5_1", 7, 32, 24, [0, 2], q5_1),
    ("Q8_0", 8, 32, 34, [0], lambda b: f32(b[:, 2:].view("int8")) * halves(b, 0)),
    ("Q2_K", 10, 256, 84, [80, 82], q2_k),
    ("Q3_K", 11, 256, 110, [108], q3_k),
    ("Q4_K", 12, 256, 144, [0, 2], q4_k),
    ("Q5_K", 13, 256, 176, [0, 2], lambda b: q4_k(b, 48, integers(b[:, 16:48], 1, 256, planes=32) << 4)),
    ("Q6_K", 14, 256, 210, [208], q6_k),
    ("IQ4_NL", 20, 32, 18, [0], lambda b: halves(b, 0) * TABLE[integers(b[:, 2:], 4, 32)]),
    ("IQ4_XS", 23, 256, 136, [0], iq4_xs),
    ("MXFP4", 39, 32, 17, [], lambda b: np.ldexp(E2M1[integers(b[:, 1:], 4, 32)], b[:, :1].astype("int32") - 127)),
]


def blocks(count, size, scales):
    found = rng.integers(0, 256, (count, size), dtype="uint8")
    for at in scales:
        found[:, at : at + 2] = rng.standard_normal((count, 1)).astype("float16").view("uint8")
    return found


@pytest.mark.parametrize("name, number, elements, size, scales, formula", BLOCKS, ids=[row[0] for row in BLOCKS])
def test_blocks_of_gguf_are_what_numpy_makes_of_them(name, number, elements, size, scales, formula):
    stored = blocks(12, size, scales)
    if name == "MXFP4":
        # The largest scales overflow with the largest elements.
        stored[:, 0] %= 252
        stored[:4, 0] = 0, 1, 2, 251
    found = checkpoint.open(gguf({}, {"w": ((4, 3 * elements), number, stored.tobytes())}))
    expected = formula(stored).reshape(4, 3 * elements)
    assert found.entry("w") == checkpoint.Entry("w", (4, 3 * elements), name, "float32", stored.nbytes, None)
    assert found["w"].numpy().tobytes() == expected.astype("float32").tobytes()
    assert found.raw("w").numpy().tobytes() == stored.tobytes()


def test_metadata_and_plain_types_of_gguf():
    numbers = struct.pack("<IQ", 6, 3) + np.array([1, 2, 3], "<f4").tobytes()
    texts = struct.pack("<IQ", 8, 2) + text("a") + text("ä")
    values = {
        "u8": (0, b"\xff"), "i8": (1, b"\xff"), "u16": (2, b"\1\1"), "i16": (3, b"\xfe\xff"), "u32": (4, b"\xff" * 4),
        "i32": (5, b"\xff" * 4), "f32": (6, struct.pack("<f", 0.5)), "yes": (7, b"\1"), "text": (8, text("tä")),
        "numbers": (9, numbers), "texts": (9, texts), "u64": (10, b"\xff" * 8), "i64": (11, b"\xff" * 8),
        "f64": (12, struct.pack("<d", 0.1)),
    }  # fmt: skip
    tensors = {
        dtype: ((2, 3), number, bits(dtype, (2, 3)).tobytes())
        for dtype, number in [("float32", 0), ("float16", 1), ("int8", 24), ("int16", 25), ("int32", 26), ("int64", 27),
                              ("float64", 28), ("bfloat16", 30)]
    }  # fmt: skip
    found = checkpoint.open(gguf(values, tensors | {"other": ((1, 256), 16, b"\0" * 66)}, version=2))
    said = dict(found.metadata)
    assert np.array_equal(said.pop("numbers").numpy(), np.array([1, 2, 3], "float32"))
    assert said == {
        "u8": 255, "i8": -1, "u16": 257, "i16": -2, "u32": 2**32 - 1, "i32": -1, "f32": 0.5, "yes": True, "text": "tä",
        "texts": ["a", "ä"], "u64": 2**64 - 1, "i64": -1, "f64": 0.1,
    }  # fmt: skip
    for dtype, (shape, _, data) in tensors.items():
        assert (found[dtype].shape, found[dtype].dtype) == (shape, dtype)
        assert bits_of(found[dtype]).tobytes() == data
    assert found.entry("other").dtype is None and found.raw("other").shape == (66,)
    with pytest.raises(tw.TVMError, match=r'"other": elements of type IQ2_XXS are not read; their bytes are'):
        found["other"]


# PyTorch


def pickled(value):
    """Instructions that push a value: a text, an integer, a tuple, a dictionary, or instructions."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return b"X" + struct.pack("<I", len(value.encode())) + value.encode()
    if isinstance(value, int):
        return b"J" + struct.pack("<i", value)
    if isinstance(value, tuple):
        return b"(" + b"".join(map(pickled, value)) + b"t"
    return b"}(" + b"".join(pickled(part) for item in value.items() for part in item) + b"u"


def torch_tensor(kind, key, count, offset, shape, strides):
    storage = pickled(("storage", f"ctorch\n{kind}Storage\n".encode(), key, "cpu", count)) + b"Q"
    hooks = b"ccollections\nOrderedDict\n)R"
    return b"ctorch._utils\n_rebuild_tensor_v2\n" + pickled((storage, offset, shape, strides, b"\x89", hooks)) + b"R"


def torch_file(value, storages):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("m/data.pkl", b"\x80\x02" + pickled(value) + b".")
        for key, data in storages.items():
            archive.writestr(f"m/data/{key}", data.tobytes())
    return file.getvalue()


def test_tensors_of_torch_share_storages_and_have_strides():
    value = {
        "model": {"w": torch_tensor("Float", "0", 12, 0, (3, 4), (4, 1)),
                  "t": torch_tensor("Float", "0", 12, 0, (4, 3), (1, 4)),
                  "part": torch_tensor("Float", "0", 12, 5, (2, 2), (4, 1))},
        "steps": torch_tensor("Long", "1", 1, 0, (), ()),
        "half": torch_tensor("BFloat16", "2", 2, 0, (2,), (1,)),
        "epoch": 3, "name": "tä", "options": {"betas": (1, 2)},
    }  # fmt: skip
    half = np.array([0x3F80, 0x4000], "uint16")
    found = checkpoint.open(torch_file(value, {"0": W, "1": np.array([7]), "2": half}))
    assert found.metadata == {"epoch": 3, "name": "tä", "options": {"betas": [1, 2]}} and found.format == "torch"
    for name, expected in [("model.w", W), ("model.t", W.T), ("model.part", W[1:, 1:3]), ("steps", np.array(7))]:
        assert np.array_equal(found[name].numpy(), expected) and found[name].shape == expected.shape
    assert found["half"].astype("float32").tolist() == [1.0, 2.0]


@pytest.mark.torch
@pytest.mark.parametrize("zipped", [True, False])
def test_files_that_torch_saves(tmp_path, zipped):
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    whole = {"net": net.state_dict(), "weights": [torch.arange(6).reshape(2, 3).t()], "lr": 0.5}
    torch.save(whole, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    found = checkpoint.open(tmp_path / "a.pt")
    expected = {f"net.{name}": value for name, value in net.state_dict().items()} | {"weights.0": whole["weights"][0]}
    assert found.metadata == {"lr": 0.5} and set(found) == set(expected)
    assert all(np.array_equal(found[name].numpy(), value.numpy()) for name, value in expected.items())
    assert found.compare(expected)
    torch.save(net, tmp_path / "net.pt", _use_new_zipfile_serialization=zipped)
    with pytest.raises(tw.TVMError, match=r"torch.nn.modules.container.Sequential`, which is refused.*state_dict"):
        checkpoint.open(tmp_path / "net.pt")


# Archives, folders, indices


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_of_numpy(tmp_path, save):
    arrays = {"w": W, "fortran": np.asfortranarray(W), "big": W.astype(">f4"), "n": np.array(3), "none": W[:0]}
    save(tmp_path / "a.npz", **arrays)
    found = checkpoint.open(tmp_path / "a.npz")
    assert list(found) == list(arrays) and found.format == "npz"
    assert all(np.array_equal(found[name].numpy(), array) for name, array in arrays.items())


@pytest.mark.parametrize("encoding", ["raw", "f32-to-bf16"])
def test_shards_of_mlc(tmp_path, encoding):
    arrays = {"w": W, "q": np.arange(6, dtype="uint32"), "h": W.astype("float16")}
    tvmjs.dump_ndarray_cache(arrays, str(tmp_path), encode_format=encoding, meta_data={"ParamSize": 3})
    found = checkpoint.open(tmp_path)
    halves_of_w = ((W.view("uint32") + 0x7FFF + (W.view("uint32") >> 16 & 1)) & 0xFFFF0000).view("float32")
    expected = arrays | {"w": W if encoding == "raw" else halves_of_w}
    assert found.metadata == {"ParamSize": 3} and found.format == "ndarray-cache"
    assert all(np.array_equal(found[name].numpy(), array) for name, array in expected.items())
    assert found.entry("w").stored == ("float32" if encoding == "raw" else encoding)
    listing = (tmp_path / "ndarray-cache.json").read_text()
    (tmp_path / "ndarray-cache.json").write_text(listing.replace("params_shard_0.bin", "../params_shard_0.bin"))
    with pytest.raises(tw.TVMError, match="outside of the folder"):
        checkpoint.open(tmp_path)


def test_shards_of_mlc_by_size(tmp_path):
    """Tensors are read one by one; one of half a shard that does not fit stands alone, and others begin the next."""
    sizes = {"a": 500, "b": 600, "c": 100, "d": 480, "e": 2000}
    arrays = {name: np.full(kib << 10, at, "int8") for at, (name, kib) in enumerate(sizes.items())}
    asked = []

    def one_by_one():
        for name, array in arrays.items():
            asked.append((name, len(list(tmp_path.glob("*.bin")))))
            yield name, array

    tvmjs.dump_ndarray_cache(one_by_one(), str(tmp_path), shard_cap_mb=1, meta_data=lambda: {"ParamSize": len(asked)})
    listing = json.loads((tmp_path / "ndarray-cache.json").read_text())
    assert list(listing) == ["metadata", "records"] and listing["metadata"] == {"ParamSize": 5}
    names = [[record["name"] for record in shard["records"]] for shard in listing["records"]]
    assert names == [["b"], ["a", "c"], ["e"], ["d"]]
    assert [shard["dataPath"] for shard in listing["records"]] == [f"params_shard_{at}.bin" for at in range(4)]
    assert asked == [("a", 0), ("b", 0), ("c", 1), ("d", 1), ("e", 2)]
    second = listing["records"][1]
    assert list(second) == ["dataPath", "format", "nbytes", "records", "md5sum"] and second["nbytes"] == 600 << 10
    said = {"name": "c", "shape": [100 << 10], "dtype": "int8", "format": "f32-to-bf16"}
    assert second["records"][1] == said | {"nbytes": 100 << 10, "byteOffset": 500 << 10}
    data = (tmp_path / "params_shard_1.bin").read_bytes()
    assert hashlib.md5(data).hexdigest() == second["md5sum"] and data == bytes(500 << 10) + b"\x02" * (100 << 10)
    found = checkpoint.open(tmp_path)
    assert all(np.array_equal(found[name].numpy(), array) for name, array in arrays.items())


def test_a_tensor_that_fills_a_shard_up_begins_the_next(tmp_path):
    arrays = {name: np.zeros(kib << 10, "int8") for name, kib in {"a": 700, "b": 324, "c": 600, "d": 424}.items()}
    tvmjs.dump_ndarray_cache(arrays, str(tmp_path), shard_cap_mb=1)
    listing = json.loads((tmp_path / "ndarray-cache.json").read_text())
    names = [[record["name"] for record in shard["records"]] for shard in listing["records"]]
    assert names == [["a"], ["b", "c"], ["d"]]


def test_the_lists_of_shards_by_the_byte(tmp_path):
    """Every record names the encoding, which changes float32 only; a second list calls it bfloat16."""
    w = np.array([1, 2], "float32")
    tvmjs.dump_ndarray_cache({"w": w, "q": np.array([7], "uint32")}, str(tmp_path), meta_data={"ParamSize": 2})
    data = b"\x80\x3f\x00\x40" + b"\x07\0\0\0"
    assert (tmp_path / "params_shard_0.bin").read_bytes() == data
    record = """                {
                    "name": "%s",
                    "shape": [
                        %d
                    ],
                    "dtype": "%s",
                    "format": "%s",
                    "nbytes": 4,
                    "byteOffset": %d
                }"""
    listing = """{
    "metadata": {
        "ParamSize": 2
    },
    "records": [
        {
            "dataPath": "params_shard_0.bin",
            "format": "raw-shard",
            "nbytes": 8,
            "records": [
%s,
%s
            ],
            "md5sum": "%s"
        }
    ]
}"""
    codes, md5 = record % ("q", 1, "uint32", "f32-to-bf16", 4), hashlib.md5(data).hexdigest()
    first, second = record % ("w", 2, "float32", "f32-to-bf16", 0), record % ("w", 2, "bfloat16", "raw", 0)
    assert (tmp_path / "ndarray-cache.json").read_text() == listing % (first, codes, md5)
    assert (tmp_path / "ndarray-cache-b16.json").read_text() == listing % (second, codes, md5)


def test_shards_of_mlc_keep_the_greatest_numbers_finite(tmp_path):
    most = np.finfo("float32").max
    w = np.array([most, -most, np.inf, 1 + 2**-8, 1 + 3 * 2**-8, 3.3895313892515355e38], "float32")
    tvmjs.dump_ndarray_cache({"w": w}, str(tmp_path))
    expected = np.array([3.3895313892515355e38, -3.3895313892515355e38, np.inf, 1, 1 + 2**-6, 3.3895313892515355e38])
    np.testing.assert_array_equal(checkpoint.open(tmp_path)["w"].numpy(), expected.astype("float32"))


def test_an_index_opens_its_files(tmp_path):
    shards = {"a": {"x": W}, "b": {"y": W + 1, "z": W * 2}}
    for shard, arrays in shards.items():
        (tmp_path / shard).write_bytes(safetensors({name: ("F32", array) for name, array in arrays.items()}))
    index = {name: shard for shard, arrays in shards.items() for name in arrays}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    found = checkpoint.open(tmp_path)
    assert [path.name for path in found.files] == ["a", "b"] and found.entry("z").file == tmp_path / "b"
    assert all(np.array_equal(found[name].numpy(), shards[shard][name]) for name, shard in index.items())


# What callers see


def test_a_comparison_reports_everything_at_once():
    found = checkpoint.open(safetensors({"a.w": ("F32", W), "a.b": ("F32", W[0]), "a.n": ("I64", np.arange(2))}))
    same = {"a.w": W, "a.b": (4,), "a.n": ((None,), "int64")}
    assert found.compare(same) and found.compare(same).is_loadable
    report = found.compare({"a.w": (4, 3), "a.n": ((2,), "int32"), "a.c": (1,)})
    assert not report and not report.is_loadable and report.matched == 0
    assert (report.missing, report.unexpected) == (["a.c"], ["a.b"])
    assert report.misshapen == [("a.w", (4, 3), (3, 4))] and report.mistyped == [("a.n", "int32", "int64")]
    assert str(report).splitlines() == [
        "0 tensors are as expected",
        "1 missing", '  "a.c"', "1 unexpected", '  "a.b"',
        "1 of another shape", '  "a.w": expected [4, 3], found [3, 4]',
        "1 of another type", '  "a.n": expected int32, found int64',
    ]  # fmt: skip
    assert found.compare({"w": W, "b": (4,), "n": (2,)}).extra_prefix == "a."


def test_errors_name_the_file_and_the_tensor(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.gguf"):
        checkpoint.open(tmp_path / "none.gguf")
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors({"x": ("F32", W)})[:-1])
    with pytest.raises(tw.TVMError, match=r'a\.safetensors: safetensors: the tensor "x" takes the bytes 0 to 48 of 47'):
        checkpoint.open(path)
    (tmp_path / "b.gguf").write_bytes(b"text")
    with pytest.raises(tw.TVMError, match=r"b\.gguf: checkpoint: the file begins as none that is known"):
        checkpoint.open(tmp_path / "b.gguf")
    found = checkpoint.open(safetensors({"x": ("F32", W)}))
    assert "y" not in found and found.get("y") is None and 3 not in found
    for look_up in (found.__getitem__, found.raw, found.entry):
        with pytest.raises(KeyError, match="y"):
            look_up("y")


def test_inspect_shows_a_checkpoint(tmp_path, python):
    stored = blocks(3, 144, [0, 2])
    tensors = {"blk.0.w": ((3, 256), 12, stored.tobytes()), "b\x1b[2J": ((4,), 0, W[0].tobytes())}
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf({"general.name": (8, text("tä"))}, tensors))
    shown = python("-m", "tilewright", "inspect", path)
    assert shown.returncode == 0, shown.stderr
    rows = [line.split() for line in shown.stdout.splitlines()]
    assert ["general.name:", "tä"] in rows and ["blk.0.w", "[3,", "256]", "Q4_K", "432"] in rows
    assert "2 tensors of 772 elements in 448 bytes: 1 Q4_K, 1 float32" in shown.stdout and "\x1b" not in shown.stdout
    found = json.loads(python("-m", "tilewright", "inspect", path, "--json").stdout)
    assert found["metadata"] == {"general.name": "tä"} and found["format"] == "gguf"
    assert found["tensors"][0] == {
        "name": "blk.0.w", "shape": [3, 256], "stored": "Q4_K", "dtype": "float32", "bytes": 432, "file": str(path),
    }  # fmt: skip
    assert found["totals"] == {"tensors": 2, "elements": 772, "bytes": 448, "types": {"Q4_K": 1, "float32": 1}}
    path.write_bytes(path.read_bytes()[:-1])
    shown = python("-m", "tilewright", "inspect", path)
    assert shown.returncode == 1 and "the file is cut off" in shown.stderr
