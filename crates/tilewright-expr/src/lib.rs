//! expr: scalar expressions, variables, ranges, buffers, the table of scalar semantics
