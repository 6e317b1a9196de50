//! One ill-formed graph function for each property, each refused with the property's code where the fault is.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_support::{Origins, SourceFile, Span};
use tilewright_tensor::DataType;

use super::graphs::{
    KILL, RELU, STORAGE, bind, block, call_copy, copy, function, module_of, op, relu, tensor, with_value, x,
};
use super::*;
use crate::op::InferCx;
use crate::relax::*;
use crate::{Attr, Attrs};

/// A fault: its property's code, the line of the binding that has it (0: the function itself), the form, the module.
type Planted = (&'static str, usize, Form, fn() -> IRModule);

/// A function `main` of these bindings, the first on line 1 and so on.
fn bindings(params: &[&Var], bindings: Vec<Binding>, result: Expr) -> IRModule {
    of_blocks(params, vec![block(false, bindings)], result)
}

/// A function `main` whose bindings, counted through all blocks, are on lines of a text.
fn of_blocks(params: &[&Var], mut blocks: Vec<BindingBlock>, result: Expr) -> IRModule {
    let lines = (0..20).map(|_| "line\n").collect::<String>();
    let file: Arc<SourceFile> = SourceFile::new("planted.py", lines);
    for (line, binding) in blocks.iter_mut().flat_map(|block| &mut block.bindings).enumerate() {
        let start = 5 * line as u32;
        binding.origins = Origins::at(Span::new(&file, start, start + 4));
    }
    module_of(function(params, blocks, result))
}

/// `main(x)`: a sound binding, then one of this value.
fn second(value: impl FnOnce(&Var) -> Expr) -> IRModule {
    let (x, first) = (x(), Var::new("first", tensor(&[4])));
    let value = value(&first);
    let y = Var::new("y", value.struct_info.clone());
    bindings(&[&x], vec![bind(&first, relu(&x)), bind(&y, value)], Expr::var(&y))
}

fn unknown() -> StructInfo {
    StructInfo::tensor_with(TensorShape::Rank(1), Some(DataType::F32))
}

fn call(callee: Callee, args: Vec<Expr>, attrs: Attrs, sinfo_args: Vec<StructInfo>) -> Expr {
    Expr::raw(tensor(&[4]), ExprKind::Call { callee, args, attrs, sinfo_args })
}

const PLANTED: &[Planted] = &[
    ("TW0520", 2, Form::Any, || second(|_| relu(&Var::new("stray", tensor(&[4]))))),
    ("TW0521", 2, Form::Any, || {
        let (x, lv, y) = (x(), Var::dataflow("lv", tensor(&[4])), Var::new("y", tensor(&[4])));
        let blocks = vec![block(true, vec![bind(&lv, relu(&x))]), block(false, vec![bind(&y, relu(&lv))])];
        of_blocks(&[&x], blocks, Expr::var(&y))
    }),
    ("TW0522", 2, Form::Any, || {
        let (x, y) = (x(), Var::new("y", tensor(&[4])));
        bindings(&[&x], vec![bind(&y, relu(&x)), bind(&y, relu(&x))], Expr::var(&y))
    }),
    ("TW0523", 2, Form::Any, || second(|x| Expr::call_packed("print", vec![Expr::var(x)], vec![]))),
    ("TW0524", 2, Form::Any, || {
        second(|_| Expr::global(&GlobalVar { name: "nowhere".into(), signature: StructInfo::Object }))
    }),
    ("TW0525", 2, Form::Any, || {
        second(|x| call(Callee::Tir(copy()), vec![Expr::var(x), Expr::var(x)], Attrs::new(), vec![tensor(&[4])]))
    }),
    ("TW0526", 2, Form::Any, || second(|x| Expr::raw(tensor(&[5]), relu(x).kind.clone()))),
    ("TW0527", 2, Form::Any, || {
        let (x, y, z) = (x(), Var::new("y", tensor(&[4])), Var::new("z", tensor(&[5])));
        bindings(&[&x], vec![bind(&y, relu(&x)), bind(&z, relu(&y))], Expr::var(&z))
    }),
    ("TW0528", 0, Form::Any, || {
        let mut main = with_value(relu);
        main.ret = tensor(&[5]);
        module_of(main)
    }),
    ("TW0529", 2, Form::Any, || {
        let (x, y) = (x(), Var::new("y", tensor(&[4])));
        let value = Expr::shape(vec![scalar::Expr::var(&scalar::Var::new("n", DataType::I64))]);
        let shape = Var::new("s", StructInfo::Shape(TensorShape::Rank(1)));
        bindings(&[&x], vec![bind(&y, relu(&x)), bind(&shape, value)], Expr::var(&y))
    }),
    ("TW0530", 2, Form::Any, || {
        let (x, y) = (x(), Var::new("y", tensor(&[4])));
        let lanes = Expr::raw(
            StructInfo::Shape(TensorShape::Rank(1)),
            ExprKind::Shape(vec![scalar::Expr::int(1, DataType::I64.with_lanes(2))]),
        );
        let shape = Var::new("s", lanes.struct_info.clone());
        bindings(&[&x], vec![bind(&y, relu(&x)), bind(&shape, lanes)], Expr::var(&y))
    }),
    ("TW0531", 2, Form::Any, || {
        second(|x| {
            let kind = ExprKind::Call {
                callee: Callee::DpsPacked("f".into()),
                args: vec![Expr::var(x)],
                attrs: Attrs::new(),
                sinfo_args: vec![unknown()],
            };
            Expr::raw(unknown(), kind)
        })
    }),
    ("TW0532", 2, Form::Any, || {
        second(|x| {
            let attrs = Attrs::from([("pure".into(), Attr::Bool(true))]);
            call(Callee::Tir(copy()), vec![Expr::var(x)], attrs, vec![tensor(&[4])])
        })
    }),
    ("TW0550", 2, Form::Legalized, || {
        let (x, y, z) = (x(), Var::new("y", tensor(&[4])), Var::new("z", tensor(&[4])));
        bindings(&[&x], vec![bind(&y, call_copy(&x)), bind(&z, op(&RELU, &[&y]))], Expr::var(&z))
    }),
    ("TW0551", 2, Form::DestinationPassing, || {
        let (x, y, z) = (x(), Var::new("y", StructInfo::Tuple(vec![])), Var::new("z", tensor(&[4])));
        bindings(&[&x], vec![bind(&y, Expr::tuple(vec![])), bind(&z, call_copy(&x))], Expr::var(&x))
    }),
    ("TW0552", 3, Form::MachineReady, || {
        let storage = || Var::new("s", StructInfo::tensor_of(&[64], DataType::U8));
        let (x, first, second, done) = (x(), storage(), storage(), Var::new("_", StructInfo::Tuple(vec![])));
        let planted =
            vec![bind(&first, op(&STORAGE, &[])), bind(&done, op(&KILL, &[&x])), bind(&second, op(&STORAGE, &[]))];
        bindings(&[&x], planted, Expr::var(&x))
    }),
];

#[test]
fn each_planted_fault_is_found_where_it_is() {
    for (code, line, form, module) in PLANTED {
        let module = module();
        let found = verify(&module, *form).expect_err(code);
        let codes: Vec<_> = found.0.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, [*code], "{found}");
        let lines: Vec<_> = found.0.iter().map(|d| d.span.as_ref().map_or(0, |span| span.line_column().0)).collect();
        assert_eq!(lines, [*line], "{code}:\n{found}");
        if *form == Form::Any {
            assert!(found.0[0].notes.iter().any(|note| note.starts_with("in function `main`")), "{found}");
        } else {
            // The module is well-formed, and only not in this form.
            passes(&module, Form::Any);
        }
    }
}

#[test]
fn each_property_of_graphs_has_a_planted_fault() {
    let documented = include_str!("../mod.rs").lines().filter_map(|line| line.strip_prefix("//! | ")?.get(..6));
    for code in documented.filter(|code| ("TW0520"..="TW0532").contains(code)) {
        assert!(PLANTED.iter().any(|(planted, ..)| *planted == code), "no planted fault for {code}");
    }
}

#[test]
fn a_binding_without_a_source_is_placed_by_its_name() {
    let found = verify(&module_of(with_value(|_| relu(&Var::new("stray", tensor(&[4]))))), Form::Any).unwrap_err();
    assert!(found.0[0].notes.iter().any(|note| note == "in function `main`, binding `y`"), "{found}");
}

/// Calls of every kind with what they may say, and what they may not.
#[test]
fn calls_have_the_attributes_of_their_kind() {
    let infer = InferCx::default();
    let here = vec![tensor(&[4])];
    let pure = Attrs::from([("pure".into(), Attr::Bool(true))]);
    let inplace = |indices: &[i64]| {
        Attrs::from([("inplace_indices".into(), Attr::Array(indices.iter().map(|&i| Attr::Int(i)).collect()))])
    };
    let with = |attrs: &Attrs, callee: Callee| {
        let (attrs, here) = (attrs.clone(), here.clone());
        second(move |x| call(callee, vec![Expr::var(x)], attrs, here))
    };
    passes(&with(&pure, Callee::Packed("f".into())), Form::Any);
    passes(&with(&inplace(&[0]), Callee::Packed("f".into())), Form::Any);
    refused("TW0526", &with(&inplace(&[1]), Callee::Packed("f".into())), Form::Any);
    refused("TW0526", &with(&inplace(&[-1]), Callee::Packed("f".into())), Form::Any);
    refused("TW0532", &with(&inplace(&[0]), Callee::DpsPacked("f".into())), Form::Any);
    let grad =
        Attrs::from([("te_grad_name".into(), Attr::str("g")), ("te_grad_kwargs".into(), Attr::Map(Attrs::new()))]);
    passes(&with(&grad, Callee::Tir(copy())), Form::Any);
    refused("TW0532", &with(&Attrs::from([("te_grad_name".into(), Attr::Int(1))]), Callee::Tir(copy())), Form::Any);
    // A scalar too many for the PrimFunc, and one that nothing defines.
    let vars = |value: scalar::Expr| Attrs::from([("tir_vars".into(), Attr::Array(vec![Attr::Expr(value)]))]);
    refused("TW0525", &with(&vars(scalar::Expr::i64(1)), Callee::Tir(copy())), Form::Any);
    let stray = scalar::Expr::var(&scalar::Var::new("n", DataType::I64));
    assert_eq!(codes(&with(&vars(stray), Callee::Tir(copy())), Form::Any), ["TW0525", "TW0529"]);
    // The forced attribute of a function.
    let mut forced = with_value(|x| Expr::call_packed("print", vec![Expr::var(x)], vec![]));
    forced.attrs.insert(attr_names::FORCE_PURE.into(), Attr::Bool(true));
    passes(&module_of(forced), Form::Any);
    assert!(Expr::call_inplace_packed(&infer, "f", vec![], &[Some(0)], here).is_err());
}
