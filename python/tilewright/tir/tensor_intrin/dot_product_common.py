"""Dot products of four bytes, as several GPUs have them."""

from .dot_products import register_one_dot_product

__all__ = ["DP4A_S8S8S32_INTRIN", "DP4A_S8U8S32_INTRIN", "DP4A_U8S8S32_INTRIN", "DP4A_U8U8U32_INTRIN"]

DP4A_S8S8S32_INTRIN = register_one_dot_product("dp4a_s8s8s32", ("int8", "int8", "int32"))
DP4A_U8S8S32_INTRIN = register_one_dot_product("dp4a_u8s8s32", ("uint8", "int8", "int32"))
DP4A_S8U8S32_INTRIN = register_one_dot_product("dp4a_s8u8s32", ("int8", "uint8", "int32"))
DP4A_U8U8U32_INTRIN = register_one_dot_product("dp4a_u8u8u32", ("uint8", "uint8", "uint32"))
