//! macros: `derive(IrNode)`, the op declaration, rewrite-rule tables
