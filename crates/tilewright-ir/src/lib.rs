//! ir: TensorIR, Relax, IRModule, `LowTir`, `OpDef`, block builder, structural equality and hash, TIR analyses (regions, dependence), verifier
