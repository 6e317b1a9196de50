//! Models of other frameworks that cannot be imported.

use tilewright::DataType;
use tilewright::import::torch::{Argument, Graph, Input, Node, Options, Target, from_graph};
use tilewright::ir::relax::StructInfo;
use tilewright::support::{SourceFile, Span};

use super::{Outcome, examples};

examples! {
    "imports.rs":
    tw0801 tw0802
}

/// A traced model that gives what one operator of ATen makes of its input, a tensor of 2 by 3.
fn traced(operator: &str, rest: &[Argument]) -> Graph {
    let written: String = rest
        .iter()
        .map(|argument| match argument {
            Argument::Int(value) => format!(", {value}"),
            other => format!(", {other:?}"),
        })
        .collect();
    let text = format!("    return torch.{operator}(x{written})\n");
    let end = text.trim_end().len() as u32;
    let node = Node {
        name: "y".to_owned(),
        target: Target::Rule(operator.to_owned()),
        args: [&[Argument::Node("x".to_owned())], rest].concat(),
        kwargs: Vec::new(),
        said: format!("torch.{operator}"),
        place: Some(Span::new(&SourceFile::part("model.py", text, 6), 4, end)),
        sizes: Vec::new(),
    };
    Graph {
        inputs: vec![Input { name: "x".to_owned(), info: StructInfo::tensor_of(&[2, 3], DataType::F32) }],
        nodes: vec![node],
        output: Argument::Node("y".to_owned()),
        ..Graph::default()
    }
}

mod tw0801 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let graph = traced("det", &[]);
        from_graph(&graph, &Options::default())?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let graph = traced("exp", &[]);
        from_graph(&graph, &Options::default())?;
        Ok(())
    }
}

mod tw0802 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let graph = traced("softmax", &[Argument::Int(2)]);
        from_graph(&graph, &Options::default())?;
        Ok(())
    }

    pub(super) fn right() -> Outcome {
        let graph = traced("softmax", &[Argument::Int(1)]);
        from_graph(&graph, &Options::default())?;
        Ok(())
    }
}
