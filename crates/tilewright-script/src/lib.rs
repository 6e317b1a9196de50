//! script: TVMScript: parse (the only crate that sees `ruff_*`) and print (through a document tree)
