//! llvm: the only crate that sees `inkwell`: `LowTir` → object code, PTX
