//! The nodes of a model as a text, a line for each, so that what is made of a node can say where it is from.

use std::sync::Arc;

use tilewright_support::{Origins, SourceFile, Span};

use super::model::Node;

/// Bytes of a name at most.
const MOST_NAME: usize = 120;

/// The lines of a graph's nodes.
#[derive(Debug, Default)]
pub(super) struct Listing(Vec<Origins>);

impl Listing {
    /// Line `n` of the file of this name stands for node `n`, counted from 1: its operator and its name, or that of its
    /// first output.
    pub(super) fn of(file: &str, nodes: &[Node<'_>]) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for node in nodes {
            let start = text.len();
            let output = node.outputs.iter().find(|output| !output.is_empty()).copied().unwrap_or("");
            let name = if node.name.is_empty() { output } else { node.name };
            let end = name.floor_char_boundary(name.len().min(MOST_NAME));
            let line = format!("{} {}", node.op_type, &name[..end]);
            text.extend(line.chars().map(|c| if c.is_control() { ' ' } else { c }));
            ends.push((start, text.len()));
            text.push('\n');
        }
        if text.len() > u32::MAX as usize {
            return Self::default();
        }
        let file: Arc<SourceFile> = SourceFile::new(file, text);
        let lines = ends.into_iter().map(|(start, end)| Origins::at(Span::new(&file, start as u32, end as u32)));
        Self(lines.collect())
    }

    /// The line of a node.
    pub(super) fn line(&self, node: usize) -> Origins {
        self.0.get(node).cloned().unwrap_or_default()
    }
}
