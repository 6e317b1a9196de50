"""Devices and data types, by the path of 2024."""

from ..runtime.data_type import DataType, DataTypeCode
from ..runtime.device import Device

__all__ = ["DataType", "DataTypeCode", "Device"]
