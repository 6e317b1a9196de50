//! The parser's inputs and results.

use std::sync::Arc;

use tilewright_ir::relax::{Expr, Function, GlobalVar, StructInfo};
use tilewright_ir::tir::{Buffer, PrimFunc};
use tilewright_ir::{GlobalInfo, IRModule};
use tilewright_support::{Diagnostics, SourceFile, Span};
use tilewright_tensor::{DataType, Tensor};

use super::Names;

/// The text to read and what is known of it from elsewhere.
#[derive(Clone, Debug)]
pub struct Source {
    pub file: Arc<SourceFile>,
    /// The names of the script's namespaces; `None`: by the text's imports, and without any the usual ones (`T`, `R`,
    /// `I`).
    pub names: Option<Names>,
    /// The values of `metadata["relax.expr.Constant"][i]`, where the text itself does not hold them.
    pub constants: Vec<Tensor>,
    /// Names without a value are no errors: `check_well_formed=False`.
    pub unchecked: bool,
}

impl Source {
    pub fn new(file: &Arc<SourceFile>) -> Self {
        Self { file: file.clone(), names: None, constants: Vec::new(), unchecked: false }
    }

    /// Text from which the imports have been cut off, with what they said.
    pub fn with_names(self, names: Names) -> Self {
        Self { names: Some(names), ..self }
    }

    /// The same, of which nothing is checked beyond what reading needs.
    pub fn unchecked(self) -> Self {
        Self { unchecked: true, ..self }
    }

    pub fn with_constants(self, constants: Vec<Tensor>) -> Self {
        Self { constants, ..self }
    }
}

impl From<&Arc<SourceFile>> for Source {
    fn from(file: &Arc<SourceFile>) -> Self {
        Self::new(file)
    }
}

/// Gives values to Python expressions of a script that are not the script's own.
pub trait Host {
    /// The value of the expression, which is the user's text and may span lines. The error is a message for the user.
    fn eval(&self, expression: &str, span: &Span) -> Result<HostValue, String>;

    /// The same where the script gives these names a value.
    fn eval_with(&self, expression: &str, span: &Span, locals: &[(String, HostValue)]) -> Result<HostValue, String> {
        match locals {
            [] => self.eval(expression, span),
            _ => Err("only Python could evaluate this, and the text is read without Python".to_owned()),
        }
    }

    /// Whether no name means anything to this host: then an expression fails for its first name.
    fn knows_nothing(&self) -> bool {
        false
    }
}

/// The kinds of values that a [`Host`] can return.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HostValue {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(String),
    /// A tuple or list.
    Tuple(Vec<HostValue>),
    /// A dict with texts as keys.
    Dict(Vec<(String, HostValue)>),
    DType(DataType),
    /// A constant of a graph; it is read-only.
    Tensor(Tensor),
    /// A value of a graph, made of the values that were handed over.
    Graph(Expr),
    /// A scalar expression, such as a symbolic dimension.
    Scalar(tilewright_expr::Expr),
    Buffer(Buffer),
    StructInfo(StructInfo),
    /// A function of the module that is being read, by its name.
    GlobalVar(GlobalVar),
    /// The module that is being read: those of its functions whose signature is known.
    Module(Vec<GlobalVar>),
    /// A global info of a module, such as a device.
    GlobalInfo(GlobalInfo),
    /// A function that the module takes in where it is used.
    PrimFunc(Arc<PrimFunc>),
    /// The same of the other level; it names no further functions.
    Function(Arc<Function>),
}

/// The host where there is no Python: every expression that is not the script's own is an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn eval(&self, expression: &str, _: &Span) -> Result<HostValue, String> {
        Err(if expression.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            "not found in this scope".to_owned()
        } else {
            "only Python could evaluate this, and the text is read without Python".to_owned()
        })
    }

    fn knows_nothing(&self) -> bool {
        true
    }
}

/// A module, or a function outside of modules, in a file.
#[derive(Clone, Debug)]
pub enum Definition {
    Module(IRModule),
    Prim(Arc<PrimFunc>),
    Relax(Arc<Function>),
}

/// A definition of a file.
#[derive(Clone, Debug)]
pub struct Item {
    /// The name of the class or function.
    pub name: String,
    pub definition: Definition,
    /// From the first decorator on.
    pub span: Span,
}

/// The definitions of a file, in order.
#[derive(Clone, Debug, Default)]
pub struct ParsedFile {
    pub items: Vec<Item>,
    pub warnings: Diagnostics,
}

impl ParsedFile {
    pub fn get(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.name == name)
    }

    /// The module of this name; without a name the only one.
    pub fn module(&self, name: Option<&str>) -> Option<&IRModule> {
        let mut modules =
            self.items.iter().filter(|item| name.is_none_or(|name| item.name == name)).filter_map(|item| {
                match &item.definition {
                    Definition::Module(module) => Some(module),
                    Definition::Prim(_) | Definition::Relax(_) => None,
                }
            });
        let first = modules.next();
        if modules.next().is_some() { None } else { first }
    }
}
