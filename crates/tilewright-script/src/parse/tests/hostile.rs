//! Text that is out to break the parser: it never panics and never takes long.

use tilewright_support::SourceFile;

use crate::parse::{Definition, NoHost, parse_file, parse_function};

const SAMPLE: &str = r#"
from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, B: T.Buffer((4, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(a, (n, 8), "float32")
        t = T.alloc_buffer((4,), scope="local")
        for i, j in T.grid(4, 8):
            with T.block("b"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.where(i + j < 10)
                with T.init():
                    B[vi, 0] = T.float32(0)
                B[vi, 0] += T.max(A[vi, vj], T.Cast("float32", vi)) if vi > 2 else 1.0
        A[0, 0:4] = T.Broadcast(T.Let(x * 2.0, where={x: 1.5}), 4)

    @R.function
    def main(x: R.Tensor(("n", 8), "float32")) -> R.Tensor(("n", 8), "float32"):
        cls = Module
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 8), "float32") = R.nn.relu(R.add(x, x))
            R.output(lv)
        y = R.call_packed("g", lv, R.shape([n, n + 1]), sinfo_args=R.Tensor((n, 8), "float32"))
        return y
"#;

fn read(text: String) -> bool {
    parse_file(&SourceFile::new("hostile.py", text), &NoHost).is_ok()
}

#[test]
fn the_sample_is_good() {
    assert_eq!(super::module(SAMPLE).len(), 2);
}

#[test]
fn cut_anywhere() {
    for end in (0..SAMPLE.len()).step_by(3) {
        read(SAMPLE[..end].to_owned());
        read(SAMPLE[end..].to_owned());
    }
}

#[test]
fn with_any_line_or_word_left_out_or_twice() {
    let lines: Vec<&str> = SAMPLE.lines().collect();
    for at in 0..lines.len() {
        for change in [&[][..], &[lines[at], lines[at]]] {
            let changed = [&lines[..at], change, &lines[at + 1..]].concat();
            read(changed.join("\n"));
        }
    }
    let words: Vec<&str> = SAMPLE.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    for at in 0..words.len() {
        for change in ["", "0", "T.", "(", "\"n\""] {
            let changed = [&words[..at], &[change], &words[at + 1..]].concat();
            read(changed.concat());
        }
    }
}

fn prim_of_depth(expression: String) -> Result<Definition, String> {
    let text = format!("@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\"), x: T.float32):\n    A[0] = {expression}\n");
    parse_function(&SourceFile::new("deep.py", text), &NoHost).map_err(|diagnostics| diagnostics.to_string())
}

#[test]
fn a_depth_of_ten_thousand_works() {
    let depth = 10_000;
    for expression in [
        format!("{}x{}", "(".repeat(depth), ")".repeat(depth)),
        format!("x{}", " + x".repeat(depth)),
        format!("{}x", "-".repeat(depth)),
        format!("{}x{}", "T.sqrt(".repeat(depth), ")".repeat(depth)),
    ] {
        if let Err(text) = prim_of_depth(expression) {
            panic!("{}", text.lines().next().unwrap_or_default());
        }
    }
}

#[test]
fn a_depth_beyond_the_limit_is_refused() {
    for expression in ["(", "[", "-", "x+", "T.sqrt("].map(|text| text.repeat(200_000)) {
        let text = prim_of_depth(expression).unwrap_err();
        assert!(text.contains("TW0102"));
    }
}

#[test]
fn a_long_chain_is_split_by_its_writer() {
    for terms in [30_000, 1_000_000] {
        let text = prim_of_depth(format!("x{}", " + x".repeat(terms))).unwrap_err();
        let line = "TW0102]: this chain of operators is longer than 20000\n --> deep.py:3:8000";
        assert!(text.contains(line), "{}", text.lines().take(2).collect::<Vec<_>>().join("\n"));
        assert!(text.contains("split it over several statements"));
    }
}

#[test]
fn long_text_is_not_deep_text() {
    let body = "    A[0] = A[1] + 1.0\n".repeat(20_000);
    let text = format!("@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n{body}");
    assert!(read(text));
    let lets: String = (0..10_000).map(|i| format!("    x{i} = A[0] + {i}.0\n")).collect();
    assert!(read(format!("@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n{lets}    A[0] = x7\n")));
}

#[test]
fn sharing_by_name_stays_small() {
    let squares: String = (0..60).map(|i| format!("    x{} = x{i} * x{i}\n", i + 1)).collect();
    let text = format!("@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), x0: T.int32):\n{squares}    A[x60] = 1\n");
    assert!(read(text));
    let inside: String = (0..60).map(|i| format!("(y{} := y{i} * y{i}) + ", i + 1)).collect();
    let text = format!(
        "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), y0: T.int32):\n    with T.block(\"b\"):\n        A[{inside}y60] = 1\n"
    );
    assert!(read(text));
}

#[test]
fn values_that_grow_with_every_line_are_bounded() {
    let doubled = |start: &str, line: &str| {
        let lines = format!("    {line}\n").repeat(70);
        read(format!("@R.function\ndef f(x: R.Object):\n    t = {start}\n{lines}    return t\n"))
    };
    assert!(!doubled("(x, x)", "t = (t, t)"));
    assert!(!doubled("(x,)", "t = (t,)"));
    assert!(!doubled("(x,)", "t = R.tuple(t)"));
    let nested = format!("{}R.Object{}", "R.Tuple(".repeat(5000), ")".repeat(5000));
    assert!(!read(format!("@R.function\ndef f(x: {nested}):\n    return x\n")));
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    assert!(!read(format!("@T.prim_func\ndef f(A: T.Buffer((4,))):\n    T.func_attr({{\"a\": {deep}}})\n")));
    assert!(!read(format!(
        "@T.prim_func\ndef f(A: T.Buffer((4,))):\n    s = (1, 2)\n{}",
        "    s = s + s\n".repeat(60)
    )));
}

#[test]
fn long_chains_inside_of_deep_brackets() {
    for link in [".b", "()", "[0]", ".b(0)[0]"] {
        let chain = link.repeat(3000);
        let text = prim_of_depth(format!("{}a{chain}", "-".repeat(9000))).unwrap_err();
        assert!(text.contains("TW0201"), "{link}");
    }
}

#[test]
fn odd_bytes() {
    for text in
        ["", "\n", "\0", "\\", "\"", "\"\"\"", "\t@T.prim_func", "@", "@I.ir_module\nclass", "def", "é = ü", "f\"{("]
    {
        read(text.to_owned());
    }
    assert!(read(SAMPLE.replace('\n', "\r\n")));
    assert!(read(format!("\u{feff}{SAMPLE}")));
    assert!(read(SAMPLE.replace("lv", "größe").replace("cls", "変数")));
}

#[test]
fn the_bindings_of_one_block_are_read_one_by_one() {
    let text = |count: usize| {
        let bindings: String = (0..count).map(|i| format!("        y{} = R.nn.relu(y{i})\n", i + 1)).collect();
        let head = "@R.function\ndef main(y0: R.Tensor((2,), \"float32\")):\n    with R.dataflow():\n";
        format!("{head}{bindings}        R.output(y{count})\n    return y{count}\n")
    };
    // Work is counted in bytes that are asked for, whether they are kept or not.
    let work = |count: usize| {
        let text = text(count);
        allocation_counter::measure(|| assert!(read(text))).bytes_total
    };
    let (small, large) = (work(1_000), work(10_000));
    assert!(large < small * 15, "{small} bytes for 1000 bindings, {large} for 10000");
}

#[test]
fn dimensions_that_share_their_parts_are_short_in_messages() {
    let shared = (0..60).fold("n // 3".to_owned(), |inside, at| format!("(a{at} := {inside}) * a{at} // 7"));
    let told = super::errors(&format!(
        "@R.function\ndef main(x: R.Tensor((\"n\",), \"float32\")):\n    n = T.int64()\n    \
         y = R.zeros(({shared}, 5), \"float32\")\n    return R.add(y, R.zeros((3, 4), \"float32\"))\n"
    ));
    assert!(told.contains("TW0305"), "{told}");
}
