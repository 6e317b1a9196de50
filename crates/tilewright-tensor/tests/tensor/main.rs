//! Host tensors and DLPack, from outside.

mod dlpack;
mod memory;
