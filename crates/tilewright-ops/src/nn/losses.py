# Losses.
# test: run
# run: mean(f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], i64[4]=[0, 2, 1, 2]) == f32[]=[2.375]
# run: weighted(f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], i64[4]=[0, 2, 1, 2], f32[3]=[2, 0.5, 3]) == f32[]=[2.75]
# run: total(f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], i64[4]=[0, 2, 1, 2], f32[3]=[2, 0.5, 3]) == f32[]=[2]
# run: each(f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], i64[4]=[0, 2, 1, 2], f32[3]=[2, 0.5, 3]) == f32[4]=[0, 3, 1, 18]
# run: of_places(f32[1,2,3]=[1.2, -0.7, -0.3, 0.5, 0.2, -1.7], i32[1,3]=[1, 0, 1]) == f32[1,3]=[-0.5, 0.7, 1.7]
# run: of_one(f32[3]=[-0.5, -1.5, -2], i64[]=[2]) == f32[]=[2]
# run: entropy(f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], f32[4,3]=[0.5, 0.25, 0.25, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 1]) == f32[]=[2.875]
# run: entropy_of_one(f32[3]=[-0.5, -1.5, -2], f32[3]=[0.5, 0.25, 0.25]) == f32[]=[1.125]


@I.ir_module
class Module:
    @R.function
    def mean(p: R.Tensor((4, 3), "float32"), t: R.Tensor((4,), "int64")):
        return R.nn.nll_loss(p, t)

    @R.function
    def weighted(p: R.Tensor((4, 3), "float32"), t: R.Tensor((4,), "int64"), w: R.Tensor((3,), "float32")):
        return R.nn.nll_loss(p, t, w, ignore_index=1)

    @R.function
    def total(p: R.Tensor((4, 3), "float32"), t: R.Tensor((4,), "int64"), w: R.Tensor((3,), "float32")):
        return R.nn.nll_loss(p, t, w, reduction="sum", ignore_index=2)

    @R.function
    def each(p: R.Tensor((4, 3), "float32"), t: R.Tensor((4,), "int64"), w: R.Tensor((3,), "float32")):
        return R.nn.nll_loss(p, t, w, reduction="none", ignore_index=0)

    @R.function
    def of_places(p: R.Tensor((1, 2, 3), "float32"), t: R.Tensor((1, 3), "int32")):
        return R.nn.nll_loss(p, t, reduction="none")

    @R.function
    def of_one(p: R.Tensor((3,), "float32"), t: R.Tensor((), "int64")):
        return R.nn.nll_loss(p, t)

    @R.function
    def entropy(p: R.Tensor((4, 3), "float32"), l: R.Tensor((4, 3), "float32")):
        return R.nn.cross_entropy_with_logits(p, l)

    @R.function
    def entropy_of_one(p: R.Tensor((3,), "float32"), l: R.Tensor((3,), "float32")):
        return R.nn.cross_entropy_with_logits(p, l)
