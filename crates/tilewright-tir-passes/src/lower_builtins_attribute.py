# An unknown attribute is an error that names it.
# test: diagnostics --pass lower_builtins

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        with T.attr(A.data, "my_attribute", 1):
            A[0] = 0.0

# expect:
# error[TW0561]: attribute `my_attribute` has no meaning on a CPU
#  --> crates/tilewright-tir-passes/src/lower_builtins_attribute.py:7:5
#   |
# 7 |     def f(A: T.Buffer((4,), "float32")):
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#   |
#   = help: give it its meaning in a pass before this, or take it away
