# The metadata of a tensor.
# test: run
# run: known == same
# run: of_any(i16[4,2]=[1, 2, 3, 4, 5, 6, 7, 8]) == same
# run: symbolic n=5 == same


@I.ir_module
class Module:
    @R.function
    def known(x: R.Tensor((2, 3), "float64")):
        return (
            R.inspect.tensor_byte_offset(x),
            R.inspect.tensor_elem_offset(x),
            R.inspect.tensor_ndim(x),
            R.inspect.tensor_dtype_code(x),
            R.inspect.tensor_dtype_bits(x),
            R.inspect.tensor_dtype_lanes(x),
            R.inspect.tensor_shape_i(x, 0),
            R.inspect.tensor_shape_i(x, 1),
            R.inspect.tensor_stride_i(x, 0),
            R.inspect.tensor_stride_i(x, 1),
        )

    @R.function
    def of_any(x: R.Tensor):
        return (
            R.inspect.tensor_byte_offset(x),
            R.inspect.tensor_elem_offset(x),
            R.inspect.tensor_ndim(x),
            R.inspect.tensor_dtype_code(x),
            R.inspect.tensor_dtype_bits(x),
            R.inspect.tensor_dtype_lanes(x),
            R.inspect.tensor_shape_i(x, 0),
            R.inspect.tensor_shape_i(x, 1),
            R.inspect.tensor_stride_i(x, 0),
            R.inspect.tensor_stride_i(x, 1),
        )

    @R.function
    def symbolic(x: R.Tensor(("n", 3), "int8")):
        return (
            R.inspect.tensor_byte_offset(x),
            R.inspect.tensor_elem_offset(x),
            R.inspect.tensor_ndim(x),
            R.inspect.tensor_dtype_code(x),
            R.inspect.tensor_dtype_bits(x),
            R.inspect.tensor_dtype_lanes(x),
            R.inspect.tensor_shape_i(x, 0),
            R.inspect.tensor_shape_i(x, 1),
            R.inspect.tensor_stride_i(x, 0),
            R.inspect.tensor_stride_i(x, 1),
        )
