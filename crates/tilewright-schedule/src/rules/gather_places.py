# An image that is read at given places: the numbers of a row of places are worked out once for all channels.
# test: opt --pass LegalizeOps --pass ApplyDefaultSchedule:target=skylake-avx512
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 40, 7, 9), "float32"), grid: R.Tensor((1, 2, 5, 33), "float32")):
        with R.dataflow():
            gv = R.image.grid_sample(x, grid, method="nearest")
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def grid_sample(x: T.Buffer((T.int64(1), T.int64(40), T.int64(7), T.int64(9)), "float32"), grid: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(33)), "float32"), grid_sample: T.Buffer((T.int64(1), T.int64(40), T.int64(5), T.int64(33)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        grid_places = T.alloc_buffer((T.int64(1), T.int64(5), T.int64(33)), "int32")
        grid_places_1 = T.alloc_buffer((T.int64(1), T.int64(5), T.int64(33)), "int32")
        for i2 in range(T.int64(5)):
            for ax2 in T.vectorized(T.int64(33)):
                with T.block("grid_places_1"):
                    v_i0 = T.axis.spatial(T.int64(1), T.int64(0))
                    v_i1, v_i2 = T.axis.remap("SS", [i2, ax2])
                    T.reads(grid[v_i0, T.int64(0), v_i1, v_i2])
                    T.writes(grid_places_1[v_i0, v_i1, v_i2])
                    grid_places_1[v_i0, v_i1, v_i2] = T.Select(T.round(T.min(T.max(((grid[v_i0, T.int64(0), v_i1, v_i2] + T.float32(1.0)) * T.float32(9.0) - T.float32(1.0)) * T.float32(0.5), T.float32(-3.0)), T.Add(T.float32(9.0), T.float32(2.0)))) >= T.float32(0.0) and T.round(T.min(T.max(((grid[v_i0, T.int64(0), v_i1, v_i2] + T.float32(1.0)) * T.float32(9.0) - T.float32(1.0)) * T.float32(0.5), T.float32(-3.0)), T.Add(T.float32(9.0), T.float32(2.0)))) <= T.Sub(T.float32(9.0), T.float32(1.0)), T.Cast("int32", T.round(T.min(T.max(((grid[v_i0, T.int64(0), v_i1, v_i2] + T.float32(1.0)) * T.float32(9.0) - T.float32(1.0)) * T.float32(0.5), T.float32(-3.0)), T.Add(T.float32(9.0), T.float32(2.0))))), -1)
            for ax2 in T.vectorized(T.int64(33)):
                with T.block("grid_places"):
                    v_i0 = T.axis.spatial(T.int64(1), T.int64(0))
                    v_i1, v_i2 = T.axis.remap("SS", [i2, ax2])
                    T.reads(grid[v_i0, T.int64(1), v_i1, v_i2])
                    T.writes(grid_places[v_i0, v_i1, v_i2])
                    grid_places[v_i0, v_i1, v_i2] = T.Select(T.round(T.min(T.max(((grid[v_i0, T.int64(1), v_i1, v_i2] + T.float32(1.0)) * T.float32(7.0) - T.float32(1.0)) * T.float32(0.5), T.float32(-3.0)), T.Add(T.float32(7.0), T.float32(2.0)))) >= T.float32(0.0) and T.round(T.min(T.max(((grid[v_i0, T.int64(1), v_i1, v_i2] + T.float32(1.0)) * T.float32(7.0) - T.float32(1.0)) * T.float32(0.5), T.float32(-3.0)), T.Add(T.float32(7.0), T.float32(2.0)))) <= T.Sub(T.float32(7.0), T.float32(1.0)), T.Cast("int32", T.round(T.min(T.max(((grid[v_i0, T.int64(1), v_i1, v_i2] + T.float32(1.0)) * T.float32(7.0) - T.float32(1.0)) * T.float32(0.5), T.float32(-3.0)), T.Add(T.float32(7.0), T.float32(2.0))))), -1)
            for i0, i1 in T.grid(T.int64(1), T.int64(40)):
                for i3 in T.vectorized(T.int64(33)):
                    with T.block("grid_sample"):
                        v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                        T.reads(grid_places[v_i0, v_i2, v_i3], grid_places_1[v_i0, v_i2, v_i3], x[v_i0, v_i1, T.int64(0):T.int64(7), T.int64(0):T.int64(9)])
                        T.writes(grid_sample[v_i0, v_i1, v_i2, v_i3])
                        grid_sample[v_i0, v_i1, v_i2, v_i3] = T.Select(T.Cast("int64", grid_places[v_i0, v_i2, v_i3]) >= T.int64(0) and T.Cast("int64", grid_places_1[v_i0, v_i2, v_i3]) >= T.int64(0), x[v_i0, v_i1, T.min(T.max(T.Cast("int64", grid_places[v_i0, v_i2, v_i3]), T.int64(0)), T.int64(6)), T.min(T.max(T.Cast("int64", grid_places_1[v_i0, v_i2, v_i3]), T.int64(0)), T.int64(8))], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((1, 40, 7, 9), dtype="float32"), grid: R.Tensor((1, 2, 5, 33), dtype="float32")) -> R.Tensor((1, 40, 5, 33), dtype="float32"):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.grid_sample, (x, grid), out_sinfo=R.Tensor((1, 40, 5, 33), dtype="float32"))
            R.output(gv)
        return gv
