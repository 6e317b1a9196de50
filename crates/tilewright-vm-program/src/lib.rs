//! vm-program: VM instructions, their builder and verifier, the executable file format
