//! Programs, their verifier and their file, from outside.

mod format;
mod programs;
mod verifier;
