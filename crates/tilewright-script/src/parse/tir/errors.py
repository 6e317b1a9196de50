# Errors of statements and functions of loops.
# test: diagnostics

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), n: T.int32):
        for i in range(0, n, 0):
            A[i] = 0.0
        with T.launch_thread(n, 4):
            A[0] = 0.0
        T.tvm_storage_sync()
        T.tvm_storage_sync("shared", 1, 2, 3)
        T.ptx_mma()
        A[0] = T.call_intrin("float32", "exp", A[0])
        A[0] = T.call_intrin("float64", "tir.exp", A[0])
        A[0] = T.max_value("handle")
        C = T.allocate_const([1, 2, 3], "int8", [2])
        D = T.allocate_const([1, 300], "int8", [2])
        E = T.allocate_const([1, 2], "int8", [n])
        F = T.decl_buffer((4,), "float32", axis_separators=[5])
        G = T.decl_buffer((4,), "float32", buffer_type="wide")
        H = T.decl_buffer((4,), "float32", scope="shard")
        m = T.int32()
        A[0] = T.vectorlow("float32x4", A[0:4])
        B = T.allocate([4], "float32", "global", n > 0)
        with T.attr(A.data, n, 4):
            A[1] = 0.0
        with T.nothing(A):
            A[2] = 0.0

# expect:
# error[TW0306]: a loop cannot count by 0
#  --> crates/tilewright-script/src/parse/tir/errors.py:8:30
#   |
# 8 |         for i in range(0, n, 0):
#   |                              ^
#
# error[TW0302]: this is no variable of threads
#   --> crates/tilewright-script/src/parse/tir/errors.py:10:30
#    |
# 10 |         with T.launch_thread(n, 4):
#    |                              ^ make it one with `T.env_thread`
#
# error[TW0301]: `T.tvm_storage_sync` takes 1 to 3 operands, found 4
#   --> crates/tilewright-script/src/parse/tir/errors.py:13:9
#    |
# 13 |         T.tvm_storage_sync("shared", 1, 2, 3)
#    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#
# error[TW0301]: `T.ptx_mma` names the type of its result first
#   --> crates/tilewright-script/src/parse/tir/errors.py:14:9
#    |
# 14 |         T.ptx_mma()
#    |         ^^^^^^^^^^^
#
# error[TW0302]: expected the name of an operation, found "exp"
#   --> crates/tilewright-script/src/parse/tir/errors.py:15:41
#    |
# 15 |         A[0] = T.call_intrin("float32", "exp", A[0])
#    |                                         ^^^^^ such names begin with "tir."
#
# error[TW0303]: `tir.exp` gives float32 here, not float64
#   --> crates/tilewright-script/src/parse/tir/errors.py:16:30
#    |
# 16 |         A[0] = T.call_intrin("float64", "tir.exp", A[0])
#    |                              ^^^^^^^^^
#
# error[TW0303]: handle has no such value
#   --> crates/tilewright-script/src/parse/tir/errors.py:17:16
#    |
# 17 |         A[0] = T.max_value("handle")
#    |                ^^^^^^^^^^^^^^^^^^^^^ expected a type of numbers
#
# error[TW0304]: the shape [2] has 2 elements, but 3 were given
#   --> crates/tilewright-script/src/parse/tir/errors.py:18:30
#    |
# 18 |         C = T.allocate_const([1, 2, 3], "int8", [2])
#    |                              ^^^^^^^^^
#
# error[TW0306]: 300 is out of the range of int8
#   --> crates/tilewright-script/src/parse/tir/errors.py:19:30
#    |
# 19 |         D = T.allocate_const([1, 300], "int8", [2])
#    |                              ^^^^^^^^
#
# error[TW0302]: constant memory needs constant extents
#   --> crates/tilewright-script/src/parse/tir/errors.py:20:46
#    |
# 20 |         E = T.allocate_const([1, 2], "int8", [n])
#    |                                              ^^^
#
# error[TW0302]: expected ascending numbers of dimensions, found a tuple of 1
#   --> crates/tilewright-script/src/parse/tir/errors.py:21:60
#    |
# 21 |         F = T.decl_buffer((4,), "float32", axis_separators=[5])
#    |                                                            ^^^ a tuple of 1
#
# error[TW0302]: expected "default" or "auto", found the text "wide"
#   --> crates/tilewright-script/src/parse/tir/errors.py:22:56
#    |
# 22 |         G = T.decl_buffer((4,), "float32", buffer_type="wide")
#    |                                                        ^^^^^^ the text "wide"
#
# error[TW0201]: unknown scope "shard": expected one of global, shared, local, or one with a tag
#   --> crates/tilewright-script/src/parse/tir/errors.py:23:50
#    |
# 23 |         H = T.decl_buffer((4,), "float32", scope="shard")
#    |                                                  ^^^^^^^
#    |
#    = help: did you mean `shared`?
#
# error[TW0201]: nothing gives `m` a value
#   --> crates/tilewright-script/src/parse/tir/errors.py:24:13
#    |
# 24 |         m = T.int32()
#    |             ^^^^^^^^^ make it a dimension of a matched buffer
#
# error[TW0303]: a vector of 4 lanes does not fit one of 1
#   --> crates/tilewright-script/src/parse/tir/errors.py:25:9
#    |
# 25 |         A[0] = T.vectorlow("float32x4", A[0:4])
#    |         ^^^^
#
# error[TW0406]: memory is allocated without a condition
#   --> crates/tilewright-script/src/parse/tir/errors.py:26:50
#    |
# 26 |         B = T.allocate([4], "float32", "global", n > 0)
#    |                                                  ^^^^^
#
# error[TW0302]: expected a text, found a scalar of type int32
#   --> crates/tilewright-script/src/parse/tir/errors.py:27:29
#    |
# 27 |         with T.attr(A.data, n, 4):
#    |                             ^ a scalar of type int32
#
# error[TW0104]: `with T.nothing(A)` is not part of a PrimFunc
#   --> crates/tilewright-script/src/parse/tir/errors.py:29:14
#    |
# 29 |         with T.nothing(A):
#    |              ^^^^^^^^^^^^
