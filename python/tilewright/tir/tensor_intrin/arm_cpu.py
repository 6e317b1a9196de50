"""Dot products of AArch64: of NEON, and of its extensions `SDOT`, `UDOT`."""

from .dot_products import dot_product, register_dot_product

__all__ = [
    "ARM_DOT_4x4_i8_NEON_INTRIN", "ARM_DOT_4x4_i8_SDOT_INTRIN", "ARM_DOT_4x4_u8_HDOT_INTRIN",
    "ARM_DOT_4x4_u8_UDOT_INTRIN",
]  # fmt: skip

_SIGNED = ("int8", "int8", "int32")
ARM_DOT_4x4_i8_NEON_INTRIN = register_dot_product("dot_4x4_i8i8s32_neon", 4, 4, _SIGNED)
ARM_DOT_4x4_i8_SDOT_INTRIN = register_dot_product("dot_4x4_i8i8s32_sdot", 4, 4, _SIGNED)
ARM_DOT_4x4_u8_UDOT_INTRIN = register_dot_product("dot_4x4_u8u8u32_udot", 4, 4, ("uint8", "uint8", "uint32"))
ARM_DOT_4x4_u8_HDOT_INTRIN = register_dot_product("dot_4x4_u8u8i32_hdot", 4, 4, ("uint8", "uint8", "int32"))
neon_4x4_i8i8i32_desc, neon_4x4_i8i8i32_impl = dot_product(4, 4, _SIGNED)
