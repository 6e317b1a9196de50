"""Tensors: what they hold, what they share, and what they refuse."""

import gc

import numpy as np
import pytest

import tilewright as tw


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64", "uint8", "uint32", "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 4), (2, 0, 5), (2, 3, 4, 5)])
def test_values_come_back(rng, shape, dtype):
    a = (rng.standard_normal(shape) * 3).astype(dtype)
    t = tw.nd.array(a)
    assert (t.shape, str(t.dtype)) == (shape, dtype)
    np.testing.assert_array_equal(t.numpy(), a)
    assert t.numpy().dtype == a.dtype
    assert str(t) == str(a)


def test_array_copies():
    a = np.ones(3, "float32")
    t = tw.nd.array(a)
    a[:] = 2
    assert (t.numpy() == 1).all()


def test_numpy_gives_a_copy():
    t = tw.nd.array(np.ones(3, "float32"))
    t.numpy()[:] = 2
    assert (t.numpy() == 1).all()


def test_numpy_arrays_of_any_layout_are_taken(rng):
    a = rng.standard_normal((4, 6)).astype("float32")
    for view in (a.T, a[::2], a[:, ::-1], a[1:3, 2:5]):
        np.testing.assert_array_equal(tw.nd.array(view).numpy(), view)


def test_big_endian_arrays_are_refused():
    with pytest.raises((tw.TVMError, BufferError, ValueError, TypeError)):
        tw.nd.array(np.ones(3, ">f4"))


def test_dlpack_shares_memory_that_can_be_written():
    t = tw.nd.array(np.zeros(3, "float32"))
    np.from_dlpack(t)[:] = 5
    assert (t.numpy() == 5).all()


def test_dlpack_keeps_the_memory_alive():
    view = np.from_dlpack(tw.nd.array(np.arange(1000, dtype="float32")))
    gc.collect()
    assert view.sum() == 499500


def test_an_unused_capsule_is_freed():
    t = tw.nd.array(np.zeros(3, "float32"))
    for options in ({}, {"max_version": (1, 0)}):
        capsule = t.__dlpack__(**options)
        del capsule
    assert t.__dlpack_device__() == (1, 0)


@pytest.mark.torch
def test_torch_shares_memory_both_ways():
    import torch

    t = tw.nd.array(np.zeros((2, 3), "float32"))
    view = torch.from_dlpack(t)
    view += 1
    assert (t.numpy() == 1).all()
    source = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    shared = tw.nd.from_dlpack(source)
    source[0, 0] = 10
    assert shared.numpy()[0, 0] == 10
    assert view.data_ptr() == torch.from_dlpack(t).data_ptr()


def test_read_only_memory_stays_read_only():
    a = np.arange(4, dtype="float32")
    a.flags.writeable = False
    shared = tw.nd.from_dlpack(a)
    np.testing.assert_array_equal(shared.numpy(), a)
    assert not np.from_dlpack(shared).flags.writeable


def test_copyto():
    a, b = tw.nd.array(np.ones((2, 2), "float32")), tw.nd.empty((2, 2))
    a.copyto(b)
    assert (b.numpy() == 1).all()
    with pytest.raises(tw.TVMError, match="shape"):
        a.copyto(tw.nd.empty((3,)))


def test_devices():
    assert tw.cpu().exist
    assert tw.cpu() == tw.cpu(0) and tw.cpu() != tw.cuda(0)
    assert str(tw.cpu(0)) == "cpu(0)"
    assert tw.nd.array(np.zeros(1, "float32")).device == tw.cpu()
    assert tw.device("cuda:1") == tw.cuda(1)
    with pytest.raises(tw.TVMError, match="cuda"):
        tw.nd.empty((1,), device=tw.cuda(99))


class Refuses:
    """Something that claims to hold a tensor."""

    def __init__(self, outcome):
        self.outcome = outcome

    def __dlpack__(self, **options):
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def __dlpack_device__(self):
        return (1, 0)


def test_a_refusal_of_an_exporter_is_an_error_with_its_message_and_location():
    with pytest.raises(tw.TVMError, match=r"Refuses.*not today") as caught:
        tw.nd.from_dlpack(Refuses(BufferError("not today")))
    assert isinstance(caught.value.__cause__, BufferError)
    for source in (np.ones(3, ">f4"), np.ones(3, "complex64")):
        with pytest.raises(tw.TVMError):
            tw.nd.from_dlpack(source)
    with pytest.raises(tw.TVMError, match="capsule"):
        tw.nd.from_dlpack(Refuses(3))
    with pytest.raises(KeyboardInterrupt):
        tw.nd.from_dlpack(Refuses(KeyboardInterrupt()))
    take = tw.get_global_func("test.tensors.take", allow_missing=True)
    if take is None:
        tw.register_func("test.tensors.take", lambda *args: None)
        take = tw.get_global_func("test.tensors.take")
    with pytest.raises(tw.TVMError, match=r"argument 1: .*byte order"):
        take(1, np.ones(3, ">f4"))
    with pytest.raises(tw.TVMError, match=r"argument 0: an integer is of 64 bits"):
        take(2**70)


@pytest.mark.torch
def test_a_tensor_of_torch_that_needs_gradients_is_refused():
    import torch

    with pytest.raises(tw.TVMError, match=r"Tensor.*detach"):
        tw.nd.from_dlpack(torch.ones(3, requires_grad=True))
    with pytest.raises(tw.TVMError, match=r"Tensor.*detach"):
        tw.nd.array(torch.ones(3, requires_grad=True))


def test_odd_shapes_and_devices_are_named():
    t = tw.nd.array(np.zeros((2, 3), "float32"))
    with pytest.raises(tw.TVMError, match="`shape`"):
        tw.nd.empty("ab")
    with pytest.raises(tw.TVMError, match="`device`"):
        t.to_device("cpu")
    with pytest.raises(tw.TVMError, match="`device`"):
        tw.nd.empty((2,), device="cpu")


@pytest.mark.torch
def test_tensors_of_torch_that_cannot_be_shared_are_refused_with_the_reason():
    import torch

    with pytest.raises(tw.TVMError, match="does not share its memory"):
        tw.nd.from_dlpack(torch.empty(3, device="meta"))
    with pytest.raises(tw.TVMError, match="does not share its memory"):
        tw.nd.from_dlpack(torch.eye(3).to_sparse())
    with pytest.raises(tw.TVMError):
        tw.nd.from_dlpack(torch.zeros(3, dtype=torch.complex64))


@pytest.mark.torch
def test_tensors_of_torch_share_memory_whatever_their_class_and_strides():
    import torch

    class Own(torch.Tensor):
        pass

    whole = torch.arange(12.0).reshape(3, 4)
    for tensor in [
        whole,
        whole.t(),
        whole[1:, ::2],
        whole[1],
        whole[:0],
        torch.nn.Parameter(whole, requires_grad=False),
        whole.as_subclass(Own),
        torch.tensor(5, dtype=torch.int8),
        torch.tensor([True, False]),
        whole.to(torch.bfloat16),
    ]:
        shared = tw.nd.from_dlpack(tensor)
        assert shared.shape == tuple(tensor.shape)
        np.testing.assert_array_equal(shared.astype("float32").numpy(), tensor.float().numpy())
    view = tw.nd.from_dlpack(whole[1:, ::2])
    whole[2, 2] = -7
    assert view[1, 1].item() == -7
    del whole
    assert view[1, 1].item() == -7
