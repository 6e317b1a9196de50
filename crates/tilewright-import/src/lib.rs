//! Importers: files of tensors (NPY, NPZ, IDX, pickles) and recorded graphs of other frameworks.
//!
//! [`torch`] makes modules of recorded PyTorch graphs and [`onnx`] of ONNX files, on top of [`common`], which importers
//! of graphs share.
//!
//! [`checkpoint`] opens the files that weights come in: safetensors, GGUF, PyTorch's, archives, folders of shards.
//!
//! Reading order of the rest: [`Format`] and [`read_tensors`] (named tensors from bytes of any known format), then the
//! formats: [`read_npy`], [`read_npz`], [`read_idx`], [`read_pickle`].
//!
//! ```
//! let idx = [0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9];
//! let image = tilewright_import::read_idx(&idx)?;
//! assert_eq!((image.shape(), image.as_slice::<u8>()?), ([1, 3].as_slice(), [7, 8, 9].as_slice()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants: bytes are not trusted. No input makes this crate panic, run code, or take memory out of proportion
//! to the input: sizes that a file claims are compared with the bytes that are there before anything is allocated.
//! Only [`checkpoint`] opens files, and those only inside of the folder that it is given.

mod array;
pub mod checkpoint;
pub mod common;
mod error;
mod file_format;
mod folder;
mod gzip;
mod idx;
mod npy;
mod npz;
pub mod onnx;
mod pickle;
pub mod torch;
mod zip;

pub use error::ImportError;
pub use file_format::{Format, read_tensors};
pub use idx::read_idx;
pub use npy::read_npy;
pub use npz::read_npz;
pub use pickle::{Value, read_pickle};
