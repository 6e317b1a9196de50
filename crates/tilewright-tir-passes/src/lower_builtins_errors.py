# Operations without meaning on a CPU are errors that name them.
# test: diagnostics --pass lower_builtins

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        T.tvm_warp_activemask()
        A[0] = 0.0

# expect:
# error[TW0561]: `T.tvm_warp_activemask` has no meaning on a CPU
#  --> crates/tilewright-tir-passes/src/lower_builtins_errors.py:7:5
#   |
# 7 |     def f(A: T.Buffer((4,), "float32")):
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#   |
#   = help: it is an operation of other targets
