# Gradients that are operators, and what gradients are told.
# test: run
# run: of_each_loss(f32[4]=[0.5, -1, 2, 3], f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], i64[4]=[0, 2, 1, 2], f32[3]=[2, 0.5, 3]) == f32[4,3]=[0, 0, 0, 0, 0, 3, 0, -1, 0, 0, 0, -9]
# run: of_the_mean_loss(f32[]=[2], f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], i64[4]=[0, 2, 1, 2], f32[3]=[2, 0.5, 3]) == f32[4,3]=[-0.47058824, 0, 0, 0, 0, -0.7058824, 0, -0.11764706, 0, 0, 0, -0.7058824]
# run: of_the_total_loss(f32[]=[2], f32[4,3]=[-0.5, -1.5, -2, -3, -0.25, -1, -1, -2, -0.75, -4, -5, -6], i64[4]=[0, 2, 1, 2], f32[3]=[2, 0.5, 3]) == f32[4,3]=[-4, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0]
# run: of_max_pool(f32[1,1,2,2]=[1, -2, 3, 0.5], f32[1,1,4,4]=[5, -1, 2, 8, 0, 3, 3, -2, 7, 9, 1, 4, -6, 6, 2.5, 0.25]) == f32[1,1,4,4]=[1, 0, 0, -2, 0, 0, 0, 0, 0, 3, 0, 0.5, 0, 0, 0, 0]
# run: of_avg_pool(f32[1,1,2,2]=[1, -2, 3, 0.5], f32[1,1,4,4]=[5, -1, 2, 8, 0, 3, 3, -2, 7, 9, 1, 4, -6, 6, 2.5, 0.25]) == f32[1,1,4,4]=[0.25, 0.25, -0.5, -0.5, 0.25, 0.25, -0.5, -0.5, 0.75, 0.75, 0.125, 0.125, 0.75, 0.75, 0.125, 0.125]
# run: of_avg_pool_with_its_border(f32[1,1,3,3]=[1.8, -2.6, -2.4, -2.6, 1.9, -0.7, -1.9, -2.3, 0.8], f32[1,1,4,4]=[5, -1, 2, 8, 0, 3, 3, -2, 7, 9, 1, 4, -6, 6, 2.5, 0.25]) == f32[1,1,4,4]=[0.45, -0.65, -0.65, -0.6, -0.65, 0.475, 0.475, -0.175, -0.65, 0.475, 0.475, -0.175, -0.475, -0.575, -0.575, 0.2]
# run: of_avg_pool_without_its_border(f32[1,1,3,3]=[1.8, -2.6, -2.4, -2.6, 1.9, -0.7, -1.9, -2.3, 0.8], f32[1,1,4,4]=[5, -1, 2, 8, 0, 3, 3, -2, 7, 9, 1, 4, -6, 6, 2.5, 0.25]) == f32[1,1,4,4]=[1.8, -1.3, -1.3, -2.4, -1.3, 0.475, 0.475, -0.35, -1.3, 0.475, 0.475, -0.35, -1.9, -1.15, -1.15, 0.8]
# run: of_dilated_max_pool(f32[1,1,3,3]=[-0.8, 0.2, 3.8, 1, -3.2, 3.5, 0.7, -1.9, 1.8], f32[1,5,5,1]=[3, 10, -3, 5, -8, 1, 2, 11, 6, -5, -10, 0, 12, -6, 4, -9, -11, -12, 9, 7, -4, -2, 8, -1, -7]) == f32[1,5,5,1]=[0, 0, 0, 0, 0, 0, 0.19999999, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0.7, 0, 0.19999993, 0, 0, 0, 0, 0, 0]
# run: of_dilated_avg_pool(f32[1,1,3,3]=[-0.8, 0.2, 3.8, 1, -3.2, 3.5, 0.7, -1.9, 1.8], f32[1,5,5,1]=[3, 10, -3, 5, -8, 1, 2, 11, 6, -5, -10, 0, 12, -6, 4, -9, -11, -12, 9, 7, -4, -2, 8, -1, -7]) == f32[1,5,5,1]=[0, 0, 0, 0, 0, 0, -0.7, 0, 1.0749999, 0, 0, 0, 0, 0, 0, 0, -0.85, 0, 0.050000012, 0, 0, 0, 0, 0, 0]
# run: of_take(f32[4,2]=[1, 2, 3, 4, 5, 6, 7, 8], f32[3,2]=[0, 0, 0, 0, 0, 0], i32[4]=[2, 0, 2, 9]) == f32[3,2]=[3, 4, 0, 0, 13, 16]
# run: of_flat_take(f32[3]=[1, 2, 3], f32[3,2]=[0, 0, 0, 0, 0, 0], i64[3]=[5, -4, 9]) == f32[3,2]=[2, 0, 0, 0, 0, 4]
# run: told(f32[2]=[1, -2]) == f32[2]=[-1, 2]


@I.ir_module
class Module:
    @R.function
    def of_each_loss(g: R.Tensor((4,), "float32"), p: R.Tensor((4, 3), "float32"), t: R.Tensor((4,), "int64"), w: R.Tensor((3,), "float32")):
        return R.grad.nll_loss_backward(g, p, t, w, reduction="none", ignore_index=0)

    @R.function
    def of_the_mean_loss(g: R.Tensor((), "float32"), p: R.Tensor((4, 3), "float32"), t: R.Tensor((4,), "int64"), w: R.Tensor((3,), "float32")):
        return R.grad.nll_loss_backward(g, p, t, w)

    @R.function
    def of_the_total_loss(g: R.Tensor((), "float32"), p: R.Tensor((4, 3), "float32"), t: R.Tensor((4,), "int64"), w: R.Tensor((3,), "float32")):
        return R.grad.nll_loss_backward(g, p, t, w, reduction="sum", ignore_index=2)

    @R.function
    def of_max_pool(g: R.Tensor((1, 1, 2, 2), "float32"), x: R.Tensor((1, 1, 4, 4), "float32")):
        return R.grad.max_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2])

    @R.function
    def of_avg_pool(g: R.Tensor((1, 1, 2, 2), "float32"), x: R.Tensor((1, 1, 4, 4), "float32")):
        return R.grad.avg_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2])

    @R.function
    def of_avg_pool_with_its_border(g: R.Tensor((1, 1, 3, 3), "float32"), x: R.Tensor((1, 1, 4, 4), "float32")):
        return R.grad.avg_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2], padding=[1, 1, 1, 1], count_include_pad=True)

    @R.function
    def of_avg_pool_without_its_border(g: R.Tensor((1, 1, 3, 3), "float32"), x: R.Tensor((1, 1, 4, 4), "float32")):
        return R.grad.avg_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2], padding=[1, 1, 1, 1])

    @R.function
    def of_dilated_max_pool(g: R.Tensor((1, 1, 3, 3), "float32"), x: R.Tensor((1, 5, 5, 1), "float32")):
        return R.grad.max_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2], padding=[1, 1, 1, 1], dilation=[2, 2], ceil_mode=True, count_include_pad=True, layout="NHWC", out_layout="NCHW")

    @R.function
    def of_dilated_avg_pool(g: R.Tensor((1, 1, 3, 3), "float32"), x: R.Tensor((1, 5, 5, 1), "float32")):
        return R.grad.avg_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2], padding=[1, 1, 1, 1], dilation=[2, 2], ceil_mode=True, count_include_pad=True, layout="NHWC", out_layout="NCHW")

    @R.function
    def of_take(g: R.Tensor((4, 2), "float32"), x: R.Tensor((3, 2), "float32"), i: R.Tensor((4,), "int32")):
        return R.grad.take_backward(g, x, i, axis=0)

    @R.function
    def of_flat_take(g: R.Tensor((3,), "float32"), x: R.Tensor((3, 2), "float32"), i: R.Tensor((3,), "int64")):
        return R.grad.take_backward(g, x, i)

    @R.function
    def told(z: R.Tensor((2,), "float32")):
        a = R.grad.no_grad(z)
        b = R.grad.start_checkpoint(a)
        c = R.negative(b)
        return R.grad.end_checkpoint(c)
