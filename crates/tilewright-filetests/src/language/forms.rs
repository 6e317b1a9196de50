//! Forms of Python that programs are written in, besides the names of the script's namespaces.
//!
//! The parser has no table of them, they are its matches over syntax; here each is a pattern of lines. In a pattern `…`
//! matches any text with closed brackets and no comma outside of them, `^` and `$` the ends of the line.

/// A form.
#[derive(Debug)]
pub(super) struct Form {
    /// As the page shows it.
    pub(super) title: &'static str,
    patterns: &'static [&'static str],
    /// The printed form, if it is another one.
    pub(super) printed: Option<&'static str>,
}

const fn form(title: &'static str, patterns: &'static [&'static str]) -> Form {
    Form { title, patterns, printed: None }
}

/// A form that is read, and printed in another form.
const fn read(title: &'static str, patterns: &'static [&'static str], printed: &'static str) -> Form {
    Form { title, patterns, printed: Some(printed) }
}

const LOOP: &str = "printed as a loop from 0 by 1";
const CONDITION: &str = "printed as a condition in the other branch";
const VALUE: &str = "printed as its value";
const TODAY: &str = "printed in the spelling of 2024";
const GONE: &str = "printed as nothing, or as the module that it is part of: it is no node";

/// Every form.
pub(super) const ALL: &[Form] = &[
    // Modules, functions, files.
    form("`@T.prim_func(private=True)`", &["^@T.prim_func(private=True)"]),
    form("`@R.function(private=True)`", &["^@R.function(private=True…)", "^@R.function(private=True, …)"]),
    form("`@R.function(pure=False)`", &["^@R.function(pure=False)", "^@R.function(…, pure=False)"]),
    form("`@R.function(force_pure=True)`", &["^@R.function(force_pure=True)"]),
    read("`@tvm.script.ir_module`", &["^@tvm.script.ir_module"], TODAY),
    read(
        "imports: `from tvm.script import tir as X`, `import tvm`",
        &["^from tvm.script import …", "^import tvm"],
        GONE,
    ),
    read("a function outside of modules", &["^@X.prim_func"], GONE),
    read("`N = 4` before the module: a literal that the text uses", &["^N = …"], GONE),
    read("`\"\"\"documentation\"\"\"`, `...`", &["^\"\"\"…\"\"\"$"], GONE),
    read("`return`, `return None` of a PrimFunc", &["^return$", "^return None$"], GONE),
    form("`Module.f`", &["Module.…("]),
    read("`@T.macro(hygienic=False)`", &["^@T.macro(hygienic=False)"], "printed as its statements"),
    form("`cls = Module`, `cls.f`", &["cls.…"]),
    form("`metadata[\"relax.expr.Constant\"][0]`", &["metadata[\"relax.expr.Constant\"][…]"]),
    // Statements of PrimFuncs.
    form("`for i in range(n):`", &["in range(…):"]),
    form("`for i in range(start, stop):`", &["in range(…, …):"]),
    read("`for i in range(start, stop, step):`", &["in range(…, …, …):"], LOOP),
    form("`annotations={…}` of a loop", &["annotations={"]),
    form("`while condition:`", &["^while …:"]),
    form("`if …:` `else:`", &["^if …:", "^else:"]),
    read("`elif …:`", &["^elif …:"], CONDITION),
    read("`if True:`, decided by the reader", &["^if True:", "^if N …:"], "printed as the branch that is taken"),
    form("`assert condition, \"message\"`", &["^assert …, \"…\""]),
    form("`pass`", &["^pass$"]),
    form("`A[i] = value`", &["^…[…] = …"]),
    read("`A[i] += value`", &["^…[…] += …", "^…[…] *= …"], "printed as a store of the sum"),
    form("`x: T.int32 = value`", &["^…: T.int32 = …", "^…: T.float32 = …"]),
    read("`x = value`, `x, y = a, b` of scalars", &["^…, … = …, …$"], "printed with the type of the variable"),
    form("`p: T.handle = T.address_of(A[i])`", &["^…: T.handle = …"]),
    form("`vi, vj = T.axis.remap(\"SR\", [i, j])`", &["^…, … = T.axis.remap("]),
    form("an axis from `start` to `stop`", &["T.axis.spatial((…, …), …)"]),
    form("regions `A[i, 0:4]`", &["T.reads(…[…])"]),
    read(
        "regions `A[:, 2:]`, lists of them, whole buffers",
        &["T.reads([A["],
        "printed as a region from start to stop",
    ),
    form("`with …:` around statements", &["^with T.…:"]),
    form("`with … as x:`", &["^with T.… as …:"]),
    read(
        "`T.attr(…)`, `T.launch_thread(…)` for the rest of a suite",
        &["^T.attr(", "^T.launch_thread("],
        "printed as a `with`, or as a loop",
    ),
    // Buffers.
    form("`a: T.handle` with `T.match_buffer(a, …)`", &["= T.match_buffer("]),
    read("`T.Buffer[(4,), \"float32\"]`", &["T.Buffer["], TODAY),
    form("`data=`", &["data="]),
    form("`strides=`", &["strides="]),
    form("`elem_offset=`", &["elem_offset="]),
    form("`scope=`", &["scope="]),
    form("`align=`", &["align="]),
    form("`offset_factor=`", &["offset_factor="]),
    form("`buffer_type=\"auto\"`", &["buffer_type=\"auto\""]),
    form("`axis_separators=`", &["axis_separators="]),
    form("`n = T.int64()`, a variable that a shape defines", &["^… = T.int64()"]),
    form("`n: T.int32(is_size_var=True)`", &["(is_size_var=True)"]),
    read("`A.data` as a value", &[", A.data", "isnullptr(A.data"], "printed as `T.address_of(A[0])`"),
    read("`A.shape[0]`", &[".shape[…]"], VALUE),
    read("`A.strides[0]`, `A.elem_offset`", &[".strides[…]", ".elem_offset"], VALUE),
    read("`A.dtype`, `x.dtype`", &["A.dtype", "x.dtype"], VALUE),
    read("`A.scope()`", &[".scope()"], VALUE),
    form("`A.vload(…, predicate=…)`", &[".vload(…, predicate="]),
    form("`A.vstore(…, predicate=…)`", &[".vstore(…, predicate=", ".vstore(…, …, predicate="]),
    read("`A.access_ptr(\"r\")`", &[".access_ptr("], "printed as `T.tvm_access_ptr(…)`"),
    form("`A[()]`, an element without dimensions", &["[()]"]),
    read(
        "`A[0:4]`, `A[0:8:2]`: a vector",
        &["^A[…:…] =", "= A[…:…]", "= A[…:…:…]"],
        "printed as an index that is a `T.Ramp`",
    ),
    // Scalars.
    form("`a + b`", &["… + …"]),
    form("`a - b`", &["… - …"]),
    form("`a * b`", &["… * …"]),
    form("`a / b` of floats", &["… / …"]),
    form("`a // b`", &["… // …"]),
    form("`a % b`", &["… % …"]),
    form("`a & b`", &["… & …"]),
    form("`a | b`", &["… | …"]),
    form("`a ^ b`", &["… ^ …"]),
    form("`a << b`", &["… << …"]),
    form("`a >> b`", &["… >> …"]),
    form("`a == b`", &["… == …"]),
    form("`a != b`", &["… != …"]),
    form("`a < b`", &["… < …"]),
    form("`a <= b`", &["… <= …"]),
    form("`a > b`", &["… > …"]),
    form("`a >= b`", &["… >= …"]),
    form("`a and b`", &["… and …"]),
    form("`a or b`", &["… or …"]),
    form("`not a`", &["not …"]),
    read(
        "`a < b < c`",
        &["0 < a <= 7", "0 < n <= 5", "0 <= n < 100"],
        "printed as comparisons that are combined by `and`",
    ),
    read("`-a`, `+a`, `~a`", &["= -a", "+ +b", "~n", "~b"], "printed as a product, difference or `^`"),
    read("`a if condition else b`", &["… if … else …"], "printed as `T.if_then_else(…)`"),
    form("`(s := value)`, a name for what is shared", &["(… := …)"]),
    read("`x.astype(\"float32\")`", &[".astype(\""], "printed as `T.Cast(…)`"),
    read("`1_000`, `0xFF`, `0b1`, `0o7`", &["0x", "0b"], "printed in decimal digits"),
    form("`T.float32(\"inf\")`, `\"-inf\"`, `\"nan\"`", &["(\"inf\")", "(\"nan\")", "(\"-inf\")"]),
    form("`float(\"inf\")` in attributes and constants", &["float(\"inf\")"]),
    read("arithmetic of literals, `2 * N + 1`", &["2 * N + 1"], VALUE),
    // Graphs.
    form("`R.Tensor((\"n\", 4), dtype=\"float32\")`", &["R.Tensor((\"n\", …), dtype=\"…\")"]),
    form("`R.Tensor((\"n * 2\",), …)`, an expression", &["R.Tensor((\"n * 2\",)"]),
    form("`R.Tensor((n, 4), …)` in a body", &["R.Tensor((n,", "R.Tensor((n *"]),
    read("`R.Tensor(\"float32\")`", &["R.Tensor(\"float32\""], "printed as `R.Tensor(dtype=\"float32\")`"),
    form("`R.Tensor(dtype=…, ndim=…)`", &["R.Tensor(dtype=…, ndim=…)"]),
    form("`vdevice=\"llvm:0\"`", &["vdevice=\"llvm\"", "vdevice=\"llvm:1\""]),
    form("`vdevice=I.vdevice(…)`", &["vdevice=I.vdevice("]),
    form("`R.Prim(value=n)`", &["R.Prim(value="]),
    form("`R.Shape([1, n])`, `R.Shape(ndim=2)`", &["R.Shape(ndim="]),
    form(
        "`R.Callable((a, b), ret, True)`",
        &["R.Callable((…), …, …)", "R.Callable((…,), …, …)", "R.Callable((…, …), …, …)"],
    ),
    form("`R.Callable(ret=r, purity=False)`", &["R.Callable(ret=…, purity=…)"]),
    form("`y: S = value`", &["^…: R.… = R.…"]),
    form("`if condition:` with a value", &["^if …:"]),
    form("a nested `@R.function`", &["^return inner$", "= inner("]),
    form("`with R.dataflow():` with `R.output(…)`", &["^with R.dataflow():"]),
    form("`(a, b)`, `(a,)`", &["= (…, …)"]),
    form("`t[0]`", &["= …[0]"]),
    read("`a, b = t`", &["^a, b = t$"], "printed as a binding for each field"),
    form("`f(a)` of a variable, `cls.f(a)`", &["= f(", "= cls.…("]),
    form("`None` for an absent tensor", &["(…, None"]),
    form("`out_sinfo=[…]`, several results", &["out_sinfo=[…, …]"]),
    form("`tir_vars=`", &["tir_vars="]),
    form("`inplace_indices=`", &["inplace_indices="]),
    form("`sinfo_args=`", &["sinfo_args="]),
    read("`R.call_tir(f, (a,), (2, 3), dtype=\"float32\")`", &["R.call_tir(…, …, …, dtype="], TODAY),
    read("`R.call_tir(\"name\", …)`", &["R.call_tir(\"…\""], "printed as `R.call_dps_packed(…)`"),
    read("`R.call_tir(cls.f, t, …)` of a tuple", &["R.call_tir(cls.add, t,"], "printed with its fields"),
    read("nested calls", &["R.add(x, R.nn.relu("], "printed as bindings in the order of evaluation"),
    // Attributes.
    form("`{\"key\": None}`", &["\": None"]),
    form("`{\"key\": True}`", &["\": True", "\": T.bool(True)"]),
    form("`{\"key\": 1}`", &["\": 1"]),
    form("`{\"key\": 0.5}`", &["\": 0.5"]),
    form("`{\"key\": \"text\"}`", &["\": \""]),
    form("`{\"key\": T.dtype(\"int8\")}`", &["\": T.dtype("]),
    form("`{\"key\": [1, 2]}`", &["\": ["]),
    form("`{\"key\": {…}}`", &["\": {"]),
    form("`{\"key\": T.int64(1)}`, a scalar", &["\": T.int64("]),
    read("`T.target({…})`", &["T.target({"], "printed as its dict"),
];

impl Form {
    pub(super) fn is_in(&self, line: &str) -> bool {
        self.patterns.iter().any(|pattern| occurs(pattern, line))
    }
}

fn occurs(pattern: &str, text: &str) -> bool {
    match pattern.strip_prefix('^') {
        Some(pattern) => begins(pattern, text),
        None => {
            // Any text at an end that may be anywhere says nothing.
            let pattern = pattern.trim_matches('…');
            text.char_indices().any(|(at, _)| begins(pattern, &text[at..]))
        }
    }
}

/// Whether the text begins with what the pattern describes.
fn begins(pattern: &str, text: &str) -> bool {
    if pattern.is_empty() || (pattern == "$" && text.is_empty()) {
        return true;
    }
    match pattern.strip_prefix('…') {
        Some(rest) => gaps(text).any(|end| begins(rest, &text[end..])),
        None => match (pattern.chars().next(), text.chars().next()) {
            (Some(a), Some(b)) if a == b => begins(&pattern[a.len_utf8()..], &text[b.len_utf8()..]),
            _ => false,
        },
    }
}

/// Where text with closed brackets and no comma outside of them may end.
fn gaps(text: &str) -> impl Iterator<Item = usize> {
    let (mut depth, mut quoted, mut over) = (0_usize, false, false);
    text.char_indices().filter_map(move |(at, c)| {
        if over {
            return None;
        }
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => over = true,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => over = true,
            _ => {}
        }
        (!over && depth == 0).then_some(at + c.len_utf8())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_keep_brackets_and_commas_apart() {
        for (pattern, text, found) in [
            ("in range(…):", "for i in range(f(a, b)):", true),
            ("in range(…):", "for i in range(a, b):", false),
            ("in range(…, …):", "for i in range(a, b):", true),
            ("^…[…] += …", "A[i, 0] += 1", false),
            ("^…[…] += …", "A[i] += 1", true),
            ("^return$", "return x", false),
            ("^assert …, \"…\"", "assert f(a, b) < 3, \"less\"", true),
        ] {
            assert_eq!(occurs(pattern, text), found, "{pattern} {text}");
        }
    }

    #[test]
    fn titles_stand_once() {
        let mut titles: Vec<&str> = ALL.iter().map(|form| form.title).collect();
        titles.sort_unstable();
        titles.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    }
}
