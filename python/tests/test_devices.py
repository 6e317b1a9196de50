"""Devices by name, tensors on them, and what is said of those that are not there."""

import copy
import pickle

import numpy as np
import pytest

import tilewright as tw


def test_known_kinds_have_names_and_may_be_absent():
    for kind, number in [("cpu", 1), ("cuda", 2), ("vulkan", 7), ("metal", 8), ("ext_dev", 12), ("webgpu", 15)]:
        device = tw.device(kind, 3)
        assert (str(device), device.device_type, device.device_id) == (f"{kind}(3)", number, 3)
        assert tw.device(f"{kind}:3") == device == pickle.loads(pickle.dumps(device))
    with pytest.raises(tw.TVMError, match="unknown kind of device `tpu`: expected one of cpu, cuda, vulkan"):
        tw.device("tpu")


def test_a_device_that_is_not_there_is_named_with_what_to_use():
    a = tw.nd.array(np.ones(3, "float32"))
    for device in (tw.cpu(1), tw.device("webgpu"), tw.device("metal", 2)):
        if device.exist:
            continue
        for use in (
            lambda device=device: tw.nd.array([1.0], device),
            lambda device=device: tw.nd.empty((2,), "float32", device),
            lambda device=device: a.to(device),
            lambda device=device: a.to_device(device),
            lambda device=device: a.copyto(device),
            device.sync,
        ):
            with pytest.raises(
                tw.TVMError, match=rf"{device.device_id}\) does not exist on this machine; use cpu\(0\)"
            ):
                use()


def test_on_the_host_nothing_is_copied_that_need_not_be():
    a = tw.nd.array(np.arange(6, dtype="float32").reshape(2, 3), tw.cpu(0))
    assert a.device == tw.cpu(0) and a.to(tw.cpu()) is a
    assert not a.copyto(tw.cpu()).same_as(a)
    assert a.__dlpack_device__() == (1, 0)


def test_a_target_chooses_the_device():
    mod = tw.script.from_source(
        """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            y = R.nn.softmax(R.add(x, x), axis=-1)
            R.output(y)
        return y
"""
    )
    target = tw.target.Target("ext_dev")
    assert target.kind.name == "ext_dev" and target.mcpu == tw.target.Target("llvm").mcpu
    executable = tw.relax.build(mod, target)
    with pytest.raises(tw.TVMError, match=r"ext_dev"):
        tw.relax.VirtualMachine(executable, tw.cpu())
    device = tw.device("ext_dev")
    if not device.exist:
        pytest.skip("this build has no test device")
    vm = tw.relax.VirtualMachine(executable, device)
    x = np.random.default_rng(0).standard_normal((2, 3)).astype("float32")
    y = vm["main"](tw.nd.array(x, device))
    powers = np.exp(2 * x - (2 * x).max(-1, keepdims=True))
    assert y.device == device
    np.testing.assert_allclose(y.numpy(), powers / powers.sum(-1, keepdims=True), rtol=1e-5)
    with pytest.raises(tw.TVMError, match=r"cpu\(0\)"):
        vm["main"](tw.nd.array(x))


def test_tensors_live_on_the_test_device():
    device = tw.device("ext_dev")
    if not device.exist:
        pytest.skip("this build has no test device")
    values = np.arange(6, dtype="float32").reshape(2, 3)
    a = tw.nd.array(values, device)
    assert a.device == device and a.__dlpack_device__() == (12, 0)
    assert repr(a).startswith("<NDArray [2, 3], float32, ext_dev(0)>")
    np.testing.assert_array_equal(a.numpy(), values)
    np.testing.assert_array_equal(a[1, ::2].numpy(), values[1, ::2])
    np.testing.assert_array_equal(a.astype("int32").numpy(), values.astype("int32"))
    assert a.astype("int32").device == device == a[[1]].device
    assert a[0, 1].item() == 1.0 and a.tolist() == values.tolist()
    b = tw.nd.empty((2, 3), "float32", device)
    a.copyto(b)
    np.testing.assert_array_equal(b.to(tw.cpu()).numpy(), values)
    b.copyfrom(values * 2)
    np.testing.assert_array_equal(np.asarray(b), values * 2)
    shared = tw.nd.from_dlpack(a)
    assert shared.device == device
    assert copy.deepcopy(a).device == tw.cpu()
    with pytest.raises(BufferError, match=r"ext_dev\(0\)"):
        a.__dlpack__(dl_device=(1, 0))
