//! py: the command line (a library with a small `main`); the PyO3 extension, which only converts
