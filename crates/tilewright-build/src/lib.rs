//! build: Relax → VM program; linking objects into images; the kernel cache
