//! Relax functions: the forms of the language, by the structure that they become.

use expect_test::expect;
use tilewright_ir::GlobalFunc;
use tilewright_ir::relax::{BindingValue, Callee, ExprKind, StructInfo, TensorShape};
use tilewright_tensor::{DataType, Tensor};

use super::{errors, module, relax};
use crate::parse::{NoHost, Source, parse_module};

const KERNELS: &str = r#"
@I.ir_module
class M:
    @T.prim_func
    def double(X: T.Buffer((1, 8)), Y: T.Buffer((1, 8))):
        for i in range(8):
            Y[0, i] = X[0, i] * 2.0
"#;

fn with_kernels(main: &str) -> String {
    format!("{KERNELS}{}", super::indent(main))
}

fn signature(info: &StructInfo) -> String {
    crate::parse::value::describe_info(info)
}

#[test]
fn both_spellings_of_a_call_are_one() {
    let old = "@R.function\ndef main(x: Tensor((1, 8), \"float32\")):\n    with R.dataflow():\n        y = R.call_tir(double, (x,), (1, 8), dtype=\"float32\")\n        R.output(y)\n    return y";
    let new = "@R.function\ndef main(x: R.Tensor((1, 8), dtype=\"float32\")) -> R.Tensor((1, 8), dtype=\"float32\"):\n    cls = M\n    with R.dataflow():\n        y = R.call_tir(cls.double, [x], out_sinfo=R.Tensor((1, 8), \"float32\"))\n        R.output(y)\n    return y";
    let (old, new) = (module(&with_kernels(old)), module(&with_kernels(new)));
    assert_eq!(old.compare(&new), Ok(()));
}

#[test]
fn a_text_as_the_callee_is_a_packed_function() {
    for call in [
        "R.call_tir(\"env.f\", (x,), (1, 8), dtype=\"float32\")",
        "R.call_dps_packed(\"env.f\", (x,), out_sinfo=R.Tensor((1, 8), \"float32\"))",
        "R.call_dps_packed(\"env.f\", x, R.Tensor((1, 8), \"float32\"))",
    ] {
        let f =
            relax(&format!("@R.function\ndef main(x: R.Tensor((1, 8), \"float32\")):\n    y = {call}\n    return y"));
        let BindingValue::Expr(value) = &f.body.blocks[0].bindings[0].value else { panic!() };
        let ExprKind::Call { callee: Callee::DpsPacked(name), args, .. } = &value.kind else { panic!() };
        assert_eq!((&**name, args.len(), f.pure), ("env.f", 1, true));
    }
}

#[test]
fn several_results_are_a_tuple() {
    let f = relax(
        "@R.function\ndef main(x: R.Tensor((4,), \"float32\")):\n    y = R.call_dps_packed(\"f\", (x,), out_sinfo=[R.Tensor((4,), \"float32\"), R.Tensor((2,), \"int8\")])\n    z = y[1]\n    return (z, y[0])",
    );
    assert_eq!(signature(&f.ret), "a tuple of an int8 tensor of shape (2,) and a float32 tensor of shape (4,)");
    let old = relax(
        "@R.function\ndef main(x: R.Tensor((4,), \"float32\")):\n    y = R.call_tir(\"f\", (x,), [(4,), (2,)], dtype=[\"float32\", \"int8\"])\n    return y",
    );
    assert!(matches!(&old.ret, StructInfo::Tuple(fields) if fields.len() == 2));
}

#[test]
fn nested_expressions_get_a_variable() {
    let f = relax(
        "@R.function\ndef main(x: R.Tensor((2, 3), \"float32\"), w: R.Tensor((4, 3), \"float32\")):\n    with R.dataflow():\n        y = R.nn.relu(R.matmul(x, R.permute_dims(w)))\n        R.output(y)\n    return R.nn.relu(y)",
    );
    let block = &f.body.blocks[0];
    let names: Vec<_> = block.bindings.iter().map(|b| (&*b.var.name, b.var.dataflow)).collect();
    assert_eq!(names, [("lv", true), ("lv1", true), ("y", false)]);
    assert!(f.body.result.as_var().is_some());
    assert_eq!(signature(&f.ret), "a float32 tensor of shape (2, 4)");
}

#[test]
fn two_blocks_with_an_effect_between_them() {
    let f = relax(
        "@R.function\ndef main(x: R.Tensor((2, 3), \"float32\")):\n    with R.dataflow():\n        a = R.nn.relu(x)\n        b = R.nn.relu(a)\n        R.output(b)\n    m = R.alloc_tensor((2, 3), dtype=\"float32\")\n    R.call_packed(\"log\", m, b)\n    with R.dataflow():\n        c = R.add(b, m)\n        R.output(c)\n    return c",
    );
    let kinds: Vec<_> = f.body.blocks.iter().map(|block| (block.dataflow, block.bindings.len())).collect();
    assert_eq!((kinds, f.pure), (vec![(true, 2), (false, 2), (true, 1)], false));
    assert!(f.body.blocks[0].bindings[0].var.dataflow && !f.body.blocks[0].bindings[1].var.dataflow);
}

#[test]
fn annotations_of_every_kind() {
    let f = relax(
        r#"
@R.function
def main(a: R.Tensor((2, 3), "float32"), b: R.Tensor("float16", ndim=2), c: R.Tensor(None, "int8", ndim=1), d: R.Tensor,
         e: R.Object, f: R.Shape([2, 3]), g: R.Shape(ndim=2), h: R.Prim("int64"), i: R.Tuple(R.Object, R.Tensor(ndim=0)),
         j: R.Callable((R.Tensor((2,), "int8"),), R.Object, True), k: Tensor(None, "float32", ndim = 2), l: R.Tuple):
    return a"#,
    );
    let infos: Vec<_> = f.params.iter().map(|param| &param.struct_info).collect();
    assert!(matches!(infos[1], StructInfo::Tensor { shape: TensorShape::Rank(2), dtype: Some(DataType::F16), .. }));
    assert!(matches!(infos[2], StructInfo::Tensor { shape: TensorShape::Rank(1), dtype: Some(DataType::I8), .. }));
    assert!(matches!(infos[3], StructInfo::Tensor { shape: TensorShape::Unknown, dtype: None, .. }));
    assert!(matches!(infos[5], StructInfo::Shape(TensorShape::Known(dims)) if dims.len() == 2));
    assert!(matches!(infos[7], StructInfo::Prim { dtype: DataType::I64, value: None }));
    assert!(matches!(infos[9], StructInfo::Func { params: Some(params), pure: true, .. } if params.len() == 1));
    assert!(matches!(infos[10], StructInfo::Tensor { shape: TensorShape::Rank(2), dtype: Some(DataType::F32), .. }));
}

#[test]
fn symbolic_dimensions_are_one_variable_by_name() {
    let f = relax(
        r#"
@R.function
def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n * 2 + 1", "m"), "float32")) -> R.Tensor(("n", 4), "float32"):
    n = T.int64()
    z: R.Tensor((n, 4), "float32") = R.nn.relu(x)
    s = R.shape([n, n + 1])
    return z"#,
    );
    let dims = f.params[0].struct_info.dims().unwrap();
    let n = dims[0].as_var().unwrap();
    assert_eq!(f.ret.dims().unwrap()[0].as_var(), Some(n));
    assert_eq!(f.body.blocks[0].bindings[0].var.struct_info.dims().unwrap()[0].as_var(), Some(n));
    assert_eq!(crate::parse::dims::text(&f.params[1].struct_info.dims().unwrap()[0]), "… + 1");
}

#[test]
fn casts_define_dimensions() {
    let f = relax(
        "@R.function\ndef main(x: R.Tensor(dtype=\"float32\")):\n    k = T.int64()\n    y = R.match_cast(x, R.Tensor((k, \"m\"), \"float32\"))\n    z = R.nn.relu(y)\n    return z",
    );
    let binding = &f.body.blocks[0].bindings[0];
    assert!(matches!(&binding.value, BindingValue::MatchCast { .. }));
    let dims = |var: &tilewright_ir::relax::Var| var.struct_info.dims().unwrap()[0].as_var().cloned();
    assert_eq!(dims(&f.body.blocks[0].bindings[1].var), dims(&binding.var));
    // The caller does not know what is found out inside.
    assert_eq!(signature(&f.ret), "a float32 tensor of 2 dimensions");
}

#[test]
fn branches_end_with_the_same_name() {
    let f = relax(
        r#"
@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
    if c:
        t = R.nn.relu(x)
        y = R.add(t, x)
    else:
        y = x
    return y"#,
    );
    let BindingValue::Expr(value) = &f.body.blocks[0].bindings[0].value else { panic!() };
    let ExprKind::If { then, otherwise, .. } = &value.kind else { panic!() };
    assert_eq!((then.blocks.len(), otherwise.blocks.len()), (1, 0));
    assert_eq!(&*f.body.blocks[0].bindings[0].var.name, "y");
}

#[test]
fn functions_call_each_other_whatever_their_order() {
    let m = module(
        r#"
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = M.helper(x)
        return y
    @R.function(private=True)
    def helper(x: R.Tensor(("n",), "float32")):
        y = R.nn.relu(x)
        return y
    @R.function
    def again(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = M
        return cls.again(x)
"#,
    );
    assert_eq!(signature(&m.relax("main").unwrap().ret), "a float32 tensor of shape (4,)");
    let names: Vec<_> = m.iter().map(|(name, f)| (name.to_string(), f.global_symbol().is_some())).collect();
    assert_eq!(names, [("main".into(), true), ("helper".into(), false), ("again".into(), true)]);
}

#[test]
fn a_circle_without_annotations_is_named() {
    let text = errors(
        r#"
@I.ir_module
class M:
    @R.function
    def a(x: R.Object):
        return M.b(x)
    @R.function
    def b(x: R.Object):
        return M.a(x)
"#,
    );
    assert!(
        text.contains("TW0405") && text.contains("the result of `a` depends on itself: `a` calls `b` calls `a`"),
        "{text}"
    );
}

#[test]
fn closures_are_values() {
    let f = relax(
        r#"
@R.function
def main(x: R.Tensor((4,), "float32")):
    @R.function
    def inner(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z = R.add(x, y)
        return z
    w = inner(x)
    return w"#,
    );
    let BindingValue::Expr(value) = &f.body.blocks[0].bindings[0].value else { panic!() };
    let ExprKind::Function(inner) = &value.kind else { panic!() };
    assert!(inner.attrs.is_empty());
    assert_eq!(signature(&f.ret), "a float32 tensor of shape (4,)");
}

#[test]
fn constants_in_the_text() {
    let f = relax(
        "@R.function\ndef main(x: R.Tensor((2,), \"float32\")):\n    y = R.add(x, R.const([1.5, -2], \"float32\"))\n    z = (R.const(True), R.const(3), R.prim_value(4), R.str(\"a\"), R.dtype(\"int8\"))\n    return z",
    );
    let BindingValue::Expr(sum) = &f.body.blocks[0].bindings[0].value else { panic!() };
    let ExprKind::Call { args, .. } = &sum.kind else { panic!() };
    let ExprKind::Constant(constant) = &args[1].kind else { panic!() };
    assert_eq!(constant.0.to_vec::<f32>().unwrap(), [1.5, -2.0]);
    let StructInfo::Tuple(fields) = &f.ret else { panic!() };
    assert_eq!(fields[0].dtype(), Some(DataType::BOOL));
    assert_eq!(fields[1].dtype(), Some(DataType::I32));
    assert!(matches!(&fields[2], StructInfo::Prim { dtype: DataType::I64, value: Some(_) }));
}

#[test]
fn constants_of_the_metadata() {
    let text = |name: &str| {
        format!(
            "@I.ir_module\nclass M:\n    @R.function\n    def main(x: R.Tensor((2,), \"float32\")):\n        y = R.add(x, {name}[0])\n        return y\n"
        )
    };
    let section = "metadata = {\"relax.expr.Constant\": [{\"dtype\": \"float32\", \"shape\": [2], \"data\": \"AACAPwAAAEA=\"}]}\n";
    let own = module(&format!("{}\n{section}", text("metadata[\"relax.expr.Constant\"]")));
    let tensor = Tensor::from_vec(&[2], vec![1.0f32, 2.0]).unwrap();
    let file = tilewright_support::SourceFile::new("t.py", text("meta[relay.Constant]"));
    let given = parse_module(Source::new(&file).with_constants(vec![tensor]), &NoHost).unwrap();
    assert_eq!(own.compare(&given), Ok(()));
}

#[test]
fn a_call_of_an_impure_function_is_impure_wherever_that_stands() {
    let call = "R.call_packed(\"log\", x, sinfo_args=R.Object)";
    let text = format!(
        "@I.ir_module
class M:
    @R.function
    def main(x: R.Object) -> R.Object:
        y = M.middle(x)
        return y

    @R.function
    def middle(x: R.Object) -> R.Object:
        y = M.last(x)
        return y

    @R.function
    def last(x: R.Object) -> R.Object:
        y = {call}
        return y
"
    );
    let read = module(&text);
    for name in ["main", "middle", "last"] {
        assert!(matches!(read.get(name), Some(GlobalFunc::Relax(function)) if !function.pure), "{name}");
    }
    let in_dataflow = text.replacen(
        "        y = M.middle(x)\n",
        "        with R.dataflow():\n            y = M.middle(x)\n            R.output(y)\n",
        1,
    );
    assert!(errors(&in_dataflow).contains("TW0404]: this call has side effects, in a dataflow block"));
}

#[test]
fn recursion_takes_itself_for_pure() {
    let text = "@R.function\ndef main(x: R.Object) -> R.Object:\n    y = main(x)\n    return y\n";
    assert!(relax(text).pure);
    let logs = |decorator: &str| {
        let log = "y = R.call_packed(\"f\", main, x, sinfo_args=R.Object)";
        text.replace("y = main(x)", log).replace("R.function", decorator)
    };
    assert!(!relax(&logs("R.function(pure=False)")).pure);
    expect![[r#"
        error[TW0404]: `main` has side effects, and is taken for pure while its body is read
         --> test.py:3:28
          |
        2 | def main(x: R.Object) -> R.Object:
          |     ---- this one
        3 |     y = R.call_packed("f", main, x, sinfo_args=R.Object)
          |                            ^^^^
          |
          = help: say `@R.function(pure=False)`"#]]
    .assert_eq(&errors(&logs("R.function")));
}

#[test]
fn numbers_with_a_type_are_numbers_as_attributes() {
    let call = |roi: &str| {
        let head = "@R.function\ndef main(x: R.Tensor((1, 1, 4, 4), \"float32\")):\n";
        module(&format!(
            "@I.ir_module\nclass M:\n{}",
            super::indent(&format!(
                "{head}    y = R.image.resize2d(x, (8, 8), roi={roi}, layout=\"NCHW\")\n    return y\n"
            ))
        ))
    };
    let typed = call("[T.float32(0.0), T.float32(0.0), T.float32(0.0), T.float32(0.0)]");
    assert_eq!(typed.compare(&call("[0.0, 0.0, 0.0, 0.0]")), Ok(()));
}
