//! Graphs built by hand, and what the tests ask of them.

use std::sync::Arc;

use tilewright_interp::{InterpCx, Value};
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::pass::{Pass, PassCx};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, Var,
};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_relax_passes::{
    CallTIRRewrite, DeadCodeElimination, LegalizeOps, Normalize, StaticPlanBlockMemory, ToNonDataflow,
};
use tilewright_support::{Origins, SourceFile, Span};
use tilewright_tensor::{DataType, Tensor};

pub(crate) const F32: DataType = DataType::F32;

pub(crate) fn tensor_info(shape: &[i64]) -> StructInfo {
    StructInfo::tensor_of(shape, F32)
}

/// A function under construction, with one dataflow block.
pub(crate) struct Build {
    pub(crate) cx: InferCx,
    params: Vec<Var>,
    bindings: Vec<Binding>,
    file: Arc<SourceFile>,
}

impl Build {
    pub(crate) fn new() -> Self {
        let file = SourceFile::new("graph.py", "\n".repeat(100));
        Self { cx: InferCx::default(), params: Vec::new(), bindings: Vec::new(), file }
    }

    pub(crate) fn param(&mut self, name: &str, info: StructInfo) -> Expr {
        let var = Var::new(name, info);
        self.params.push(var.clone());
        Expr::var(&var)
    }

    /// Binds the value; its origin is the line of its number.
    pub(crate) fn bind(&mut self, value: Result<Expr, InferError>) -> Expr {
        let value = value.unwrap();
        let line = self.bindings.len() as u32;
        let var = Var::dataflow("lv", value.struct_info.clone());
        self.bindings.push(Binding::new(var.clone(), value, Origins::at(Span::new(&self.file, line, line))));
        Expr::var(&var)
    }

    /// Binds the value by `match_cast` to what is known of it already.
    pub(crate) fn cast(&mut self, value: &Expr) -> Expr {
        let struct_info = value.struct_info.clone();
        let var = Var::dataflow("lv", struct_info.clone());
        let value = BindingValue::MatchCast { value: value.clone(), struct_info };
        self.bindings.push(Binding { value, var: var.clone(), origins: Origins::default() });
        Expr::var(&var)
    }

    pub(crate) fn finish(self, result: &Expr) -> Function {
        let out = Var::new("out", result.struct_info.clone());
        let mut bindings = self.bindings;
        bindings.push(Binding::new(out.clone(), result.clone(), Origins::default()));
        let body = SeqExpr { blocks: vec![BindingBlock { dataflow: true, bindings }], result: Expr::var(&out) };
        function(self.params, body)
    }
}

pub(crate) fn function(params: Vec<Var>, body: SeqExpr) -> Function {
    Function {
        params,
        ret: body.result.struct_info.clone(),
        body,
        pure: true,
        attrs: Attrs::from([("global_symbol".into(), Attr::str("main"))]),
        origins: Origins::default(),
    }
}

pub(crate) fn module_of(function: Function) -> IRModule {
    let mut module = IRModule::new();
    module.insert("main", function);
    module
}

pub(crate) fn run(pass: &dyn Pass, module: &IRModule) -> IRModule {
    PassCx::default().run(pass, module.clone()).unwrap()
}

/// Runs a pass on a module that is not well-formed before it: effects in a dataflow block.
pub(crate) fn run_unchecked(pass: &dyn Pass, module: &IRModule) -> IRModule {
    PassCx { verify: false, ..PassCx::default() }.run(pass, module.clone()).unwrap()
}

pub(crate) fn message(pass: &dyn Pass, module: &IRModule) -> String {
    PassCx::default().run(pass, module.clone()).unwrap_err().to_string()
}

/// The passes of a build, in order.
pub(crate) fn pipeline() -> Vec<Box<dyn Pass>> {
    vec![
        Box::new(Normalize),
        Box::new(LegalizeOps::default()),
        Box::new(DeadCodeElimination::default()),
        Box::new(ToNonDataflow),
        Box::new(CallTIRRewrite),
        Box::new(StaticPlanBlockMemory),
    ]
}

pub(crate) fn bindings(module: &IRModule) -> Vec<Binding> {
    let main = module.relax("main").unwrap();
    main.body.blocks.iter().flat_map(|b| b.bindings.clone()).collect()
}

/// The callee of each binding of `main`, or `-`.
pub(crate) fn calls(module: &IRModule) -> Vec<String> {
    let name = |binding: &Binding| match &binding.value {
        BindingValue::Expr(value) => match &value.kind {
            ExprKind::Call { callee: Callee::Op(op), .. } => op.name.to_owned(),
            ExprKind::Call { callee: Callee::Tir(f), .. } => format!("call_tir {}", f.name),
            ExprKind::Call { callee: Callee::DpsPacked(f), .. } => format!("call_dps_packed {f}"),
            ExprKind::Call { callee: Callee::Packed(f), .. } => format!("call_packed {f}"),
            ExprKind::Call { callee: Callee::Value(f), .. } => match &f.kind {
                ExprKind::GlobalVar(f) => format!("call {}", f.name),
                _ => "call".into(),
            },
            _ => "-".into(),
        },
        BindingValue::MatchCast { .. } => "match_cast".into(),
    };
    bindings(module).iter().map(name).collect()
}

pub(crate) fn functions(module: &IRModule) -> Vec<String> {
    module.sorted().iter().map(|(name, _)| name.to_string()).collect()
}

/// Numbers of both signs, the same every time.
pub(crate) fn numbers(shape: &[i64], seed: u32) -> Tensor {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    let count = shape.iter().product::<i64>();
    let values = (0..count).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    });
    Tensor::from_vec(shape, values.collect::<Vec<_>>()).unwrap()
}

pub(crate) fn interpret(module: &IRModule, args: &[Tensor]) -> Tensor {
    let args: Vec<Value> = args.iter().cloned().map(Value::Tensor).collect();
    let cx = InterpCx::new(7).with_packed("env.double", |args| {
        let [x, y] = args else { return Err("expected two tensors".into()) };
        let (x, y) = (x.as_tensor().cloned().ok_or("x")?, y.as_tensor().cloned().ok_or("y")?);
        let doubled = x.to_vec::<f32>().map_err(|e| e.to_string())?.into_iter().flat_map(|v| (v * 2.0).to_ne_bytes());
        y.overwrite(&doubled.collect::<Vec<u8>>()).map_err(|e| e.to_string())?;
        Ok(Value::unit())
    });
    match cx.run_function(module, "main", &args) {
        Ok(value) => value.as_tensor().unwrap().clone(),
        Err(error) => panic!("{error:?}"),
    }
}

/// Runs all passes of a build; after each, the module computes `expected`.
pub(crate) fn means_the_same(module: &IRModule, args: &[Tensor], expected: &[f32]) -> IRModule {
    let check = |module: &IRModule, after: &str| {
        let found = interpret(module, args).to_vec::<f32>().unwrap();
        assert_eq!(found.len(), expected.len(), "after {after}");
        for (i, (a, b)) in found.iter().zip(expected).enumerate() {
            assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "element {i} after {after}: {a} is not {b}");
        }
    };
    check(module, "nothing");
    pipeline().iter().fold(module.clone(), |module, pass| {
        let module = run(pass.as_ref(), &module);
        check(&module, pass.info().name);
        module
    })
}
