"""`image.resize2d`: each position of every mode, transformation and rounding, by definition.

Positions are exact fractions, so that no rounding of a reference moves a neighbour.
"""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax

HALF = Fraction(1, 2)
POSITIONS = {
    "half_pixel": lambda i, n, m: (i + HALF) * n / m - HALF,
    "pytorch_half_pixel": lambda i, n, m: (i + HALF) * n / m - HALF if m > 1 else Fraction(0),
    "tf_half_pixel_for_nn": lambda i, n, m: (i + HALF) * n / m,
    "align_corners": lambda i, n, m: Fraction(i * (n - 1), max(m - 1, 1)),
    "asymmetric": lambda i, n, m: Fraction(i * n, m),
}
ROUNDINGS = {
    "round": round,
    "round_prefer_floor": lambda x: ceil(x - HALF),
    "round_prefer_ceil": lambda x: floor(x + HALF),
    "floor": floor,
    "ceil": ceil,
}


def resized(x: np.ndarray, size: tuple[int, int], **attrs: object) -> np.ndarray:
    bb = relax.BlockBuilder()
    image = relax.Var("x", relax.TensorStructInfo(x.shape, "float32"))
    with bb.function("main", [image]):
        with bb.dataflow():
            out = bb.emit_output(relax.op.image.resize2d(image, size, **attrs))
        bb.emit_func_output(out)
    return relax.VirtualMachine(relax.build(bb.get(), "llvm"), tw.cpu())["main"](tw.nd.array(x)).numpy()


@pytest.mark.parametrize("mode", POSITIONS)
def test_nearest_neighbour(mode: str) -> None:
    n, sizes = 4, (8, 3)
    x = np.arange(n * n, dtype="float32").reshape(1, 1, n, n)
    for rounding in [*ROUNDINGS, ""]:
        said = rounding or ("round" if mode == "align_corners" else "floor")

        def near(m: int, said: str = said) -> list[int]:
            return [min(max(ROUNDINGS[said](POSITIONS[mode](i, n, m)), 0), n - 1) for i in range(m)]

        wanted = x[:, :, near(sizes[0])][:, :, :, near(sizes[1])]
        attrs = {"method": "nearest_neighbor", "coordinate_transformation_mode": mode, "rounding_method": rounding}
        np.testing.assert_array_equal(resized(x, sizes, **attrs), wanted, err_msg=f"{mode}, {rounding!r}")


@pytest.mark.parametrize("mode", POSITIONS)
def test_linear(mode: str) -> None:
    n, sizes = 4, (8, 3)
    x = np.random.default_rng(1).random((1, 1, n, n), "float32")

    def along(m: int) -> np.ndarray:
        weights = np.zeros((m, n))
        for i in range(m):
            at = POSITIONS[mode](i, n, m)
            for tap, weight in [(floor(at), 1 - (at - floor(at))), (floor(at) + 1, at - floor(at))]:
                weights[i, min(max(tap, 0), n - 1)] += weight
        return weights

    wanted = along(sizes[0]) @ x[0, 0] @ along(sizes[1]).T
    found = resized(x, sizes, method="linear", coordinate_transformation_mode=mode)[0, 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=mode)


def test_twice_the_size_repeats_each_element() -> None:
    x = np.arange(4, dtype="float32").reshape(1, 1, 1, 4)
    attrs = {"method": "nearest_neighbor", "coordinate_transformation_mode": "asymmetric"}
    for rounding in ("", "floor", "round_prefer_floor"):
        found = resized(x, (1, 8), rounding_method=rounding, **attrs)
        assert found[0, 0, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3], rounding
