//! Programs as users write them.

use std::path::Path;

use tilewright_interp::{InterpCx, Value};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::verify::{Form, verify};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_script::parse::{Definition, NoHost, parse_file, parse_module};
use tilewright_support::SourceFile;
use tilewright_tensor::Tensor;

use crate::programs::data;

const NETWORK: &str = r#"
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def linear(x: T.Buffer((1, 6), "float32"), w: T.Buffer((4, 6), "float32"), b: T.Buffer((4,), "float32"),
               z: T.Buffer((1, 4), "float32")):
        T.func_attr({"global_symbol": "linear", "tir.noalias": True})
        y = T.alloc_buffer((1, 4), "float32")
        for i, j, k in T.grid(1, 4, 6):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + x[vi, vk] * w[vj, vk]
        for i, j in T.grid(1, 4):
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                z[vi, vj] = y[vi, vj] + b[vj]

    @R.function
    def main(x: R.Tensor((1, 6), "float32"), w: R.Tensor((4, 6), "float32"), b: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            lv0 = R.call_tir(cls.linear, (x, w, b), out_sinfo=R.Tensor((1, 4), "float32"))
            lv1 = R.call_dps_packed("env.double", (lv0,), out_sinfo=R.Tensor((1, 4), "float32"))
            out = R.nn.relu(lv1)
            R.output(out)
        return out
"#;

fn double(args: &[Value]) -> Result<Value, String> {
    let [Value::Tensor(from), Value::Tensor(to)] = args else { return Err("expected two tensors".to_owned()) };
    let values = from.to_vec::<f32>().map_err(|e| e.to_string())?;
    let doubled: Vec<u8> = values.into_iter().flat_map(|v| (v * 2.0).to_le_bytes()).collect();
    to.overwrite(&doubled).map_err(|e| e.to_string())?;
    Ok(Value::unit())
}

#[test]
fn a_network_of_both_levels_computes_its_formula() {
    let file = SourceFile::new("network.py", NETWORK);
    let module = parse_module(&file, &NoHost).unwrap_or_else(|e| panic!("{e}"));
    verify(&module, Form::Graph).unwrap_or_else(|e| panic!("{e}"));
    let (x, w, b) = (data(&[1, 6], 1), data(&[4, 6], 2), data(&[4], 3));
    let cx = InterpCx::default().with_packed("env.double", double);
    let args = [&x, &w, &b].map(|t| Value::Tensor(t.clone()));
    let out = cx.run_function(&module, "main", &args).unwrap_or_else(|e| panic!("{e}"));
    let [x, w, b] = [x, w, b].map(|t| t.to_vec::<f32>().unwrap());
    let expected: Vec<f32> = (0..4)
        .map(|j| ((0..6).fold(0.0, |sum, k| sum + x[k] * w[j * 6 + k]) + b[j]) * 2.0)
        .map(|v: f32| v.max(0.0))
        .collect();
    assert_eq!(out.as_tensor().unwrap().to_vec::<f32>().unwrap(), expected);
}

#[test]
fn errors_name_the_line_of_the_user() {
    let text = NETWORK.replace("x[vi, vk] * w[vj, vk]", "x[vi, vk] * w[vj, vk + 1]");
    let module = parse_module(&SourceFile::new("network.py", text), &NoHost).unwrap_or_else(|e| panic!("{e}"));
    let cx = InterpCx::default().with_packed("env.double", double);
    let args = [data(&[1, 6], 1), data(&[4, 6], 2), data(&[4], 3)].map(Value::Tensor);
    let error = cx.run_function(&module, "main", &args).unwrap_err().to_string();
    for part in ["index [0, 6] is outside buffer `w`", "block root() / Y(vi = 0, vj = 0, vk = 5)", "network.py:14"] {
        assert!(error.contains(part), "{error}");
    }
}

/// Inputs for the parameters of `main`, where all of them are tensors of constant shape.
fn inputs(module: &IRModule) -> Option<Vec<Value>> {
    let GlobalFunc::Relax(main) = module.get("main")? else { return None };
    main.params
        .iter()
        .zip(1..)
        .map(|(param, seed)| {
            let StructInfo::Tensor { dtype: Some(dtype), .. } = param.struct_info else { return None };
            let shape: Vec<i64> = param.struct_info.dims()?.iter().map(|d| d.as_int()).collect::<Option<_>>()?;
            let tensor = if dtype == tilewright_tensor::DataType::F32 {
                data(&shape, seed)
            } else {
                Tensor::zeros(dtype, &shape).ok()?
            };
            Some(Value::Tensor(tensor))
        })
        .collect()
}

#[test]
fn the_programs_of_the_python_tests_are_well_formed_and_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/tests/programs");
    let mut ran = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "py") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = SourceFile::new(name.clone(), std::fs::read_to_string(&path).unwrap());
        let parsed = parse_file(&file, &NoHost).unwrap_or_else(|e| panic!("{name}:\n{e}"));
        for item in &parsed.items {
            let Definition::Module(module) = &item.definition else { continue };
            verify(module, Form::Graph).unwrap_or_else(|e| panic!("{name}:\n{e}"));
            let Some(args) = inputs(module) else { continue };
            match InterpCx::default().run_function(module, "main", &args) {
                Ok(_) => ran += 1,
                Err(error) => assert!(error.to_string().contains("no packed function"), "{name}: {error}"),
            }
        }
    }
    assert!(ran > 5, "only {ran} programs ran");
}
