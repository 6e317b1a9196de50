//! Runs every textual test of the workspace, and every planted fault against them.

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    tilewright_filetests::main(&root);
}
