# A part of a loop that drives an element's index and its reduction: in another order elements would not begin with `init`.
# test: diagnostics
# step: b = get_block("S")
# step: r, j = get_loops(b)
# step: l = fuse(r, j)
# step: o, i = split(l, [None, 19])
# step: reorder(i, o)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 7), "float32"), S: T.Buffer((7,), "float32")):
        for r, j in T.grid(8, 7):
            with T.block("S"):
                vj, vr = T.axis.remap("SR", [j, r])
                with T.init():
                    S[vj] = T.float32(0)
                S[vj] = S[vj] + A[vr, vj]

# expect:
# error[TW0706]: `reorder` cannot be applied: loop `r_j_fused_0` drives spatial axes and axes of a reduction of block `S`: its elements would not begin with `init`
#  |
#  = note: in the step `reorder(i, o)`
