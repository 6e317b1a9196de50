//! filetests: runs the textual tests that lie beside the sources
