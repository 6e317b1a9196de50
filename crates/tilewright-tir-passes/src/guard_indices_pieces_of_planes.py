# A task is a piece of one of the planes of a batch of unknown size: where there is a task no plane is empty, and so there are
# no more tasks than 64 bits count. No index has a check.
# test: lower
# run: main n=2 h=3 w=5 == same
# run: main n=0 h=3 w=5 == same
# run: main n=1 h=0 w=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(64), h, w), "float32")
        B = T.match_buffer(var_B, (n, T.int64(64), h, w), "float32")
        for task in T.parallel(n * ((h * w + T.int64(255)) // T.int64(256)) * T.int64(64)):
            plane: T.int64 = task // ((h * w + T.int64(255)) // T.int64(256))
            piece: T.int64 = task % ((h * w + T.int64(255)) // T.int64(256))
            for i in range(256):
                if piece * T.int64(256) + i < h * w:
                    B[plane // T.int64(64), plane % T.int64(64), (piece * T.int64(256) + i) // w, (piece * T.int64(256) + i) % w] = A[plane // T.int64(64), plane % T.int64(64), (piece * T.int64(256) + i) // w, (piece * T.int64(256) + i) % w]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, n: T.int64, h: T.int64, w: T.int64):
        A = T.match_buffer(var_A, (n * h * w * T.int64(64),), "float32")
        B = T.match_buffer(var_B, (n * h * w * T.int64(64),), "float32")
        for task in T.parallel(n * ((h * w + T.int64(255)) // T.int64(256)) * T.int64(64)):
            plane: T.int64 = task // ((h * w + T.int64(255)) // T.int64(256))
            piece: T.int64 = task % ((h * w + T.int64(255)) // T.int64(256))
            for i in range(T.int64(256)):
                if piece * T.int64(256) + i < h * w:
                    B[h * w * (plane // T.int64(64)) * T.int64(64) + h * w * (plane % T.int64(64)) + piece * T.int64(256) + i] = A[h * w * (plane // T.int64(64)) * T.int64(64) + h * w * (plane % T.int64(64)) + piece * T.int64(256) + i]
