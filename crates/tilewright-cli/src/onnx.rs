//! ONNX files: models that are read like a module, with the files of their folders that hold tensors.

use std::path::Path;

use tilewright::IRModule;
use tilewright::import::onnx::{self, Options};
use tilewright::runtime::session::ModelInfo;
use tilewright::session::{ExternalFiles, info_of, module_of};
use tilewright::support::Diagnostics;
use tilewright::tensor::SharedBytes;

use crate::failure::{Failure, Outcome};

/// Whether the name of a file says that it is a model of ONNX.
pub(crate) fn is_onnx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"))
}

/// The module of a file.
pub(crate) fn read(path: &Path) -> Outcome<IRModule> {
    let bytes = SharedBytes::map(path).map_err(|error| Failure::file("read", path, &error))?;
    module_of(&bytes, Some(path), &options(path)).map_err(|found| in_file(found, path).into())
}

/// What an executable keeps of the model of a file; none where it is no model of ONNX.
pub(crate) fn info(path: &Path) -> Option<ModelInfo> {
    if !is_onnx(path) {
        return None;
    }
    info_of(&SharedBytes::map(path).ok()?)
}

/// The module of a model that was read from this file.
pub(crate) fn module(path: &Path, model: &onnx::Model<'_>) -> Outcome<IRModule> {
    let files = ExternalFiles::of(path);
    let external = |location: &str, offset: u64, length: Option<u64>| files.part(location, offset, length);
    let resources = onnx::Resources { external: Some(&external), ..onnx::Resources::default() };
    onnx::import(model, &options(path), &resources).map_err(|faults| in_file(faults.diagnostics, path).into())
}

fn options(path: &Path) -> Options {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Options { sanitize_input_names: true, file, ..Options::default() }
}

/// The diagnostics with the name of the file that they are about.
fn in_file(found: Diagnostics, path: &Path) -> Diagnostics {
    let note = |one: tilewright::Diagnostic| one.note(format!("in {}", path.display()));
    Diagnostics(found.0.into_iter().map(note).collect())
}

/// A model's operator sets, inputs, outputs, operators and tensors, as `tilewright inspect` shows them.
pub(crate) fn describe(path: &Path) -> Outcome<String> {
    use std::collections::BTreeMap;
    use std::fmt::Write;
    let bytes = std::fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
    let model = onnx::read(&bytes).map_err(|error| Failure::of_file(path, error))?;
    let mut out = format!("{}: {} bytes\n", path.display(), bytes.len());
    let opsets: Vec<String> = model
        .opsets
        .iter()
        .map(|(domain, version)| match *domain {
            "" => format!("ai.onnx {version}"),
            domain => format!("{domain} {version}"),
        })
        .collect();
    // Writing to a string does not fail.
    let _ = (|| -> std::fmt::Result {
        writeln!(out, "format     ONNX, IR version {}", model.ir_version)?;
        writeln!(out, "producer   {} {}", model.producer, model.producer_version)?;
        writeln!(out, "operators  {}", opsets.join(", "))?;
        for (key, value) in &model.metadata {
            writeln!(out, "{key:<10} {value}")?;
        }
        let held = |name: &str| model.graph.initializers.iter().any(|tensor| tensor.name == name);
        writeln!(out, "\ninputs")?;
        for input in model.graph.inputs.iter().filter(|input| !held(input.name)) {
            writeln!(out, "  {}: {}", input.name, type_text(&input.info))?;
        }
        writeln!(out, "\noutputs")?;
        for output in &model.graph.outputs {
            writeln!(out, "  {}: {}", output.name, type_text(&output.info))?;
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for node in &model.graph.nodes {
            let domain = if node.domain.is_empty() { String::new() } else { format!("{}.", node.domain) };
            *counts.entry(format!("{domain}{}", node.op_type)).or_default() += 1;
        }
        writeln!(out, "\n{} nodes", model.graph.nodes.len())?;
        for (name, count) in counts {
            writeln!(out, "  {count:>6} {name}")?;
        }
        writeln!(out, "\n{} tensors", model.graph.initializers.len())?;
        for tensor in &model.graph.initializers {
            let place = if tensor.is_external { ", in another file" } else { "" };
            writeln!(out, "  {}: {} {:?}{place}", tensor.name, onnx::element_name(tensor.data_type), tensor.dims)?;
        }
        Ok(())
    })();
    Ok(out)
}

fn type_text(info: &onnx::TypeProto<'_>) -> String {
    match info {
        onnx::TypeProto::Tensor { element, dims } => {
            let dims = dims.as_ref().map_or("…".to_owned(), |dims| {
                let text = |dim: &onnx::Dim<'_>| match dim {
                    onnx::Dim::Size(size) => size.to_string(),
                    onnx::Dim::Symbol(name) => (*name).to_owned(),
                    onnx::Dim::Unknown => "?".to_owned(),
                };
                dims.iter().map(text).collect::<Vec<_>>().join(", ")
            });
            format!("{}[{dims}]", onnx::element_name(*element))
        }
        onnx::TypeProto::Sequence(inner) => format!("sequence of {}", type_text(inner)),
        onnx::TypeProto::Optional(inner) => format!("optional {}", type_text(inner)),
        onnx::TypeProto::Other(what) => (*what).to_owned(),
        onnx::TypeProto::Unknown => "unknown".to_owned(),
    }
}
