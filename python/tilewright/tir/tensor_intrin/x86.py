"""Dot products of x86-64: those of VNNI, and of AVX-512 without it."""

from .dot_products import dot_product, register_dot_product

__all__ = ["AVX512_DOT_16x4_INTRIN", "VNNI_DOT_16x4_INTRIN"]

_TYPES = ("uint8", "int8", "int32")
VNNI_DOT_16x4_INTRIN = register_dot_product("dot_16x4_vnni", 16, 4, _TYPES)
AVX512_DOT_16x4_INTRIN = register_dot_product("dot_16x4_avx512", 16, 4, _TYPES)
dot_product_16x4_u8i8i32_desc, dot_product_16x4_u8i8i32_vnni = dot_product(16, 4, _TYPES)
dot_product_16x4_u8i8i32_avx512 = dot_product_16x4_u8i8i32_vnni
