"""Dot products of AMD's GPUs."""

from .dot_products import register_one_dot_product

__all__ = ["AMDGPU_SDOT4_INTRIN"]

AMDGPU_SDOT4_INTRIN = register_one_dot_product("sdot4", ("int8", "int8", "int32"))
