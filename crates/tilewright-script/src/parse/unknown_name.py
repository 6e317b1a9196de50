# Every error is found in one run, with its location and a next step.
# test: diagnostics

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[j]
            B[i, i] = A[i]

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32")):
        with R.dataflow():
            lv = R.matmul(x, w)
            gv = R.nn.rleu(lv)
            R.output(gv)
        return gv

# expect:
# error[TW0201]: unknown name `j`
#  --> crates/tilewright-script/src/parse/unknown_name.py:9:22
#   |
# 9 |             B[i] = A[j]
#   |                      ^ not found in this scope
#
# error[TW0304]: buffer `B` has 1 dimension, found 2 indices
#   --> crates/tilewright-script/src/parse/unknown_name.py:10:15
#    |
# 10 |             B[i, i] = A[i]
#    |               ^^^^ its shape is (4,)
#
# error[TW0305]: `matmul` of shapes (2, 3) and (4, 3): the last dimension of the first, 3, must be the last but one of the second, 4
#   --> crates/tilewright-script/src/parse/unknown_name.py:15:30
#    |
# 15 |             lv = R.matmul(x, w)
#    |                           -  ^ a float32 tensor of shape (4, 3)
#    |                           |
#    |                           a float32 tensor of shape (2, 3)
#
# error[TW0202]: unknown function `R.nn.rleu`
#   --> crates/tilewright-script/src/parse/unknown_name.py:16:18
#    |
# 16 |             gv = R.nn.rleu(lv)
#    |                  ^^^^^^^^^
#    |
#    = help: did you mean `R.nn.relu`?
