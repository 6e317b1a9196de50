//! Programs, their verifier and their file, from outside.

mod corpus;
mod format;
mod launch;
mod programs;
mod verifier;
