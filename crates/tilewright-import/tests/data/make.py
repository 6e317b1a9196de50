"""Writes the files of this folder: what NumPy and Python's own pickle make of known values."""

import collections
import gzip
import pathlib
import pickle

import numpy as np

HERE = pathlib.Path(__file__).parent
W = np.arange(6, dtype="float32").reshape(2, 3) - 2.5
VALUES = {
    "w": W,
    "fortran": np.asfortranarray(W),
    "big": W.astype(">f4"),
    "mask": np.array([True, False]),
    "scalar": np.float64(0.25),
    "counts": np.array([-1, 1 << 40], dtype="int64"),
    "empty": np.zeros((0, 3), dtype="uint8"),
    "plain": [None, True, -7, 1 << 40, 0.5, "tä\n", b"\x00\xff", (), ("a", 1)],
    "shared": [W, W],
    "ordered": collections.OrderedDict(b=1, a=2),
    "set": {3},
}


class Evil:
    def __reduce__(self):
        import os

        return os.system, ("echo no",)


def main():
    for protocol in range(6):
        (HERE / f"values{protocol}.pkl").write_bytes(pickle.dumps(VALUES, protocol))
        (HERE / f"evil{protocol}.pkl").write_bytes(pickle.dumps({"w": W, "x": Evil()}, protocol))
    np.save(HERE / "c.npy", W)
    np.save(HERE / "fortran.npy", np.asfortranarray(W))
    np.save(HERE / "big.npy", W.astype(">f4"))
    np.savez(HERE / "plain.npz", w=W, mask=VALUES["mask"])
    np.savez_compressed(HERE / "deflated.npz", w=W, zeros=np.zeros(1000, dtype="int8"))
    images = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, *range(8)])
    (HERE / "images.idx.gz").write_bytes(gzip.compress(images, mtime=0))


main()
