# A statement of an early stage cannot read what a late stage of the iteration before writes.
# test: diagnostics --pass tir.InjectSoftwarePipeline

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((9,), "float32")):
        for i in T.serial(0, 8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
            with T.block("body"):
                T.reads(A[i])
                T.writes(A[i + 1])
                B = T.alloc_buffer((8,))
                with T.block("load"):
                    T.reads(A[i])
                    T.writes(B[i])
                    B[i] = A[i] + T.float32(1)
                with T.block("store"):
                    T.reads(B[i])
                    T.writes(A[i + 1])
                    A[i + 1] = B[i]

# expect:
# error[TW0563]: in the software pipeline over `i`, a statement in stage 0 would access `A` before one in stage 1 of the iteration 1 before does, which comes first in the loop: give them one stage, or allocate `A` inside of the loop
