"""Dot products of Hexagon's vector extensions."""

from .dot_products import register_dot_product

__all__ = ["VDMPY_i16i16i32_INTRIN", "VRMPY_u8i8i32_INTRIN", "VRMPY_u8u8i32_INTRIN"]

VRMPY_u8u8i32_INTRIN = register_dot_product("dot_32x4_u8u8i32_vrmpy", 32, 4, ("uint8", "uint8", "int32"))
VRMPY_u8i8i32_INTRIN = register_dot_product("dot_32x4_u8i8i32_vrmpy", 32, 4, ("uint8", "int8", "int32"))
VDMPY_i16i16i32_INTRIN = register_dot_product("dot_product_32x2_i16i16i32_vdmpy", 32, 2, ("int16", "int16", "int32"))
