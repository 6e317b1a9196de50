//! Texts of any length in which nothing is right.

use crate::Text;

const PRIM: &str = "@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\")):\n";

/// A million levels, or as many as there is room for.
fn deep(size: usize, open: &str, close: &str) -> String {
    let depth = size / (open.len() + close.len());
    format!("{PRIM}    A[0] = {}1.0{}\n", open.repeat(depth), close.repeat(depth))
}

fn lines(size: usize, line: fn(usize) -> String) -> String {
    let mut text = PRIM.to_owned();
    for i in 0.. {
        if text.len() > size {
            break;
        }
        text.push_str(&line(i));
    }
    text
}

pub(crate) const WRONG: [(&str, Text); 13] = [
    ("unknown names", |size| lines(size, |i| format!("    A[{}] = value{i}\n", i % 64))),
    ("near names", |size| lines(size, |i| format!("    x{i} = A[0]\n    A[{}] = y{i}\n", i % 64))),
    ("wrong types", |size| lines(size, |i| format!("    A[{}] = T.int8({})\n", i % 64, i % 100))),
    ("syntax errors", |size| lines(size, |_| "    A[0] = = 1.0\n".to_owned())),
    ("functions with syntax errors", |size| {
        "@T.prim_func\ndef f(A: T.Buffer((4,))):\n    A[0 = 1.0\n\n".repeat(size / 60)
    }),
    ("methods with syntax errors", |size| {
        let method = "    @T.prim_func\n    def f(A: T.Buffer((4,))):\n        A[0 = 1.0\n\n";
        format!("@I.ir_module\nclass Module:\n{}", method.repeat(size / method.len()))
    }),
    ("functions of one name", |size| {
        let method = "    @T.prim_func\n    def f(A: T.Buffer((4,))):\n        A[0] = 1.0\n\n";
        format!("@I.ir_module\nclass Module:\n{}", method.repeat(size / method.len()))
    }),
    ("open brackets", |size| format!("{PRIM}    A[0] = {}", "(".repeat(size))),
    ("open brackets on lines", |size| lines(size, |_| "    A[0] = ((1.0\n".to_owned())),
    ("nested brackets", |size| deep(size, "(", ")")),
    ("nested calls", |size| deep(size, "T.exp(", ")")),
    ("a chain", |size| deep(size, "A[0] + ", "")),
    ("noise", |size| {
        let mut state = 1u64;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b' ' + ((state >> 33) % 95) as u8)
        };
        (0..size).map(|at| if at % 40 == 39 { '\n' } else { byte() }).collect()
    }),
];
