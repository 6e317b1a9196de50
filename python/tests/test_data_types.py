"""Data types of tensors: those that NumPy lacks, conversions, and what is no tensor at all."""

import numpy as np
import pytest

import tilewright as tw

EXTREMES = np.array([0.0, -0.0, 1.0, -1.5, 3.14159, 1e-40, 65504, 3e38, np.inf, -np.inf, np.nan], "float32")


def bfloat16_bits(values):
    """Rounds to nearest, ties to even, by the bits."""
    bits = values.astype("float32").view("uint32").astype("uint64")
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype("uint16")


def test_bfloat16_is_rounded_from_float32(rng):
    values = np.concatenate([EXTREMES[:-1], rng.standard_normal(1000).astype("float32") * 100])
    tensor = tw.nd.array(values, dtype="bfloat16")
    assert tensor.dtype == "bfloat16"
    np.testing.assert_array_equal(tensor.view("uint16").numpy(), bfloat16_bits(values))
    back = tensor.astype("float32").numpy()
    np.testing.assert_array_equal(back.view("uint32"), bfloat16_bits(values).astype("uint32") << 16)
    assert np.isnan(tw.nd.array(np.float32(np.nan), dtype="bfloat16").item())


def test_bfloat16_has_no_array_and_suggests_a_way():
    tensor = tw.nd.array([[1.0, 2.5]], dtype="bfloat16")
    for use in (tensor.numpy, tensor.asnumpy, lambda: np.asarray(tensor)):
        with pytest.raises(tw.TVMError, match=r"astype\(\"float32\"\).*view\(\"uint16\"\).*torch"):
            use()
    assert str(tensor) == "[[1.  2.5]]" and "bfloat16" in repr(tensor)
    assert tensor[0, 1].item() == 2.5


def test_bfloat16_is_indexed_and_written():
    tensor = tw.nd.array(np.arange(6).reshape(2, 3), dtype="bfloat16")
    assert tensor[1].tolist() == [3, 4, 5]
    assert tensor[[1, 0], [0, 2]].dtype == "bfloat16" and tensor[[1, 0], [0, 2]].tolist() == [3, 2]
    tensor[0] = [1.5, -2, 1.0 / 3]
    tensor[1, 1:] = tensor[0, :2]
    expected = [[1.5, -2, np.float32(bfloat16_value(1.0 / 3))], [3, 1.5, -2]]
    assert tensor.tolist() == expected


def bfloat16_value(value):
    return (bfloat16_bits(np.float32([value])).astype("uint32") << 16).view("float32")[0]


@pytest.mark.torch
def test_bfloat16_and_float16_are_shared_with_torch():
    import torch

    for dtype in (torch.bfloat16, torch.float16):
        source = torch.tensor([[1.0, -2.5], [0.0, 3e-5]], dtype=dtype)
        shared = tw.nd.from_dlpack(source)
        assert shared.dtype == str(dtype).removeprefix("torch.")
        assert shared.tolist() == source.tolist()
        source[0, 0] = 9
        assert shared[0, 0].item() == 9
        back = torch.from_dlpack(shared[1:])
        back += 1
        assert source[1].tolist() == back[0].tolist() and back.dtype == dtype
        assert torch.from_dlpack(tw.nd.array(source)).equal(source)
        assert tw.nd.array([1.0], dtype=dtype).dtype == shared.dtype


@pytest.mark.parametrize("to", ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("source", ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"])
def test_conversions_within_range_are_those_of_numpy(rng, source, to):
    values = rng.integers(0, 100, (3, 5)).astype(source)
    np.testing.assert_array_equal(tw.nd.array(values).astype(to).numpy(), values.astype(to))
    np.testing.assert_array_equal(tw.nd.array(values, dtype=to).numpy(), values.astype(to))
    np.testing.assert_array_equal(tw.nd.array(values[:, ::2]).astype(to).numpy(), values[:, ::2].astype(to))


def test_conversions_of_floats_to_integers_saturate():
    values = tw.nd.array(np.float32([300, -300, np.inf, -np.inf, np.nan, 2.9, -2.9]))
    assert values.astype("int8").tolist() == [127, -128, 127, -128, 0, 2, -2]


def test_bits_are_read_as_another_type_of_the_same_width():
    tensor = tw.nd.array(np.float32([1.0, -0.0]))
    assert tensor.view("int32").tolist() == [0x3F800000, -(2**31)]
    tensor.view("int32")[1] = 0
    assert str(tensor) == "[1. 0.]"
    for wrong in ("float64", "uint8"):
        with pytest.raises(tw.TVMError, match="bits"):
            tensor.view(wrong)


def test_numbers_of_python_are_tensors():
    for value, dtype in ((3.0, "float64"), (3, "int64"), (True, "bool")):
        tensor = tw.nd.array(value)
        assert (tensor.shape, tensor.dtype, tensor.item()) == ((), dtype, value)
    assert tw.nd.array([[1, 2], [3, 4]]).shape == (2, 2)
    assert tw.nd.array([]).shape == (0,)


@pytest.mark.parametrize(
    "values",
    ["x", ["a", "b"], None, object(), [1, None], [[1, 2], [3]], {"a": 1}, 1j, np.datetime64("2024-01-01"), [2**70],
     np.zeros(2, [("a", "f4")]), np.longdouble(1)],
    ids=["text", "texts", "None", "object", "a None", "ragged", "dict", "complex", "date", "large", "fields", "long"],
)  # fmt: skip
def test_non_tensors_are_refused_with_our_message(values):
    with pytest.raises(tw.TVMError, match="tensor") as caught:
        tw.nd.array(values)
    assert isinstance(caught.value, TypeError)


def test_wrong_arguments_are_named():
    with pytest.raises(tw.TVMError, match="byte order"):
        tw.nd.array(np.ones(3, ">f4"))
    with pytest.raises(tw.TVMError, match="`float33`: expected one of bool"):
        tw.nd.empty((2,), "float33")
    with pytest.raises(tw.TVMError, match="device such as cpu"):
        tw.nd.array([1], 3)
    with pytest.raises(tw.TVMError, match="__dlpack__"):
        tw.nd.from_dlpack([1, 2])
    with pytest.raises(tw.TVMError, match="copyto"):
        tw.nd.array([1]).copyto([1])
    with pytest.raises(tw.TVMError, match="0 or more"):
        tw.cpu(-1)
    with pytest.raises(tw.TVMError, match="cpu` or `cuda:1"):
        tw.device("cpu:x")


def test_data_types_are_named_in_every_way():
    for dtype in ("float32", np.float32, np.dtype("float32")):
        assert tw.nd.empty((1,), dtype).dtype == "float32"


def test_data_types_are_those_of_the_core():
    code = tw.runtime.DataTypeCode
    rows = [
        ("bool", code.BOOL, 8, 1), ("int32", code.INT, 32, 1), ("uint8x4", code.UINT, 8, 4),
        ("float16", code.FLOAT, 16, 1), ("bfloat16", code.BFLOAT, 16, 1), ("float8_e4m3fn", code.Float8E4M3FN, 8, 1),
        ("handle", code.HANDLE, 64, 1),
        ("float4_e2m1fn", code.Float4E2M1FN, 4, 1), ("void", code.HANDLE, 0, 1), ("int4", code.INT, 4, 1),
    ]  # fmt: skip
    for name, *parts in rows:
        dtype = tw.DataType(name)
        assert (dtype == name, [dtype.type_code, dtype.bits, dtype.lanes]) == (True, parts)
        assert dtype.itemsize() == (parts[1] * parts[2] + 7) // 8
    # DLPack's own numbers: an exported tensor says the same.
    assert (int(code.BOOL), int(code.Float8E5M2)) == (6, 12)
    assert tw.DataType("float32").with_lanes(4) == "float32x4" and tw.DataType("int") == "int32"
    for wrong in ("int7", "int8x0", "int32x", "floaty"):
        with pytest.raises(ValueError, match="float32"):
            tw.DataType(wrong)
