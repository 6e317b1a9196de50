"""Indices of tensors: views and copies as NumPy has them, and values written through them."""

import copy
import pickle

import numpy as np
import pytest

import tilewright as tw

BASIC = [
    0,
    -1,
    np.int64(2),
    (1, 2),
    (-1, -2, -3),
    slice(None),
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(5, 1, -2),
    slice(3, 3),
    slice(-100, 100),
    (slice(None), 1),
    (slice(None), slice(None), 0),
    (Ellipsis, 1),
    (0, Ellipsis),
    Ellipsis,
    None,
    (None, 0, slice(None), None),
    (slice(1, None), slice(None, None, -2), slice(0, 3)),
    (),
]
COPYING = [[0, 2], np.array([1, 0, 1]), ([0, 1], [2, 3]), np.ones((4, 5, 6), bool), True, (slice(None), [1, 3])]


@pytest.fixture
def array(rng):
    return rng.standard_normal((4, 5, 6)).astype("float32")


@pytest.mark.parametrize("key", BASIC, ids=str)
def test_basic_indices_are_views(array, key):
    tensor = tw.nd.array(array)
    part = tensor[key]
    expected = array[key]
    assert isinstance(part, tw.nd.NDArray)
    assert part.shape == np.shape(expected)
    np.testing.assert_array_equal(part.numpy(), expected)
    part.copyfrom(7)
    array[key] = 7
    np.testing.assert_array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("key", COPYING, ids=["list", "array", "lists", "mask", "bool", "mixed"])
def test_other_indices_are_copies(array, key):
    tensor = tw.nd.array(array)
    part = tensor[key]
    np.testing.assert_array_equal(part.numpy(), array[key])
    part.copyfrom(7)
    np.testing.assert_array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("key", [4, -5, (0, 5), (0, 0, 0, 0), (Ellipsis, Ellipsis), (0, Ellipsis, 0, 0, 0)], ids=str)
def test_indices_out_of_range(array, key):
    with pytest.raises(IndexError):
        tw.nd.array(array)[key]
    with pytest.raises(IndexError):
        tw.nd.array(array)[key] = 0


def test_texts_are_no_indices(array):
    with pytest.raises((IndexError, tw.TVMError)):
        tw.nd.array(array)["x"]


def test_views_of_views_and_of_empty_tensors(array):
    tensor = tw.nd.array(array)
    np.testing.assert_array_equal(tensor[1:][::-1][0, :, 2:4].numpy(), array[1:][::-1][0, :, 2:4])
    empty = tw.nd.empty((3, 0, 2))
    assert empty[1].shape == (0, 2) and empty[:, 0:0].shape == (3, 0, 2) and empty[3:].shape == (0, 0, 2)
    with pytest.raises(IndexError):
        empty[0, 0]


def test_iteration_goes_over_views(array):
    tensor = tw.nd.array(array)
    rows = list(tensor)
    assert len(rows) == len(tensor) == 4
    rows[2].copyfrom(0)
    assert not tensor[2].numpy().any() and tensor[1].numpy().any()
    with pytest.raises(TypeError):
        iter(tw.nd.array(3.0))


def test_values_are_written_converted_and_broadcast(array):
    tensor = tw.nd.array(array)
    for key, values in [
        (0, 1),
        ((slice(None), 1), np.arange(6)),
        ((Ellipsis, slice(None, None, 2)), array[..., ::2] * 2),
        (slice(1, 3), tw.nd.array(np.ones((2, 5, 6), "int8"))),
        ((1, 2, 3), 2.5),
    ]:
        tensor[key] = values
        array[key] = values.numpy() if isinstance(values, tw.nd.NDArray) else values
        np.testing.assert_array_equal(tensor.numpy(), array)
    with pytest.raises(ValueError, match="broadcast"):
        tensor[0] = np.ones((7,))
    with pytest.raises(TypeError, match="integers, slices"):
        tensor[[0, 1]] = 0


def test_overlapping_values_are_read_first():
    tensor = tw.nd.array(np.arange(6))
    tensor[1:] = tensor[:-1]
    np.testing.assert_array_equal(tensor.numpy(), [0, 0, 1, 2, 3, 4])
    tensor[:] = tensor[::-1]
    np.testing.assert_array_equal(tensor.numpy(), [4, 3, 2, 1, 0, 0])


def test_read_only_tensors_are_not_written():
    frozen = np.zeros(3, "float32")
    frozen.flags.writeable = False
    tensor = tw.nd.from_dlpack(frozen)
    with pytest.raises(tw.TVMError, match="read-only"):
        tensor[0] = 1
    with pytest.raises(tw.TVMError, match="read-only"):
        tensor[1:].copyfrom([1, 2])
    assert not frozen.any()


def test_one_element_is_a_number():
    tensor = tw.nd.array(np.array([[1.5, -2.0]], "float32"))
    assert tensor[0, 1].item() == -2.0 and float(tensor[0, 0]) == 1.5 and int(tensor[0, 1]) == -2
    assert bool(tensor[0, 0]) and not tw.nd.array(0)
    assert tensor.tolist() == [[1.5, -2.0]]
    with pytest.raises(tw.TVMError, match="one element"):
        float(tensor)


def test_tensors_are_pickled_and_copied(array):
    tensor = tw.nd.array(array)
    for again in (pickle.loads(pickle.dumps(tensor[1:, ::2])), copy.deepcopy(tensor[1:, ::2])):
        np.testing.assert_array_equal(again.numpy(), array[1:, ::2])
        assert again.is_contiguous() and not again.same_as(tensor[1:, ::2])
    assert pickle.loads(pickle.dumps(tw.cpu())) == tw.cpu()
    half = tw.nd.array([1.0, -0.5], dtype="bfloat16")
    again = pickle.loads(pickle.dumps(half))
    assert again.dtype == "bfloat16" and again.tolist() == [1.0, -0.5]


def test_the_same_memory_is_the_same(array):
    tensor = tw.nd.array(array)
    assert tensor.same_as(tensor) and tensor[0].same_as(tensor[0]) and tensor.to_device(tw.cpu()).same_as(tensor)
    assert not tensor[0].same_as(tensor[1]) and not tensor.same_as(tw.nd.array(array)) and not tensor.same_as(3)
    assert tensor.reshape((20, 6)).shape == (20, 6)
    np.testing.assert_array_equal(tensor[:, 0].reshape((24,)).numpy(), array[:, 0].reshape(24))
    with pytest.raises(tw.TVMError):
        tensor.reshape((7,))
