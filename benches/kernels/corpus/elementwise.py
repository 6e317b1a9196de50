# Elements computed one by one, of every type, with operands that broadcast, and functions of them.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def exp(x: R.Tensor((64, 500), "float32")):
        v1 = R.exp(x)
        return v1

    @R.function
    def log(x: R.Tensor((64, 500), "float32")):
        v1 = R.log(x)
        return v1

    @R.function
    def sin(x: R.Tensor((64, 500), "float32")):
        v1 = R.sin(x)
        return v1

    @R.function
    def tanh(x: R.Tensor((64, 500), "float32")):
        v1 = R.tanh(x)
        return v1

    @R.function
    def sigmoid(x: R.Tensor((64, 500), "float32")):
        v1 = R.sigmoid(x)
        return v1

    @R.function
    def erf(x: R.Tensor((64, 500), "float32")):
        v1 = R.erf(x)
        return v1

    @R.function
    def sqrt(x: R.Tensor((64, 500), "float32")):
        v1 = R.sqrt(x)
        return v1

    @R.function
    def rsqrt(x: R.Tensor((64, 500), "float32")):
        v1 = R.rsqrt(x)
        return v1

    @R.function
    def floor(x: R.Tensor((64, 500), "float32")):
        v1 = R.floor(x)
        return v1

    @R.function
    def atan(x: R.Tensor((64, 500), "float32")):
        v1 = R.atan(x)
        return v1

    @R.function
    def cosh(x: R.Tensor((64, 500), "float32")):
        v1 = R.cosh(x)
        return v1

    @R.function
    def relu(x: R.Tensor((1000, 40), "float32")):
        v1 = R.nn.relu(x)
        return v1

    @R.function
    def gelu(x: R.Tensor((1000, 40), "float32")):
        v1 = R.nn.gelu(x)
        return v1

    @R.function
    def gelu_tanh(x: R.Tensor((1000, 40), "float32")):
        v1 = R.nn.gelu_tanh(x)
        return v1

    @R.function
    def silu(x: R.Tensor((1000, 40), "float32")):
        v1 = R.nn.silu(x)
        return v1

    @R.function
    def softplus(x: R.Tensor((1000, 40), "float32")):
        v1 = R.nn.softplus(x)
        return v1

    @R.function
    def selu(x: R.Tensor((1000, 40), "float32")):
        v1 = R.nn.selu(x)
        return v1

    @R.function
    def leakyrelu(x: R.Tensor((1000, 40), "float32")):
        v1 = R.nn.leakyrelu(x)
        return v1

    @R.function
    def add_f32(x: R.Tensor((100, 77), "float32"), y: R.Tensor((100, 77), "float32")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def add_f16(x: R.Tensor((100, 77), "float16"), y: R.Tensor((100, 77), "float16")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def add_bf16(x: R.Tensor((100, 77), "bfloat16"), y: R.Tensor((100, 77), "bfloat16")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def add_i8(x: R.Tensor((100, 77), "int8"), y: R.Tensor((100, 77), "int8")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def add_i64(x: R.Tensor((100, 77), "int64"), y: R.Tensor((100, 77), "int64")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def multiply_f32(x: R.Tensor((100, 77), "float32"), y: R.Tensor((100, 77), "float32")):
        v1 = R.multiply(x, y)
        return v1

    @R.function
    def multiply_f16(x: R.Tensor((100, 77), "float16"), y: R.Tensor((100, 77), "float16")):
        v1 = R.multiply(x, y)
        return v1

    @R.function
    def multiply_bf16(x: R.Tensor((100, 77), "bfloat16"), y: R.Tensor((100, 77), "bfloat16")):
        v1 = R.multiply(x, y)
        return v1

    @R.function
    def multiply_i8(x: R.Tensor((100, 77), "int8"), y: R.Tensor((100, 77), "int8")):
        v1 = R.multiply(x, y)
        return v1

    @R.function
    def multiply_i64(x: R.Tensor((100, 77), "int64"), y: R.Tensor((100, 77), "int64")):
        v1 = R.multiply(x, y)
        return v1

    @R.function
    def maximum_f32(x: R.Tensor((100, 77), "float32"), y: R.Tensor((100, 77), "float32")):
        v1 = R.maximum(x, y)
        return v1

    @R.function
    def maximum_f16(x: R.Tensor((100, 77), "float16"), y: R.Tensor((100, 77), "float16")):
        v1 = R.maximum(x, y)
        return v1

    @R.function
    def maximum_bf16(x: R.Tensor((100, 77), "bfloat16"), y: R.Tensor((100, 77), "bfloat16")):
        v1 = R.maximum(x, y)
        return v1

    @R.function
    def maximum_i8(x: R.Tensor((100, 77), "int8"), y: R.Tensor((100, 77), "int8")):
        v1 = R.maximum(x, y)
        return v1

    @R.function
    def maximum_i64(x: R.Tensor((100, 77), "int64"), y: R.Tensor((100, 77), "int64")):
        v1 = R.maximum(x, y)
        return v1

    @R.function
    def divide(x: R.Tensor((3000,), "float32"), y: R.Tensor((3000,), "float32")):
        v1 = R.divide(x, y)
        return v1

    @R.function
    def power(x: R.Tensor((3000,), "float32"), y: R.Tensor((3000,), "float32")):
        v1 = R.power(x, y)
        return v1

    @R.function
    def floor_divide_i32(x: R.Tensor((3000,), "int32"), y: R.Tensor((3000,), "int32")):
        v1 = R.floor_divide(x, y)
        return v1

    @R.function
    def mod_i32(x: R.Tensor((30, 30), "int32"), y: R.Tensor((30, 30), "int32")):
        v1 = R.mod(x, y)
        return v1

    @R.function
    def of_rows(x: R.Tensor((64, 96), "float32"), y: R.Tensor((96,), "float32")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def of_columns(x: R.Tensor((64, 96), "float32"), y: R.Tensor((64, 1), "float32")):
        v1 = R.multiply(x, y)
        return v1

    @R.function
    def of_channels(x: R.Tensor((2, 24, 14, 14), "float32"), y: R.Tensor((24, 1, 1), "float32")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def outer(x: R.Tensor((80, 1), "float32"), y: R.Tensor((1, 90), "float32")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def of_middle(x: R.Tensor((10, 1, 33), "float32"), y: R.Tensor((1, 20, 33), "float32")):
        v1 = R.maximum(x, y)
        return v1

    @R.function
    def large(x: R.Tensor((2048, 2048), "float32"), y: R.Tensor((2048, 2048), "float32")):
        v1 = R.add(x, y)
        return v1

    @R.function
    def n(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        v1 = R.subtract(x, y)
        return v1

    @R.function
    def n_m(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m",), "float32")):
        v1 = R.add(x, y)
        v2 = R.tanh(v1)
        return v2

    @R.function
    def chain(x: R.Tensor((40, 60), "float32"), y: R.Tensor((40, 60), "float32")):
        v1 = R.add(x, y)
        v2 = R.exp(v1)
        v3 = R.multiply(v2, y)
        v4 = R.negative(v3)
        return v4

    @R.function
    def where(c: R.Tensor((50, 60), "bool"), x: R.Tensor((50, 60), "float32"), y: R.Tensor((60,), "float32")):
        v1 = R.where(c, x, y)
        return v1

    @R.function
    def less(x: R.Tensor((50, 61), "float32"), y: R.Tensor((50, 61), "float32")):
        v1 = R.less(x, y)
        return v1

    @R.function
    def clip_i32(x: R.Tensor((900,), "int32")):
        v1 = R.clip(x, -3, 7)
        return v1

    @R.function
    def f32_as_f16(x: R.Tensor((60, 70), "float32")):
        v1 = R.astype(x, "float16")
        return v1

    @R.function
    def f16_as_f32(x: R.Tensor((60, 70), "float16")):
        v1 = R.astype(x, "float32")
        return v1

    @R.function
    def f32_as_bf16(x: R.Tensor((60, 70), "float32")):
        v1 = R.astype(x, "bfloat16")
        return v1

    @R.function
    def bf16_as_f32(x: R.Tensor((60, 70), "bfloat16")):
        v1 = R.astype(x, "float32")
        return v1

    @R.function
    def i8_as_f32(x: R.Tensor((60, 70), "int8")):
        v1 = R.astype(x, "float32")
        return v1

    @R.function
    def f32_as_i32(x: R.Tensor((60, 70), "float32")):
        v1 = R.astype(x, "int32")
        return v1

    @R.function
    def f64_as_f32(x: R.Tensor((60, 70), "float64")):
        v1 = R.astype(x, "float32")
        return v1

    @R.function
    def bits(x: R.Tensor((40, 70), "int32"), y: R.Tensor((40, 70), "int32")):
        v1 = R.bitwise_and(x, y)
        v2 = R.bitwise_xor(v1, y)
        return v2

    @R.function
    def exp_f64(x: R.Tensor((500,), "float64")):
        v1 = R.exp(x)
        return v1

    @R.function
    def swiglu(x: R.Tensor((32, 512), "float32"), y: R.Tensor((32, 512), "float32")):
        v1 = R.nn.silu(x)
        v2 = R.multiply(v1, y)
        return v2
