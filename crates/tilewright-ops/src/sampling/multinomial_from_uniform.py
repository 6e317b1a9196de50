# Draws: the first class up to which the probabilities add up to more than the number.
# test: run
# run: drawn(f32[3,3]=[0.25, 0.5, 0.25, 1, 0, 0, 0, 0, 0.5], f32[7,1]=[0.1, 0.25, 0.75, 0.99, 0.3, 0.5, 0.9], i64[7,1]=[0, 0, 0, 0, 1, 2, -1]) == i64[7,1]=[0, 1, 2, 2, 0, 2, 2]
# run: of_int32(f32[3,3]=[0.25, 0.5, 0.25, 1, 0, 0, 0, 0, 0.5], f32[7,1]=[0.1, 0.25, 0.75, 0.99, 0.3, 0.5, 0.9], i64[7,1]=[0, 0, 0, 0, 1, 2, -1]) == i32[7,1]=[0, 1, 2, 2, 0, 2, 2]


@I.ir_module
class Module:
    @R.function
    def drawn(p: R.Tensor((3, 3), "float32"), u: R.Tensor((7, 1), "float32"), rows: R.Tensor((7, 1), "int64")):
        return R.multinomial_from_uniform(p, u, rows)

    @R.function
    def of_int32(p: R.Tensor((3, 3), "float32"), u: R.Tensor((7, 1), "float32"), rows: R.Tensor((7, 1), "int64")):
        return R.multinomial_from_uniform(p, u, rows, dtype="int32")
