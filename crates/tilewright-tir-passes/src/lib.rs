//! tir-passes: loop passes and the shared lowering to `LowTir`
