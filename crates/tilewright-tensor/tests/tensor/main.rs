//! Tensors and DLPack, from outside.

mod device;
mod dlpack;
mod guard;
mod memory;
mod shared;
