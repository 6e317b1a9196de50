//! Arguments of functions that take names, paths, numbers and lists: a value of another kind is an error of ours that
//! names the argument. Each function here is for a `from_py_with`.

use std::path::PathBuf;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;

use crate::device::Device;
use crate::error;

/// The value of an object; what cannot be read so is named by its class.
fn read<'py, T: FromPyObjectOwned<'py>>(expected: &str, object: &Bound<'py, PyAny>) -> PyResult<T> {
    object.extract().map_err(|_| error::wrong_type(format_args!("expected {expected}"), object))
}

macro_rules! arguments {
    ($($name:ident: $type:ty = $expected:literal,)*) => {
        $(pub(crate) fn $name(object: &Bound<'_, PyAny>) -> PyResult<$type> {
            read($expected, object)
        })*
    };
}

arguments! {
    function_name: String = "the name of a function",
    path: PathBuf = "`path` as the path of a file",
    processors: Vec<usize> = "`processors` as a list of the numbers of processors",
    threads: i64 = "`threads` as an integer",
    kind: String = "`kind` as the name of a kind of device",
    index: i64 = "`index` as an integer",
    number: i64 = "`number` as an integer of 64 bits",
    repeat: i64 = "`repeat` as an integer of 64 bits",
    min_repeat_ms: f64 = "`min_repeat_ms` as a number",
    cooldown_interval_ms: f64 = "`cooldown_interval_ms` as a number",
    repeats_to_cooldown: i64 = "`repeats_to_cooldown` as an integer of 64 bits",
    shape: Vec<i64> = "`shape` as a list of integers of 64 bits",
    device: Device = "`device` as a device such as cpu()",
    optional_device: Option<Device> = "`dev` as a device such as cpu(), or None",
}
