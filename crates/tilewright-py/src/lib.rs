//! The Python extension `tilewright._core`: conversions between Python objects and the crates' own types.
//!
//! Reading order: [`error`] (the one mapping of errors), [`dlpack`] and [`tensor`] (values without copies).
//!
//! Invariants: nothing is decided here: one method, one call into the crates below. Classes are frozen. No Python
//! object is touched without the GIL, which is released while kernels run and code is compiled, and callbacks run on
//! the calling thread.

mod dlpack;
mod error;
mod tensor;

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<tensor::Device>()?;
    module.add_class::<tensor::NdArray>()?;
    Ok(())
}
