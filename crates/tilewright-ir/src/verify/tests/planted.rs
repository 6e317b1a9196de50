//! One ill-formed PrimFunc for each property, each refused with the property's code where the fault is.

use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use super::loops::{Parts, buffer, i, index, module_of, parts, with_body, with_value};
use super::*;
use crate::relax::Constant;
use crate::tir::*;
use crate::{Attr, Attrs};

/// A fault: its property's code, where the message locates it, and the module.
type Planted = (&'static str, &'static str, fn() -> IRModule);

/// A reduction with one part changed.
fn changed(change: impl FnOnce(&mut Parts)) -> IRModule {
    let mut parts = parts();
    change(&mut parts);
    parts.module()
}

/// A body inside of a loop over `v`.
fn looped(var: Var, kind: ForKind, extent: Expr, body: Stmt) -> Stmt {
    let min = Expr::number(0, var.dtype);
    StmtKind::For { var, min, extent, kind, annotations: Attrs::new(), body }.into()
}

fn builtin(name: &str, args: Vec<Expr>) -> Expr {
    Expr::foreign(DataType::VOID, ForeignCallee::Builtin(name.into()), args)
}

const PLANTED: &[Planted] = &[
    ("TW0501", "in function `f`, loop `v`, store to `B`", || {
        with_body(|p| {
            let stray = Expr::load(&p.a, vec![Expr::var(&index("stray")), i(0)]).unwrap();
            let store = Stmt::store(&p.b, vec![i(0)], &stray).unwrap();
            looped(index("v"), ForKind::Serial, i(2), store)
        })
    }),
    ("TW0502", "in function `f`, store to `stray`", || {
        with_body(|_| Stmt::store(&buffer("stray", &[4]), vec![i(0)], &Expr::float(0.0, DataType::F32)).unwrap())
    }),
    ("TW0503", "in function `f`, loop `n`, loop `m`, block `sum`", || changed(|p| drop(p.block.reads[0].region.pop()))),
    ("TW0504", "in function `f`, store to `B`", || {
        with_body(|p| {
            let (indices, value) = (vec![Expr::float(0.0, DataType::F32)], Expr::float(0.0, DataType::F32));
            StmtKind::Store { buffer: p.b.clone(), indices, value, predicate: None }.into()
        })
    }),
    ("TW0505", "in function `f`, store to `B`", || {
        with_body(|p| StmtKind::Store { buffer: p.b.clone(), indices: vec![i(0)], value: i(0), predicate: None }.into())
    }),
    ("TW0506", "in function `f`, value of `x`", || {
        with_body(|_| StmtKind::Let { var: index("x"), value: Expr::i32(1), body: Stmt::nothing() }.into())
    }),
    ("TW0507", "in function `f`, loop `v`", || {
        with_body(|p| {
            let extent = Expr::load(&p.b, vec![i(0)]).unwrap().cast(DataType::I64).unwrap();
            looped(index("v"), ForKind::Unrolled, extent, Stmt::nothing())
        })
    }),
    ("TW0508", "in function `f`, loop `v`", || {
        with_body(|_| looped(Var::size("v", DataType::I64), ForKind::Serial, i(4), Stmt::nothing()))
    }),
    ("TW0509", "block `sum`", || changed(|p| drop(p.values.pop()))),
    ("TW0510", "block `sum`", || changed(|p| p.values[0] = p.values[0].cast(DataType::I32).unwrap())),
    ("TW0511", "assert `positive`", || {
        with_body(|_| StmtKind::Assert { condition: i(1), message: "positive".into() }.into())
    }),
    ("TW0513", "loop `v`, loop `v`", || {
        with_body(|_| {
            let v = index("v");
            let inner = looped(v.clone(), ForKind::Serial, i(2), Stmt::nothing());
            looped(v, ForKind::Serial, i(2), inner)
        })
    }),
    ("TW0514", "memory `T`", || {
        with_body(|_| {
            let buffer = buffer("T", &[4, 4]).derive(|node| node.axis_separators = vec![3]);
            StmtKind::Allocate { buffer, body: Stmt::nothing() }.into()
        })
    }),
    ("TW0515", "in function `f`", || changed(|p| p.params[0].var = Var::new("a", DataType::I64))),
    ("TW0516", "block `sum`", || {
        changed(|p| {
            let source = BufferRegion { buffer: p.b.clone(), region: vec![Range::new(Expr::var(&p.vi), i(1))] };
            p.block.match_buffers.push(MatchBuffer { buffer: buffer("M", &[1, 1]), source });
        })
    }),
    ("TW0517", "memory `table`", || {
        with_body(|_| {
            let data = Constant(Tensor::zeros(DataType::F32, &[3]).unwrap());
            StmtKind::AllocateConst { buffer: buffer("table", &[4]), data, body: Stmt::nothing() }.into()
        })
    }),
    ("TW0518", "in function `f`", || with_value(|_| builtin("tvm_storage_sync", Vec::new()))),
    ("TW0519", "loop `v`", || {
        with_body(|_| looped(index("v"), ForKind::ThreadBinding("threadIdx.w".into()), i(4), Stmt::nothing()))
    }),
    ("TW0533", "memory `table`, store to `table`", || {
        with_body(|_| {
            let table = buffer("table", &[4]);
            let data = Constant(Tensor::zeros(DataType::F32, &[4]).unwrap());
            let body = Stmt::store(&table, vec![i(0)], &Expr::float(0.0, DataType::F32)).unwrap();
            StmtKind::AllocateConst { buffer: table, data, body }.into()
        })
    }),
    ("TW0534", "value of `h`", || {
        with_body(|_| {
            let var = Var::new("h", DataType::HANDLE);
            StmtKind::Let { var, value: Expr::str("text"), body: Stmt::nothing() }.into()
        })
    }),
    ("TW0540", "", || {
        let named = || {
            let attrs = Attrs::from([(attr_names::GLOBAL_SYMBOL.into(), Attr::str("same"))]);
            PrimFunc::with_root(vec![], attrs, vec![], Stmt::nothing(), Origins::default())
        };
        let mut module = module_of(named());
        module.insert("g", named());
        module
    }),
];

#[test]
fn each_planted_fault_is_found_where_it_is() {
    for (code, place, module) in PLANTED {
        let found = verify(&module(), Form::Any).expect_err(code);
        let codes: Vec<_> = found.0.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, [*code], "{found}");
        let notes = found.0.iter().flat_map(|diagnostic| &diagnostic.notes);
        assert!(place.is_empty() || notes.clone().any(|note| note.ends_with(place)), "{code} at {place}:\n{found}");
    }
}

#[test]
fn each_property_of_loops_has_a_planted_fault() {
    let documented = include_str!("../mod.rs").lines().filter_map(|line| line.strip_prefix("//! | TW0")?.get(..3));
    let of_graphs = |number: &str| ("520".."533").contains(&number);
    for number in documented.filter(|number| !of_graphs(number)) {
        let code = format!("TW0{number}");
        assert!(PLANTED.iter().any(|(planted, ..)| *planted == code), "{code} has no planted fault");
    }
}
