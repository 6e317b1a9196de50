//! The regions of a block, inferred and written.

use super::{module, prim};
use crate::print::{PrintOptions, print_module};

/// The printed lines of a function that say what blocks read and write.
fn regions(params: &str, body: &str) -> String {
    let mut module = tilewright_ir::IRModule::new();
    module.insert("f", prim(params, body));
    let text = print_module(&module, &PrintOptions::default());
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("T.reads") || line.starts_with("T.writes"));
    lines.collect::<Vec<_>>().join("\n")
}

const MATMUL: &str = r#"
for i, j, k in T.grid(16, 8, 32):
    with T.block("Y"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            Y[vi, vj] = 0.0
        Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]"#;
const PARAMS: &str = "X: T.Buffer((16, 32)), W: T.Buffer((8, 32)), Y: T.Buffer((16, 8))";

#[test]
fn a_reduction_reads_its_operands_and_not_its_result() {
    assert_eq!(regions(PARAMS, MATMUL), "T.reads(X[vi, vk], W[vj, vk])\nT.writes(Y[vi, vj])");
}

#[test]
fn without_an_init_the_result_is_read_too() {
    let body: String =
        MATMUL.lines().filter(|l| !l.contains("T.init") && !l.contains("0.0")).map(|l| format!("{l}\n")).collect();
    assert_eq!(regions(PARAMS, &body), "T.reads(Y[vi, vj], X[vi, vk], W[vj, vk])\nT.writes(Y[vi, vj])");
}

#[test]
fn inferred_regions_equal_written_ones() {
    let class = |lines: &str| {
        module(&format!(
            "@I.ir_module\nclass M:\n    @T.prim_func\n    def f({PARAMS}):{}",
            MATMUL.replace("with T.init", &format!("{lines}with T.init")).replace('\n', "\n        ")
        ))
    };
    let written = class("T.reads(X[vi, vk], W[vj, vk])\n        T.writes(Y[vi, vj])\n        ");
    assert_eq!(class("").compare(&written), Ok(()));
    let other = class("T.reads(X[vi, vk])\n        T.writes(Y[vi, vj])\n        ");
    assert!(class("").compare(&other).is_err());
}

#[test]
fn neighbours_are_one_box() {
    let body = r#"
for i in range(1, 15):
    with T.block("b"):
        vi = T.axis.spatial(16, i)
        Y[vi, 0] = X[vi - 1, 3] + X[vi + 1, 2]"#;
    assert_eq!(regions(PARAMS, body), "T.reads(X[vi - 1:vi - 1 + 3, 2:4])\nT.writes(Y[vi, 0])");
}

#[test]
fn loops_inside_of_a_block_are_relaxed() {
    let body = r#"
for i in range(4):
    with T.block("b"):
        vi = T.axis.spatial(4, i)
        for j, k in T.grid(4, 32):
            Y[vi * 4 + j, k // 4] = X[vi * 4 + j, k] * W[k % 8, 31 - k]"#;
    let expected = "T.reads(X[vi * 4:vi * 4 + 4, 0:32], W[0:8, 0:32])\nT.writes(Y[vi * 4:vi * 4 + 4, 0:8])";
    assert_eq!(regions(PARAMS, body), expected);
}

#[test]
fn vectors_lets_and_inner_blocks_count() {
    let body = r#"
for i in range(16):
    with T.block("outer"):
        vi = T.axis.spatial(16, i)
        for jo in range(2):
            with T.block("inner"):
                vj = T.axis.spatial(2, jo)
                row = vi
                Y[row, vj * 4:vj * 4 + 4] = X[row, 0:4]"#;
    let expected = "T.reads(X[vi, 0:4])\nT.writes(Y[vi, 0:8])\nT.reads(X[vi, 0:4])\nT.writes(Y[vi, vj * 4:vj * 4 + 4])";
    assert_eq!(regions(PARAMS, body), expected);
}

#[test]
fn loaded_indices_read_the_whole_dimension() {
    let body = r#"
for i in range(16):
    with T.block("gather"):
        vi = T.axis.spatial(16, i)
        Y[vi, 0] = X[Index[vi], 3]"#;
    let params = format!("{PARAMS}, Index: T.Buffer((16,), \"int32\")");
    assert_eq!(regions(&params, body), "T.reads(X[0:16, 3], Index[vi])\nT.writes(Y[vi, 0])");
}

#[test]
fn memory_of_the_block_itself_does_not_count() {
    let body = r#"
for i in range(16):
    with T.block("b"):
        vi = T.axis.spatial(16, i)
        t = T.alloc_buffer((1,), scope="local")
        part = T.match_buffer(X[vi, 8:16], (8,))
        t[0] = part[3]
        Y[vi, 0] = t[0]"#;
    assert_eq!(regions(PARAMS, body), "T.reads(X[vi, 8:16])\nT.writes(Y[vi, 0])");
}
