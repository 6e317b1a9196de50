//! Parsing: text to IR, with everything checked and every error found in one go.
//!
//! Reading order: [`Source`], [`Host`], then [`parse_file`], [`parse_module`], [`parse_function`]; inside, `file` (text
//! to syntax tree to definitions), `module` (functions and their signatures), `eval` (expressions of both levels),
//! `tir` and `relax` (the statements of each level).
//!
//! The text is Python by its syntax. Of a file only classes decorated with `I.ir_module`, and functions decorated with
//! `T.prim_func` or `R.function`, are read; imports name the namespaces, literal assignments at the top level are
//! captured, all else is ignored.
//!
//! ```
//! use tilewright_script::parse::{NoHost, parse_module};
//! use tilewright_support::SourceFile;
//!
//! let file = SourceFile::new("relu.py", r#"
//! @I.ir_module
//! class Module:
//!     @T.prim_func
//!     def relu(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
//!         for i in range(4):
//!             with T.block("Y"):
//!                 vi = T.axis.spatial(4, i)
//!                 Y[vi] = T.max(X[vi], 0.0)
//! "#);
//! let module = parse_module(&file, &NoHost).unwrap();
//! assert_eq!(module.prim("relu").unwrap().params.len(), 2);
//! ```
//!
//! After an error reading continues: names that a wrong statement would have bound are poisoned in the parser's own
//! table, and what uses them is silent. No poison gets into IR: a definition with an error is not built.

mod api;
pub mod codes;
mod compare;
mod cx;
mod dims;
mod eval;
mod file;
mod infos;
mod metadata;
mod module;
mod names;
mod nesting;
mod python;
mod recovery;
mod relax;
mod scalars;
mod scopes;
mod splice;
mod star;
mod suggest;
#[cfg(test)]
mod tests;
mod tir;
mod value;

pub use api::{Definition, Host, HostValue, Item, NoHost, ParsedFile, Source};
pub use names::Names;

use tilewright_ir::IRModule;
use tilewright_support::{Diagnostic, Diagnostics, Span};

/// How deep the text may be nested: brackets, operators and indented blocks together.
pub const MAX_NESTING: usize = 20_000;

/// The stack on which a text is read: the syntax tree is dropped recursively.
const STACK: usize = 64 * 1024 * 1024;
/// Stack that may be used before the text is read.
const RESERVE: usize = 64 * 1024;

/// Every name that texts may use, after the usual letters of its namespace: `T.grid`, `R.add`, `I.ir_module`.
pub fn known_names() -> Vec<String> {
    let tir = tir::all_names().into_iter().map(|name| format!("T.{name}"));
    let relax = relax::all_names().map(|name| format!("R.{name}"));
    tir.chain(relax).chain(infos::all_names().map(|name| format!("I.{name}"))).collect()
}

/// All modules and standalone functions of a file, in order.
pub fn parse_file(source: impl Into<Source>, host: &dyn Host) -> Result<ParsedFile, Diagnostics> {
    let source = source.into();
    let file::Reading { mut parsed, diagnostics } =
        stacker::maybe_grow(STACK, STACK + RESERVE, || file::read(&source, host));
    if diagnostics.has_errors() {
        let mut diagnostics = diagnostics;
        diagnostics.0.sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| span.start));
        return Err(diagnostics);
    }
    parsed.warnings = diagnostics;
    Ok(parsed)
}

/// The one module of the text: a decorated class by itself, or a file with exactly one.
pub fn parse_module(source: impl Into<Source>, host: &dyn Host) -> Result<IRModule, Diagnostics> {
    only(source.into(), host, ("module", "`I.ir_module`"), |definition| match definition {
        Definition::Module(module) => Some(module),
        Definition::Prim(_) | Definition::Relax(_) => None,
    })
}

/// The one function of the text outside of modules; never [`Definition::Module`].
pub fn parse_function(source: impl Into<Source>, host: &dyn Host) -> Result<Definition, Diagnostics> {
    only(source.into(), host, ("function", "`T.prim_func` or `R.function`"), |definition| match definition {
        Definition::Module(_) => None,
        function => Some(function),
    })
}

/// The one definition that `pick` takes; `what` is a word for it and the decorators that make one.
fn only<D>(
    source: Source,
    host: &dyn Host,
    what: (&str, &str),
    pick: impl Fn(Definition) -> Option<D>,
) -> Result<D, Diagnostics> {
    let file = source.file.clone();
    let items = parse_file(source, host)?.items;
    let mut found: Vec<(D, Span)> =
        items.into_iter().filter_map(|item| Some((pick(item.definition)?, item.span))).collect();
    let (kind, decorators) = what;
    match (found.pop(), found.as_slice()) {
        (Some((definition, _)), []) => Ok(definition),
        (Some((_, span)), [(_, first), ..]) => {
            let message = format!("expected one {kind}, found several");
            let diagnostic = Diagnostic::error(codes::DEFINITION, message).at(span.headline()).label("another one");
            Err(diagnostic.also(first.headline(), "the first one").into())
        }
        (None, _) => {
            let diagnostic =
                Diagnostic::error(codes::DEFINITION, format!("expected a {kind} in this text, found none"))
                    .at(Span::new(&file, 0, 0))
                    .help(format!("a {kind} is decorated with {decorators}"));
            Err(diagnostic.into())
        }
    }
}
