//! Graph functions that are not well-formed. The parser gives none of them; passes and programs that build IR may.

use tilewright::ir::op::InferCx;
use tilewright::ir::relax::{
    Binding, BindingBlock, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, TensorShape, Var,
};
use tilewright::ir::verify::{Form, verify};
use tilewright::ir::{Attr, Attrs};
use tilewright::ops::nn::relu;
use tilewright::relax_passes::pattern::Pattern;
use tilewright::relax_passes::{Check, FuseOpsByPattern, FusionPattern};
use tilewright::support::{Origins, SourceFile};
use tilewright::{DataType, IRModule, expr};

use super::{Outcome, examples};

examples! {
    "graphs.rs":
    tw0520 tw0521 tw0522 tw0523 tw0524 tw0525 tw0526 tw0527 tw0528 tw0529 tw0530 tw0531
    tw0532 tw0731
}

/// A module with a PrimFunc `copy` of two buffers of four elements.
const COPY: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]
"#;

fn copy_module() -> Result<(IRModule, GlobalVar), Box<dyn std::error::Error>> {
    let module = tilewright::parse_module(&SourceFile::new("copy.py", COPY))?;
    let function = module.get("copy").ok_or("no function `copy`")?;
    let global = GlobalVar { name: "copy".into(), signature: function.signature() };
    Ok((module, global))
}

fn tensor(shape: &[i64]) -> StructInfo {
    StructInfo::tensor_of(shape, DataType::F32)
}

fn bind(var: &Var, value: Expr) -> Binding {
    Binding::new(var.clone(), value, Origins::default())
}

/// A pure function of these bindings, in a dataflow block or not.
fn function(params: &[&Var], dataflow: bool, bindings: Vec<Binding>, result: &Var) -> Function {
    let result = Expr::var(result);
    Function {
        params: params.iter().map(|&param| param.clone()).collect(),
        ret: result.struct_info.clone(),
        body: SeqExpr { blocks: vec![BindingBlock { dataflow, bindings }], result },
        pure: true,
        attrs: Attrs::new(),
        origins: Origins::default(),
    }
}

/// Verifies a module that has this function as `main` besides the PrimFunc `copy`.
fn check(main: Function) -> Outcome {
    let (mut module, _) = copy_module()?;
    module.insert("main", main);
    Ok(verify(&module, Form::Any)?)
}

mod tw0520 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (x, y, z) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])), Var::new("z", tensor(&[4])));
        let of = |var: &Var| relu::call(&InferCx::default(), Expr::var(var));
        check(function(&[&x], false, vec![bind(&z, of(&y)?), bind(&y, of(&x)?)], &z))
    }

    pub(super) fn right() -> Outcome {
        let (x, y, z) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])), Var::new("z", tensor(&[4])));
        let of = |var: &Var| relu::call(&InferCx::default(), Expr::var(var));
        check(function(&[&x], false, vec![bind(&y, of(&x)?), bind(&z, of(&y)?)], &z))
    }
}

mod tw0521 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (x, lv) = (Var::new("x", tensor(&[4])), Var::dataflow("lv", tensor(&[4])));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        check(function(&[&x], true, vec![bind(&lv, value)], &lv))
    }

    pub(super) fn right() -> Outcome {
        let (x, gv) = (Var::new("x", tensor(&[4])), Var::new("gv", tensor(&[4])));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        check(function(&[&x], true, vec![bind(&gv, value)], &gv))
    }
}

mod tw0522 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        check(function(&[&x], false, vec![bind(&y, value.clone()), bind(&y, value)], &y))
    }

    pub(super) fn right() -> Outcome {
        let (x, y, z) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])), Var::new("y", tensor(&[4])));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        check(function(&[&x], false, vec![bind(&y, value.clone()), bind(&z, value)], &z))
    }
}

mod tw0523 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (x, done) = (Var::new("x", tensor(&[4])), Var::new("done", StructInfo::Object));
        let value = Expr::call_packed("my.log", vec![Expr::var(&x)], vec![]);
        check(function(&[&x], false, vec![bind(&done, value)], &x))
    }

    pub(super) fn right() -> Outcome {
        let (x, done) = (Var::new("x", tensor(&[4])), Var::new("done", StructInfo::Object));
        let value = Expr::call_packed("my.log", vec![Expr::var(&x)], vec![]);
        check(Function { pure: false, ..function(&[&x], false, vec![bind(&done, value)], &x) })
    }
}

mod tw0524 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (mut module, copy) = copy_module()?;
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])));
        let value = Expr::call_tir(&InferCx::default(), copy, vec![Expr::var(&x)], vec![tensor(&[4])])?;
        module.insert("main", function(&[&x], true, vec![bind(&y, value)], &y));
        module.remove("copy");
        Ok(verify(&module, Form::Any)?)
    }

    pub(super) fn right() -> Outcome {
        let (mut module, copy) = copy_module()?;
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])));
        let value = Expr::call_tir(&InferCx::default(), copy, vec![Expr::var(&x)], vec![tensor(&[4])])?;
        module.insert("main", function(&[&x], true, vec![bind(&y, value)], &y));
        Ok(verify(&module, Form::Any)?)
    }
}

mod tw0525 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (_, copy) = copy_module()?;
        let (x, y) = (Var::new("x", tensor(&[8])), Var::new("y", tensor(&[4])));
        let callee = Callee::Tir(copy);
        let (args, sinfo_args) = (vec![Expr::var(&x)], vec![tensor(&[4])]);
        let call = ExprKind::Call { callee, args, attrs: Attrs::new(), sinfo_args };
        check(function(&[&x], true, vec![bind(&y, Expr::raw(tensor(&[4]), call))], &y))
    }

    pub(super) fn right() -> Outcome {
        let (_, copy) = copy_module()?;
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])));
        // `Expr::call_tir` compares the arguments with the PrimFunc's parameters, which `Expr::raw` does not.
        let call = Expr::call_tir(&InferCx::default(), copy, vec![Expr::var(&x)], vec![tensor(&[4])])?;
        check(function(&[&x], true, vec![bind(&y, call)], &y))
    }
}

mod tw0526 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[8])));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        let claimed = Expr::raw(tensor(&[8]), value.kind.clone());
        check(function(&[&x], true, vec![bind(&y, claimed)], &y))
    }

    pub(super) fn right() -> Outcome {
        let x = Var::new("x", tensor(&[4]));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        let y = Var::new("y", value.struct_info.clone());
        check(function(&[&x], true, vec![bind(&y, value)], &y))
    }
}

mod tw0527 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[8])));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        check(function(&[&x], true, vec![bind(&y, value)], &y))
    }

    pub(super) fn right() -> Outcome {
        let x = Var::new("x", tensor(&[4]));
        let value = relu::call(&InferCx::default(), Expr::var(&x))?;
        let y = Var::new("y", value.struct_info.clone());
        check(function(&[&x], true, vec![bind(&y, value)], &y))
    }
}

mod tw0528 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let x = Var::new("x", tensor(&[4]));
        check(Function { ret: tensor(&[8]), ..function(&[&x], false, vec![], &x) })
    }

    pub(super) fn right() -> Outcome {
        let x = Var::new("x", tensor(&[4]));
        // Less than what is known may be said, such as the rank alone.
        let ret = StructInfo::tensor_with(TensorShape::Rank(1), Some(DataType::F32));
        check(Function { ret, ..function(&[&x], false, vec![], &x) })
    }
}

mod tw0529 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let n = expr::Var::new("n", DataType::I64);
        let twice = &expr::Expr::var(&n) * 2;
        let x = Var::new("x", StructInfo::tensor(vec![twice], DataType::F32));
        check(function(&[&x], false, vec![], &x))
    }

    pub(super) fn right() -> Outcome {
        let n = expr::Var::new("n", DataType::I64);
        let twice = &expr::Expr::var(&n) * 2;
        let x = Var::new("x", StructInfo::tensor(vec![twice], DataType::F32));
        // The size of another argument tells what `n` is.
        let other = Var::new("other", StructInfo::tensor(vec![expr::Expr::var(&n)], DataType::F32));
        check(function(&[&x, &other], false, vec![], &x))
    }
}

mod tw0530 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let size = expr::Expr::float(4.0, DataType::F32);
        let x = Var::new("x", StructInfo::tensor(vec![size.broadcast(2)?], DataType::F32));
        check(function(&[&x], false, vec![], &x))
    }

    pub(super) fn right() -> Outcome {
        let size = expr::Expr::i64(4);
        let x = Var::new("x", StructInfo::tensor(vec![size], DataType::F32));
        check(function(&[&x], false, vec![], &x))
    }
}

mod tw0531 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let vague = StructInfo::tensor_with(TensorShape::Rank(1), Some(DataType::F32));
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", vague.clone()));
        let callee = Callee::DpsPacked("my.copy".into());
        let (args, sinfo_args) = (vec![Expr::var(&x)], vec![vague.clone()]);
        let call = ExprKind::Call { callee, args, attrs: Attrs::new(), sinfo_args };
        check(function(&[&x], true, vec![bind(&y, Expr::raw(vague, call))], &y))
    }

    pub(super) fn right() -> Outcome {
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])));
        let call = Expr::call_dps_packed("my.copy", vec![Expr::var(&x)], vec![tensor(&[4])])?;
        check(function(&[&x], true, vec![bind(&y, call)], &y))
    }
}

mod tw0532 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (_, copy) = copy_module()?;
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])));
        let attrs = Attrs::from([("speed".into(), Attr::Int(11))]);
        let (callee, args, sinfo_args) = (Callee::Tir(copy), vec![Expr::var(&x)], vec![tensor(&[4])]);
        let call = ExprKind::Call { callee, args, attrs, sinfo_args };
        check(function(&[&x], true, vec![bind(&y, Expr::raw(tensor(&[4]), call))], &y))
    }

    pub(super) fn right() -> Outcome {
        let (_, copy) = copy_module()?;
        let (x, y) = (Var::new("x", tensor(&[4])), Var::new("y", tensor(&[4])));
        let attrs = Attrs::new();
        let (callee, args, sinfo_args) = (Callee::Tir(copy), vec![Expr::var(&x)], vec![tensor(&[4])]);
        let call = ExprKind::Call { callee, args, attrs, sinfo_args };
        check(function(&[&x], true, vec![bind(&y, Expr::raw(tensor(&[4]), call))], &y))
    }
}

/// Fuses the products of a module that pass the check.
fn fuse(check: Check) -> Outcome {
    let text = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((2, 2), \"float32\")):\n        with R.dataflow():\n            y = R.matmul(x, x)\n            R.output(y)\n        return y\n";
    let module = tilewright::parse_module(&SourceFile::new("product.py", text))?;
    let product = Pattern::op("matmul")?.call(vec![Pattern::wildcard(), Pattern::wildcard()]);
    let pattern = FusionPattern { check: Some(check), ..FusionPattern::new("lib.product", &product) };
    let pass = FuseOpsByPattern { patterns: vec![pattern], ..FuseOpsByPattern::default() };
    tilewright::PassCx::default().run(&pass, module)?;
    Ok(())
}

mod tw0731 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        fuse(std::sync::Arc::new(|found| match found.matched_expr.struct_info.rank() {
            Some(3) => Ok(true),
            _ => Err("`lib.product` takes three dimensions".to_owned()),
        }))
    }

    pub(super) fn right() -> Outcome {
        fuse(std::sync::Arc::new(|found| Ok(found.matched_expr.struct_info.rank() == Some(3))))
    }
}
