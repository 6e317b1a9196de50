//! ONNX files: models that are read like a module, with the files of their folders that hold tensors.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tilewright::IRModule;
use tilewright::import::onnx::{self, Options};
use tilewright::support::Diagnostics;

use crate::failure::{Failure, Outcome};

/// Whether the name of a file says that it is a model of ONNX.
pub(crate) fn is_onnx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"))
}

/// The module of a file.
pub(crate) fn read(path: &Path) -> Outcome<IRModule> {
    let bytes = std::fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
    let folder = folder_of(path);
    let external = |location: &str, offset: u64, length: Option<u64>| read_in_folder(&folder, location, offset, length);
    onnx::from_onnx(&bytes, &options(path), Some(&external)).map_err(|faults| in_file(faults.diagnostics, path).into())
}

/// The module of a model that was read from this file.
pub(crate) fn module(path: &Path, model: &onnx::Model<'_>) -> Outcome<IRModule> {
    let folder = folder_of(path);
    let external = |location: &str, offset: u64, length: Option<u64>| read_in_folder(&folder, location, offset, length);
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

/// The folder of a model.
pub fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// A part of a file in the folder of a model. A link that leads out of the folder is refused.
///
/// # Errors
/// If there is no such part, or if it is outside of the folder.
pub fn read_in_folder(folder: &Path, location: &str, offset: u64, length: Option<u64>) -> Result<Vec<u8>, String> {
    let text = |error: std::io::Error| error.to_string();
    let (inside, path) = (folder.canonicalize().map_err(text)?, folder.join(location).canonicalize().map_err(text)?);
    if !path.starts_with(&inside) {
        return Err("a link that leads out of the model's folder, which is not read".to_owned());
    }
    let mut file = File::open(path).map_err(text)?;
    let size = file.metadata().map_err(text)?.len();
    let left =
        size.checked_sub(offset).ok_or_else(|| format!("it has {size} bytes, and its part begins at {offset}"))?;
    let length = length.unwrap_or(left);
    if length > left {
        return Err(format!("it has {left} bytes from {offset} on, and {length} are needed"));
    }
    file.seek(SeekFrom::Start(offset)).map_err(text)?;
    let mut bytes = vec![0; usize::try_from(length).map_err(|error| error.to_string())?];
    file.read_exact(&mut bytes).map_err(text)?;
    Ok(bytes)
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
