//! Text that no page can show, forms of modules, and what passes and code generation refuse.

use tilewright::build::link::{KernelObject, link_kernels};
use tilewright::ir::Attrs;
use tilewright::ir::low::LowTir;
use tilewright::ir::relax::{
    Binding, BindingBlock, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, TensorShape, Var,
};
use tilewright::relax_passes::{BindParams, BindSymbolicVars, CallTIRRewrite, ParamKey};
use tilewright::support::{Origins, SourceFile};
use tilewright::vm_program::{FunctionBuilder, ProgramBuilder};
use tilewright::{DataType, IRModule, PassCx, Tensor, build, tir_passes};

use super::{Outcome, examples};

examples! {
    "forms.rs":
    tw0102 tw0553 tw0603 tw0604 tw0701 tw0702 tw0703 tw0704 tw0705 tw0721
}

/// A module of a PrimFunc and a graph function.
const MODEL: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def double(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            B[i, j] = A[i, j] * 2.0

    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), weight: R.Tensor((3, 4), "float32")):
        with R.dataflow():
            y = R.matmul(x, weight)
            R.output(y)
        return y
"#;

fn model() -> Result<IRModule, Box<dyn std::error::Error>> {
    Ok(tilewright::parse_module(&SourceFile::new("model.py", MODEL))?)
}

/// Parses a PrimFunc whose one statement stores this value.
fn parse(value: &str) -> Outcome {
    let text = format!("@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\"), x: T.float32):\n    A[0] = {value}\n");
    tilewright::script::parse::parse_function(&SourceFile::new("model.py", text), &tilewright::script::parse::NoHost)?;
    Ok(())
}

mod tw0102 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let depth = 20_001;
        parse(&format!("{}x{}", "(".repeat(depth), ")".repeat(depth)))
    }

    pub(super) fn right() -> Outcome {
        let depth = 19_990;
        parse(&format!("{}x{}", "(".repeat(depth), ")".repeat(depth)))
    }
}

mod tw0553 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let module = model()?;
        let function = module.prim("double").ok_or("no PrimFunc")?;
        LowTir::new("double", (**function).clone())?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let module = model()?;
        let function = module.prim("double").ok_or("no PrimFunc")?;
        let low = tir_passes::lower("double", function)?;
        LowTir::new("double", low.function().clone())?;
        Ok(())
    }
}

mod tw0603 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let names = ["kernel".to_owned()];
        let object = KernelObject { elf: b"no object", symbol: "kernel", names: &names };
        link_kernels([object]).map_err(|error| build::link_error(&error))?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        // `compile` makes objects that it can link.
        tilewright::compile(&model()?, &tilewright::CompileOptions::default())?;
        Ok(())
    }
}

mod tw0604 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let mut program = ProgramBuilder::default();
        // A function that never returns.
        program.function(FunctionBuilder::new("main"));
        program.finish().map_err(|error| build::defect(&error))?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let mut program = ProgramBuilder::default();
        let mut main = FunctionBuilder::new("main");
        let unit = main.make_tuple(&[]);
        main.ret(unit);
        program.function(main);
        program.finish().map_err(|error| build::defect(&error))?;
        Ok(())
    }
}

mod tw0701 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let weight = (ParamKey::Name("weight".into()), Tensor::from_vec(&[3, 4], vec![1.0f32; 12])?);
        PassCx::default().run(&BindParams::new("double", [weight]), model()?)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let weight = (ParamKey::Name("weight".into()), Tensor::from_vec(&[3, 4], vec![1.0f32; 12])?);
        PassCx::default().run(&BindParams::new("main", [weight]), model()?)?;
        Ok(())
    }
}

mod tw0702 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let weight = (ParamKey::Name("wieght".into()), Tensor::from_vec(&[3, 4], vec![1.0f32; 12])?);
        PassCx::default().run(&BindParams::new("main", [weight]), model()?)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let weight = (ParamKey::Name("weight".into()), Tensor::from_vec(&[3, 4], vec![1.0f32; 12])?);
        PassCx::default().run(&BindParams::new("main", [weight]), model()?)?;
        Ok(())
    }
}

mod tw0703 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let weight = (ParamKey::Name("weight".into()), Tensor::from_vec(&[4, 3], vec![1.0f32; 12])?);
        PassCx::default().run(&BindParams::new("main", [weight]), model()?)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let weight = (ParamKey::Name("weight".into()), Tensor::from_vec(&[3, 4], vec![1.0f32; 12])?);
        PassCx::default().run(&BindParams::new("main", [weight]), model()?)?;
        Ok(())
    }
}

mod tw0704 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let sizes = [("n".to_owned(), 8)];
        PassCx::default().run(&BindSymbolicVars::of_function("mian", sizes), model()?)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let sizes = [("n".to_owned(), 8)];
        PassCx::default().run(&BindSymbolicVars::of_function("main", sizes), model()?)?;
        Ok(())
    }
}

mod tw0705 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let sizes = [("n".to_owned(), -8)];
        PassCx::default().run(&BindSymbolicVars::of_function("main", sizes), model()?)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let sizes = [("n".to_owned(), 8)];
        PassCx::default().run(&BindSymbolicVars::of_function("main", sizes), model()?)?;
        Ok(())
    }
}

/// A graph function that calls `my.copy` for a result of this struct info.
fn calling(result: StructInfo) -> IRModule {
    let x = Var::new("x", StructInfo::tensor_of(&[4], DataType::F32));
    let callee = Callee::DpsPacked("my.copy".into());
    let kind =
        ExprKind::Call { callee, args: vec![Expr::var(&x)], attrs: Attrs::new(), sinfo_args: vec![result.clone()] };
    let y = Var::new("y", result.clone());
    let bindings = vec![Binding::new(y.clone(), Expr::raw(result.clone(), kind), Origins::default())];
    let body = SeqExpr { blocks: vec![BindingBlock { dataflow: false, bindings }], result: Expr::var(&y) };
    let function =
        Function { params: vec![x], ret: result, body, pure: true, attrs: Attrs::new(), origins: Origins::default() };
    let mut module = IRModule::new();
    module.insert("main", function);
    module
}

mod tw0721 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let module = calling(StructInfo::tensor_with(TensorShape::Rank(1), Some(DataType::F32)));
        // With verification, TW0531 says so before the pass.
        let mut cx = PassCx { verify: false, ..PassCx::default() };
        cx.run(&CallTIRRewrite, module)?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let module = calling(StructInfo::tensor_of(&[4], DataType::F32));
        PassCx::default().run(&CallTIRRewrite, module)?;
        Ok(())
    }
}
