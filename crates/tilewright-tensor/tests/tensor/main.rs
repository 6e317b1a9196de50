//! Host tensors and DLPack, from outside.

mod dlpack;
mod guard;
mod memory;
