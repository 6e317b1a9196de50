"""The cases of the corpus: each family is a function, and a file of the corpus by its name."""

from . import elements, images, products, rows

FAMILIES = (
    products.gemm,
    products.gemv,
    products.batched,
    products.narrow,
    products.integers,
    products.epilogue,
    products.symbolic,
    images.conv2d,
    images.conv_large,
    images.conv_direct,
    images.conv_constant,
    images.conv_1d_3d,
    images.conv_grouped,
    images.conv_transpose,
    images.pool,
    images.resize,
    rows.attention,
    rows.attention_written,
    rows.softmax,
    rows.norm,
    rows.norm_channels,
    rows.argreduce,
    rows.reduce,
    elements.elementwise,
    elements.moves,
    elements.gather,
    elements.order,
    elements.loops,
)
