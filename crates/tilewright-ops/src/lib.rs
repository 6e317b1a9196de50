//! ops: the op table: one folder per family, one file per op
