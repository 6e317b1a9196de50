//! How each node is written: the one table that the parser and the printer share.
//!
//! Printed text parses back to a structurally equal module. The spellings of the frequent nodes are those of
//! the field's documents; those of the rarer ones are these (`…` as usual, `n`, `m`: integer expressions):
//!
//! | node | text |
//! |---|---|
//! | integer constant | `int32`: `1` · other types: `T.int64(1)`, `T.uint8(255)`; bool: `T.bool(True)` |
//! | float constant | `T.float32(0.5)`, `T.float32("inf")`, `T.float32("-inf")`, `T.float32("nan")`; shortest digits that round back |
//! | constant with constant | by function, because `1 + 2` is Python's own: `T.Add(1, 2)`, `T.LT(1, 2)`, … ([`BINARY`], [`COMPARE`]) |
//! | `Div`, `Mod` of integers | `T.Div(a, b)`, `T.truncmod(a, b)`; `/` is for floats, `//` and `%` are `FloorDiv` and `FloorMod` |
//! | `Not`, `And`, `Or` | `not a`, `a and b`, `a or b` (the operators of Python, evaluated on both sides) |
//! | `Select` | `T.Select(condition, a, b)` · intrinsics: [`Intrinsic::name`](tilewright_expr::Intrinsic::name) after `T.` |
//! | `Reinterpret` | `T.reinterpret("int32", x)` · `AddressOf`: `T.address_of(A[i])`, or `A.data` as an argument for the first element |
//! | `Foreign` | `T.call_extern("float32", "name", …)`, `T.call_packed("name", …)` (`int32`, else `dtype=` after them), `T.call_llvm_intrin("float32x8", "llvm.name", T.uint32(1), …)` with the number of operands · without effects: `T.call_pure_extern(…)` |
//! | operation of a target (`Builtin`) | `T.tvm_storage_sync("shared")`, `T.isnullptr(A.data)`; with the type in front where the call names it: `T.ptx_mma("float32", …)`, `T.undef("int32")`; the table is [`Builtin::ALL`](tilewright_expr::Builtin::ALL) |
//! | `Cast` | `T.Cast("float32", x)`; with lanes `"float32x4"` |
//! | `Ramp`, `Broadcast`, `Shuffle` | `T.Ramp(base, stride, lanes)`, `T.Broadcast(x, lanes)`, `T.Shuffle([a, b], [0, 5])` |
//! | `Let` (expression) | `T.Let(body, where={x: value})`; `x` is bound here and needs no declaration |
//! | a subexpression shared by many | `(s := a * a)`, later `s`: a name for the node, no node of its own; only where the text would explode |
//! | masked load, store | `A.vload([i, j], predicate=p)`, `A.vstore([i, j], value, predicate=p)`; no dimensions: `A[()]` |
//! | address of a buffer | `A.data`; a view of the same memory has `data=A.data` in its declaration |
//! | ranges (loops, axes, regions) | `start, stop` where `stop` is `start + extent`: [`range_stop`], [`range_between`] |
//! | loops | `range(n)`, `T.grid(n, m)`, `T.serial(n, annotations={…})`, `T.parallel(n)`, `T.vectorized(n)`, `T.unroll(n)`, `T.thread_binding(n, thread="threadIdx.x")`; with a start: `range(start, stop)`, `T.parallel(start, stop)`, … |
//! | `Let` (statement) | `x: T.int32 = value`, its body is the rest of the suite; elsewhere `with T.LetStmt(value) as x:` |
//! | `Allocate` | `A = T.decl_buffer((16,), "float32", scope="local")`, its body is the rest of the suite; elsewhere `with T.decl_buffer(…) as A:` |
//! | `AllocateConst` | `C = T.allocate_const([1, 2], "int32", [2])`, its body is the rest of the suite; elsewhere `with T.allocate_const(…) as C:` |
//! | `Attr` | `with T.attr(node, "key", value):`; of threads it is read as the loop over them, as `T.launch_thread("threadIdx.x", n)` is |
//! | a buffer that nothing declares | `B = T.Buffer((4,), "float32", data=A.data)`, where the memory that it views begins: a declaration, no node |
//! | an address with a name | `p: T.handle = T.address_of(A[4])` |
//! | `Evaluate`, `Assert`, empty `Seq` | `T.evaluate(x)`, `assert condition, "message"`, `pass` |
//! | buffer details | `strides=[…]`, `elem_offset=…`, `scope="local"`, `align=64`, `offset_factor=4`, `buffer_type="auto"`, `axis_separators=[1]` after shape and dtype, left out at their defaults; `T.alloc_buffer` and `T.decl_buffer` leave out `"float32"` too |
//! | buffer parameter | `A: T.Buffer((1, n), "float32")`; where it defines symbolic dimensions `a: T.handle`, then `n = T.int64()` and `A = T.match_buffer(a, (n,))` |
//! | other parameters | `n: T.int32`, `h: T.handle` |
//! | a variable of sizes | `n: T.int32(is_size_var=True)`, `n = T.int64(is_size_var=True)` |
//! | a variable that something defines in passing | `n = T.int64()` before that: a declaration, no node |
//! | root block | implicit, after the comment `# with T.block("root"):`. A body that holds a `T.block` or a `T.alloc_buffer`, and is not one `with T.block("root"):` alone, is wrapped in [`with_root`](tilewright_ir::tir::PrimFunc::with_root); any other body stays as it is |
//! | block | in this order: axes, `T.where(predicate)`, `T.reads(…)`, `T.writes(…)` (both always, inferred where absent), `T.block_attr({…})`, `X = T.alloc_buffer(…)`, `X = T.match_buffer(A[0:4, i], (4,))`, `with T.init():`, body |
//! | axes | `T.axis.remap("SR", [i, k])`, `T.axis.spatial(n, value)`, `T.axis.reduce((start, stop), value)`, `T.axis.scan(…)`, `T.axis.opaque(…)` |
//! | attribute values | `None`, `T.bool(True)` or `True` → `Bool`; `1` → `Int`; `0.5`, `float("inf")` → `Float`; `"text"` → `Str`; `T.dtype("int8")` → `DType`; `[…]`, `{…}`; any other scalar, `T.int32(1)` included → `Expr`; a buffer → `Str`, its name |
//! | `R.Tensor` | `R.Tensor((1, n), dtype="float32")`, `R.Tensor((1,))`, `R.Tensor(dtype="float32", ndim=2)`, `R.Tensor()`; on a device of the module `vdevice="llvm:0"` (the first of its kind), on another one `vdevice=I.vdevice("llvm", 0, "global")` |
//! | global infos of a module | `I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global")], "dummy": [I.dummy_global_info()]})` |
//! | other struct infos | `R.Object`, `R.Prim("int64")`, `R.Prim(value=n)`, `R.Shape([1, n])`, `R.Shape(ndim=2)`, `R.Shape()`, `R.Tuple(a, b)`, `R.Tuple()`, `R.Callable((a, b), ret, True)` (last: pure), `R.Callable(ret=r, purity=False)` where nothing is known of the parameters |
//! | dimensions of a graph | a bare integer is `int64`; in a function's parameters and result an expression is a text: `R.Tensor(("n", "n * 2"))`, in its body it is not; `n = T.int64()` at the top of the body names the same variable, or one that a `R.match_cast` defines |
//! | constants of a graph | without dimensions and finite: `R.const(1.5, "float32")`; others `metadata["relax.expr.Constant"][i]`, from the module's trailing `metadata = {"relax.expr.Constant": [{"dtype": "float32", "shape": [2], "data": "…"}]}` with base64 of the little-endian row-major elements |
//! | values of a graph | `R.shape([1, n])`, `R.prim_value(1)` (bare: `int64`), `R.str("x")`, `R.dtype("int8")`, `R.tuple()`, `(a,)`, `t[0]`, `R.ExternFunc("name")`; an absent optional tensor is `None` |
//! | read, and printed in their expanded form | `elif` (a condition in the other branch), `a, b = t` (a binding for each field), `R.call_tir(cls.f, t, …)` with a variable that is a tuple, `R.emit(x)`, `R.emit_with_sinfo("relax.add", (a, b), sinfo)`, `R.is_impure()` |
//! | calls of a graph | `R.call_tir(cls.f, (a,), out_sinfo=…)` (several results: a list), `R.call_dps_packed("name", (a,), out_sinfo=…)`, `R.call_packed("name", a, sinfo_args=(…,))` (left out when empty), `cls.f(a)`, `f(a)`; the rarer ones by what [`tilewright_ir::calls`] lists: `R.call_tir(…, tir_vars=R.shape([n]))`, `R.call_tir_with_grad(…, te_grad_name="g", te_grad_kwargs={…})`, `R.call_pure_packed(…)`, `R.call_inplace_packed("name", a, inplace_indices=[0], sinfo_args=…)`, `R.call_builtin_with_ctx("name", (a,), sinfo_args=…)`, `R.invoke_closure(f, (a,), sinfo_args=…)`; operators: arguments in order, then every attribute by name |
//! | `MatchCast` | `y: S = R.match_cast(x, S)` |
//! | `If` | as the value of a binding of `y`: `if c:` … `y: S = a`, `else:` … `y: S = b`; the last line of each branch gives its result |
//! | `Function` (closure) | as the value of a binding: a nested `@R.function` `def`; without `private=True`, and no symbol is added |
//! | a pure function with effects inside | `@R.function(force_pure=True)`: it writes only its own memory; without it, calls with side effects make a function impure |
//! | attributes | `T.func_attr({…})`, `R.func_attr({…})`, `I.module_attrs({…})`; private functions have no `global_symbol`, one equal to the name is not written |

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range};

/// How tightly an operator of Python binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Prec {
    Any,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Unary,
    Atom,
}

impl Prec {
    /// The requirement on the right operand of a left-associative operator.
    pub(crate) fn tighter(self) -> Self {
        match self {
            Self::Any => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Compare,
            Self::Compare => Self::BitOr,
            Self::BitOr => Self::BitXor,
            Self::BitXor => Self::BitAnd,
            Self::BitAnd => Self::Shift,
            Self::Shift => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Unary,
            Self::Unary | Self::Atom => Self::Atom,
        }
    }
}

/// How an operator of two operands is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binary {
    pub(crate) op: BinOp,
    /// The names after `T.`; the first is printed, all are read.
    pub(crate) functions: &'static [&'static str],
    pub(crate) infix: Option<(&'static str, Prec)>,
}

const fn binary(op: BinOp, functions: &'static [&'static str], infix: Option<(&'static str, Prec)>) -> Binary {
    Binary { op, functions, infix }
}

/// In the order of [`BinOp::ALL`].
pub(crate) const BINARY: [Binary; 16] = [
    binary(BinOp::Add, &["Add", "add"], Some(("+", Prec::Sum))),
    binary(BinOp::Sub, &["Sub", "subtract"], Some(("-", Prec::Sum))),
    binary(BinOp::Mul, &["Mul", "multiply"], Some(("*", Prec::Product))),
    // The infix is for floats only.
    binary(BinOp::Div, &["Div", "truncdiv", "div"], Some(("/", Prec::Product))),
    binary(BinOp::Mod, &["truncmod", "Mod", "fmod"], None),
    binary(BinOp::FloorDiv, &["floordiv", "FloorDiv"], Some(("//", Prec::Product))),
    binary(BinOp::FloorMod, &["floormod", "FloorMod"], Some(("%", Prec::Product))),
    binary(BinOp::Min, &["min", "Min"], None),
    binary(BinOp::Max, &["max", "Max"], None),
    binary(BinOp::And, &["And", "logical_and"], Some(("and", Prec::And))),
    binary(BinOp::Or, &["Or", "logical_or"], Some(("or", Prec::Or))),
    binary(BinOp::BitAnd, &["bitwise_and"], Some(("&", Prec::BitAnd))),
    binary(BinOp::BitOr, &["bitwise_or"], Some(("|", Prec::BitOr))),
    binary(BinOp::BitXor, &["bitwise_xor"], Some(("^", Prec::BitXor))),
    binary(BinOp::Shl, &["shift_left"], Some(("<<", Prec::Shift))),
    binary(BinOp::Shr, &["shift_right"], Some((">>", Prec::Shift))),
];

/// The spelling of a comparison: its name after `T.` and its infix.
pub(crate) const COMPARE: [(CmpOp, &str, &str); 6] = [
    (CmpOp::Eq, "EQ", "=="),
    (CmpOp::Ne, "NE", "!="),
    (CmpOp::Lt, "LT", "<"),
    (CmpOp::Le, "LE", "<="),
    (CmpOp::Gt, "GT", ">"),
    (CmpOp::Ge, "GE", ">="),
];

pub(crate) fn of_binary(op: BinOp) -> &'static Binary {
    // Every operator is in the table; a test walks it.
    BINARY.iter().find(|b| b.op == op).unwrap_or(&BINARY[0])
}

pub(crate) fn of_compare(op: CmpOp) -> &'static (CmpOp, &'static str, &'static str) {
    COMPARE.iter().find(|c| c.0 == op).unwrap_or(&COMPARE[0])
}

/// Whether the expression is a constant that is written as a literal or a typed literal.
pub(crate) fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_))
}

/// The end of a range, as it is written: the sum of constants, the extent alone after a start of 0, else `start +
/// extent`.
pub(crate) fn range_stop(range: &Range) -> Expr {
    match (range.min.as_int(), range.extent.as_int()) {
        (Some(0), _) => range.extent.clone(),
        (Some(min), Some(extent)) if min.checked_add(extent).is_some() => {
            Expr::int(min.wrapping_add(extent), range.extent.dtype)
        }
        _ => Expr::raw(range.extent.dtype, ExprKind::Binary(BinOp::Add, range.min.clone(), range.extent.clone())),
    }
}

/// The range from `start` to before `stop`: the inverse of [`range_stop`]; otherwise the extent is `stop - start`.
/// `None` where the two have no common type.
pub(crate) fn range_between(start: &Expr, stop: &Expr) -> Option<Range> {
    let (start, extent) = match (start.as_int(), stop.as_int(), &stop.kind) {
        (Some(0), ..) => (start, stop.clone()),
        (Some(a), Some(b), _) => (start, Expr::int(b.wrapping_sub(a), stop.dtype)),
        // The start in the sum shares with the extent their common nodes.
        (_, _, ExprKind::Binary(BinOp::Add, a, extent)) if a.equal(start) => (a, extent.clone()),
        _ => (start, Expr::binary(BinOp::Sub, stop, start).ok()?),
    };
    let (min, extent) = Expr::matched(start, &extent).ok()?;
    Some(Range { min, extent })
}

/// The text of constants in the metadata of a module.
pub(crate) mod metadata {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use tilewright_tensor::{DataType, Tensor};

    /// The key of the list of constants.
    pub(crate) const CONSTANTS: &str = "relax.expr.Constant";

    /// The elements in row-major order, as base64.
    pub(crate) fn encode(tensor: &Tensor) -> String {
        let compact = tensor.to_contiguous();
        STANDARD.encode(compact.as_ref().ok().and_then(|t| t.as_bytes().ok()).unwrap_or_default())
    }

    /// The tensor of a text that [`encode`] made; the error says what does not fit.
    pub(crate) fn decode(dtype: DataType, shape: &[i64], data: &str) -> Result<Tensor, String> {
        let bytes = STANDARD.decode(data).map_err(|error| format!("expected base64: {error}"))?;
        let expected = shape.iter().try_fold(dtype.bytes() as u64, |n, &d| n.checked_mul(u64::try_from(d).ok()?));
        if expected != Some(bytes.len() as u64) {
            return Err(format!("{} bytes do not fill a tensor of shape {shape:?} and type {dtype}", bytes.len()));
        }
        let tensor = Tensor::from_bytes(dtype, shape, &bytes).map_err(|error| error.to_string())?;
        if dtype.is_bool() {
            tensor.as_slice::<bool>().map_err(|error| error.to_string())?;
        }
        Ok(tensor)
    }
}

/// How struct infos name the devices of their module.
pub(crate) mod devices {
    use tilewright_ir::relax::VDevice;

    /// Each device with its name: its kind and its index among those of the kind, such as `llvm:0`.
    pub(crate) fn names_of<'d>(devices: impl Iterator<Item = &'d VDevice>) -> Vec<(&'d VDevice, String)> {
        let mut names: Vec<(&VDevice, String)> = Vec::new();
        for device in devices {
            let index = names.iter().filter(|(other, _)| other.kind() == device.kind()).count();
            names.push((device, format!("{}:{index}", device.kind())));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_expr::Var;
    use tilewright_tensor::{DataType, Tensor};

    #[test]
    fn every_operator_has_a_spelling_of_its_own() {
        for (op, row) in BinOp::ALL.iter().zip(BINARY) {
            assert_eq!(*op, row.op);
        }
        for (op, row) in CmpOp::ALL.iter().zip(COMPARE) {
            assert_eq!(*op, row.0);
        }
        let mut names: Vec<_> = BINARY.iter().flat_map(|b| b.functions).chain(COMPARE.iter().map(|c| &c.1)).collect();
        names.sort();
        names.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    }

    #[test]
    fn ranges_survive_their_spelling() {
        let (n, m) = (Expr::var(&Var::new("n", DataType::I32)), Expr::var(&Var::new("m", DataType::I32)));
        for min in [Expr::i32(0), Expr::i32(3), n.clone(), &n * 4] {
            for extent in [Expr::i32(1), Expr::i32(16), m.clone(), n.clone(), &n + &m] {
                let range = Range::new(min.clone(), extent);
                let back = range_between(&range.min, &range_stop(&range)).unwrap();
                assert!(back.min.equal(&range.min) && back.extent.equal(&range.extent), "{range:?} {back:?}");
            }
        }
    }

    #[test]
    fn metadata_survives_its_text_and_nonsense_is_refused() {
        let tensor = Tensor::from_vec(&[2, 2], vec![1.0f32, f32::NAN, -0.0, f32::MIN]).unwrap();
        let text = metadata::encode(&tensor);
        assert_eq!(metadata::decode(DataType::F32, &[2, 2], &text).unwrap(), tensor);
        assert!(metadata::decode(DataType::F32, &[3, 2], &text).is_err());
        assert!(metadata::decode(DataType::F32, &[i64::MAX, i64::MAX], &text).is_err());
        assert!(metadata::decode(DataType::F32, &[-1], &text).is_err());
        assert!(metadata::decode(DataType::F32, &[2, 2], "*").is_err());
    }
}
