//! The text of a preset: a small part of TOML, in which every number says where it comes from.
//!
//! ```text
//! # What the processor is, in comments.
//! base = "znver2"
//! features = ["vpclmulqdq"]
//!
//! [limits]
//! l3_bytes = 33554432 # who measured it, or where it is written
//! ```
//!
//! A line is empty, a comment, a section's name, or `key = value`: a text, a list of texts on one line, or a number
//! with its source in a comment after it.

use tilewright_support::nearest;

use crate::host::Processors;
use crate::numbers::{Field, fields, gpu_fields};

/// A preset as its file has it, without its bases.
#[derive(Debug, Default)]
pub(crate) struct PresetFile {
    pub(crate) arch: Option<String>,
    pub(crate) base: Option<String>,
    /// Extensions that it adds to those of its bases.
    pub(crate) features: Vec<String>,
    /// Units that it adds, which kernels use only where they are asked to.
    pub(crate) units: Vec<String>,
    /// The processors that it describes.
    pub(crate) processors: Vec<Processors>,
    pub(crate) numbers: Vec<Given>,
}

/// A number that a file gives, and its source.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) field: &'static Field,
    pub(crate) value: f64,
    pub(crate) source: String,
}

/// Reads a preset's text. The error names the line.
pub(crate) fn read(text: &str) -> Result<PresetFile, String> {
    let (mut file, mut section) = (PresetFile::default(), "");
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[') {
            section = name.strip_suffix(']').ok_or_else(|| format!("line {}: a section without its end", at + 1))?;
        } else if !line.is_empty() && !line.starts_with('#') {
            read_entry(&mut file, section, line).map_err(|problem| format!("line {}: {problem}", at + 1))?;
        }
    }
    Ok(file)
}

fn read_entry(file: &mut PresetFile, section: &str, line: &str) -> Result<(), String> {
    let (key, value) = line.split_once('=').ok_or_else(|| format!("expected `key = value`, found `{line}`"))?;
    let (key, value) = (key.trim(), value.trim());
    if !section.is_empty() {
        file.numbers.push(read_number(&file.numbers, section, key, value)?);
        return Ok(());
    }
    match key {
        "arch" => file.arch = Some(read_text(value)?),
        "base" => file.base = Some(read_text(value)?),
        "features" => file.features = read_texts(value)?,
        "units" => file.units = read_texts(value)?,
        "processors" => {
            let read = |text: String| Processors::read(&text).ok_or_else(|| format!("`{text}` names no processors"));
            file.processors = read_texts(value)?.into_iter().map(read).collect::<Result<_, _>>()?;
        }
        _ => return Err(format!("unknown key `{key}`")),
    }
    Ok(())
}

fn read_number(known: &[Given], section: &str, key: &str, text: &str) -> Result<Given, String> {
    let own = || fields().chain(gpu_fields()).filter(|field| field.section == section);
    let field = own().find(|field| field.name == key).ok_or_else(|| {
        let near = nearest(key, own().map(|field| field.name)).map(|near| format!(": did you mean `{near}`?"));
        format!("[{section}] has no `{key}`{}", near.unwrap_or_default())
    })?;
    if known.iter().any(|given| given.field == field) {
        return Err(format!("`{key}` is given twice"));
    }
    let (value, source) = text.split_once('#').unwrap_or((text, ""));
    let (value, source) = (value.trim(), source.trim());
    if source.is_empty() {
        return Err(format!("`{key}` does not say what measured it: write the source after a `#`"));
    }
    let value = value.replace('_', "").parse().map_err(|_| format!("`{key}` is `{value}`, which is no number"))?;
    Ok(Given { field, value, source: source.to_owned() })
}

/// `"text"`, without anything that would have to be escaped.
fn read_text(value: &str) -> Result<String, String> {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inside = inside.filter(|text| !text.contains(['"', '\\']));
    inside.map(str::to_owned).ok_or_else(|| format!("expected a text in quotes, found `{value}`"))
}

fn read_texts(value: &str) -> Result<Vec<String>, String> {
    let inside = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inside = inside.ok_or_else(|| format!("expected a list of texts on one line, found `{value}`"))?;
    inside.split(',').map(str::trim).filter(|text| !text.is_empty()).map(read_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_with_the_sources_of_its_numbers() {
        let text = "# About.\n\nbase = \"znver2\"\nfeatures = [\"a\", \"b\"]\n\n[limits]\nl1_bytes = 32_768 # a # b\n[core]\n\
                    fma_latency_cycles = 4.5 # c\n";
        let file = read(text).unwrap();
        assert_eq!(
            (file.base.as_deref(), file.arch, file.features),
            (Some("znver2"), None, vec!["a".into(), "b".into()])
        );
        let numbers: Vec<_> = file.numbers.iter().map(|n| (n.field.name, n.value, n.source.as_str())).collect();
        assert_eq!(numbers, [("l1_bytes", 32768.0, "a # b"), ("fma_latency_cycles", 4.5, "c")]);
    }

    #[test]
    fn errors_name_their_line() {
        for (text, expected) in [
            ("[limits]\nl1_bytes = 1", "line 2: `l1_bytes` does not say what measured it"),
            ("[limits]\nl1_byte = 1 # x", "line 2: [limits] has no `l1_byte`: did you mean `l1_bytes`?"),
            ("[limits]\nl1_bytes = 1 # x\nl1_bytes = 2 # x", "line 3: `l1_bytes` is given twice"),
            ("[limits]\nl1_bytes = many # x", "line 2: `l1_bytes` is `many`, which is no number"),
            ("[core]\nl1_bytes = 1 # x", "line 2: [core] has no `l1_bytes`"),
            ("[limits", "line 1: a section without its end"),
            ("base", "line 1: expected `key = value`"),
            ("base = znver2", "line 1: expected a text in quotes"),
            ("features = \"a\"", "line 1: expected a list of texts"),
            ("feature = []", "line 1: unknown key `feature`"),
            ("processors = [\"x\"]", "line 1: `x` names no processors"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
