//! The state of one parse: the source, names in scope, and the diagnostics found so far.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextRange};
use tilewright_ir::op::InferCx;
use tilewright_support::{Diagnostic, Diagnostics, Origins, Severity, SourceFile, Span, nearest, with_stack};

use super::metadata::Metadata;
use super::module::Functions;
use super::scopes::Scopes;
use super::value::Value;
use super::{Host, Names, codes};

/// Errors that are kept at most: more are of no use, and a wrong text can have one for each of its words.
const MAX_ERRORS: usize = 1_000;

/// Errors for which the names in scope are searched for a similar one: there may be as many names as errors.
pub(super) const MAX_HINTS: usize = 100;

/// An error that has been put into the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// A result whose error has been reported.
pub(super) type Res<T> = Result<T, Reported>;

/// Reads one file.
pub(super) struct Parser<'a> {
    pub(super) file: &'a Arc<SourceFile>,
    /// The text to which the syntax tree's offsets refer: the file's text after [`Parser::prefix`] bytes.
    pub(super) text: &'a str,
    /// Bytes that precede the file's own text, so that indented text is a valid module.
    pub(super) prefix: u32,
    pub(super) host: &'a dyn Host,
    pub(super) names: Names,
    pub(super) diagnostics: Diagnostics,
    /// The number of errors among them.
    pub(super) errors: usize,
    pub(super) scopes: Scopes,
    pub(super) metadata: Metadata,
    /// The functions of the module that is being read.
    pub(super) functions: Functions<'a>,
    pub(super) tir: super::tir::Tir,
    pub(super) graph: super::relax::Graph,
    pub(super) infer: InferCx,
    /// Names without a value are no errors.
    pub(super) unchecked: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn span(&self, node: &impl Ranged) -> Span {
        let range = node.range();
        let offset = |at: ruff_text_size::TextSize| u32::from(at).saturating_sub(self.prefix);
        Span::new(self.file, offset(range.start()), offset(range.end()))
    }

    pub(super) fn origins(&self, node: &impl Ranged) -> Origins {
        Origins::at(self.span(node))
    }

    /// The user's text of a node.
    pub(super) fn text_of(&self, node: &impl Ranged) -> &'a str {
        self.text.get(node.range().to_std_range()).unwrap_or_default()
    }

    /// The number of errors so far; warnings do not count.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        if self.errors <= MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Reports an error at a location: the message, and the label under the underline.
    pub(super) fn fail(
        &mut self,
        code: &'static str,
        node: &impl Ranged,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Reported {
        let span = self.span(node);
        self.report(Diagnostic::error(code, message).at(span).label(label))
    }

    /// Reports a value of the wrong kind.
    pub(super) fn wrong_kind(&mut self, node: &impl Ranged, expected: &str, found: &Value) -> Reported {
        match found {
            Value::Poison => Reported,
            _ => {
                let found = found.describe();
                self.fail(codes::KIND, node, format!("expected {expected}, found {found}"), found)
            }
        }
    }

    /// Unreadable parts have been reported: nothing is dropped silently.
    pub(super) fn told(&mut self, stmt: &impl Ranged, read: Res<()>) {
        if read.is_err() && self.errors == 0 {
            self.fail(codes::FORM, stmt, "this statement cannot be read", "");
        }
    }

    /// Reports a statement that Python has and `what` has not.
    pub(super) fn no_statement(&mut self, stmt: &ast::Stmt, what: &str) -> Reported {
        let text = self.text_of(stmt);
        let end = text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len());
        let message = match stmt {
            ast::Stmt::AugAssign(_) => format!("an assignment that calculates is not part of {what}"),
            _ if end > 0 => format!("`{}` is not part of {what}", &text[..end]),
            _ => format!("this statement of Python is not part of {what}"),
        };
        let mut diagnostic = Diagnostic::error(codes::FORM, message).at(self.span(stmt));
        if let Some(help) = instead_of(stmt) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    /// `async for`, `async with`.
    pub(super) fn no_async(&mut self, is_async: bool, stmt: &impl Ranged) {
        if is_async {
            self.fail(codes::FORM, stmt, "remove `async`: the text of a function is compiled, never awaited", "");
        }
    }

    /// A call whose arguments have no names.
    pub(super) fn no_keywords(&mut self, call: &ast::ExprCall) -> Res<()> {
        match call.arguments.keywords.first() {
            Some(keyword) => {
                Err(self.fail(codes::ARGUMENTS, keyword, "arguments are positional here", "unexpected name"))
            }
            None => Ok(()),
        }
    }

    /// A diagnostic with a hint to a name that the user may have meant.
    pub(super) fn unknown<'n>(
        &mut self,
        code: &'static str,
        node: &impl Ranged,
        message: String,
        name: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Reported {
        let mut diagnostic = Diagnostic::error(code, message).at(self.span(node));
        if self.errors < MAX_HINTS
            && let Some(near) = nearest(name, candidates)
        {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic)
    }

    /// The dotted path below the package that an expression names, unless a local definition has that name.
    pub(super) fn path(&self, expr: &ast::Expr) -> Option<String> {
        match expr {
            ast::Expr::Name(name) if self.scopes.get(&name.id).is_none() => match self.names.get(&name.id) {
                Some(meaning) => Some(meaning.to_owned()),
                // The bare spellings of 2022.
                None if ["Tensor", "Object", "Shape"].contains(&name.id.as_str()) => {
                    Some(format!("script.relax.{}", name.id))
                }
                None => None,
            },
            ast::Expr::Attribute(attribute) => {
                let outer = with_stack(|| self.path(&attribute.value))?;
                let path = format!("{outer}.{}", attribute.attr);
                Some(super::names::canonical(&path))
            }
            _ => None,
        }
    }

    /// The path of what a call calls.
    pub(super) fn call_path<'e>(&self, expr: &'e ast::Expr) -> Option<(String, &'e ast::ExprCall)> {
        match expr {
            ast::Expr::Call(call) => Some((self.path(&call.func)?, call)),
            _ => None,
        }
    }

    /// The spelling in this file of the thing at this dotted path, such as `T.grid` for `script.tir.grid`.
    pub(super) fn spell(&self, path: &str) -> String {
        for (namespace, usual) in [("script.tir", "T"), ("script.relax", "R"), ("script.ir", "I")] {
            if let Some(rest) = path.strip_prefix(namespace) {
                return format!("{}{rest}", self.names.spelling_of(namespace).unwrap_or(usual));
            }
        }
        path.to_owned()
    }

    /// Runs `f` with a scope of its own for names.
    pub(super) fn scoped<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.open();
        let result = f(self);
        self.scopes.close();
        result
    }
}

/// A suggestion for a statement of Python that no function, or no graph, has.
fn instead_of(stmt: &ast::Stmt) -> Option<&'static str> {
    Some(match stmt {
        ast::Stmt::AugAssign(_) => "write it out, such as `x = R.add(x, y)`",
        ast::Stmt::For(_) | ast::Stmt::While(_) => {
            "loops belong in a PrimFunc, which the graph calls; a graph repeats by calling a function of the module"
        }
        ast::Stmt::Break(_) | ast::Stmt::Continue(_) => "let the condition of a `while` or an `if` say when to go on",
        ast::Stmt::Raise(_) => "a condition that has to hold is an `assert`",
        ast::Stmt::Import(_)
        | ast::Stmt::ImportFrom(_)
        | ast::Stmt::Try(_)
        | ast::Stmt::Global(_)
        | ast::Stmt::Nonlocal(_)
        | ast::Stmt::ClassDef(_)
        | ast::Stmt::Delete(_) => "the text is compiled, not run: code for Python belongs outside of the function",
        _ => return None,
    })
}

/// Arguments by parameter, in the order of the parameters.
pub(super) type Bound<'e> = Vec<Option<&'e ast::Expr>>;

impl Parser<'_> {
    /// Matches a call's arguments to parameters; `|` separates the spellings of one. The first `required` have to be
    /// given.
    pub(super) fn bind<'e>(
        &mut self,
        call: &'e ast::ExprCall,
        params: &[&'static str],
        required: usize,
    ) -> Res<Bound<'e>> {
        let what = self.text_of(&*call.func).to_owned();
        let mut bound: Bound<'e> = vec![None; params.len()];
        let given = &call.arguments.args;
        if let Some(star) = given.iter().find(|arg| arg.is_starred_expr()) {
            return Err(self.fail(codes::FORM, star, "unpacked arguments are not read", "write the arguments out"));
        }
        if given.len() > params.len() {
            let extra = &given[params.len()];
            let message = format!("`{what}` takes {}, found {}", count(params.len(), "argument"), given.len());
            return Err(self.fail(codes::ARGUMENTS, extra, message, "unexpected argument"));
        }
        for (slot, arg) in bound.iter_mut().zip(given) {
            *slot = Some(arg);
        }
        for keyword in &call.arguments.keywords {
            let Some(name) = keyword.arg.as_ref().map(|name| name.as_str()) else {
                return Err(self.fail(
                    codes::FORM,
                    keyword,
                    "unpacked arguments are not read",
                    "write the arguments out",
                ));
            };
            match params.iter().position(|param| param.split('|').any(|spelling| spelling == name)) {
                Some(at) if bound[at].is_some() => {
                    return Err(self.fail(
                        codes::ARGUMENTS,
                        keyword,
                        format!("`{name}` of `{what}` is given twice"),
                        "",
                    ));
                }
                Some(at) => bound[at] = Some(&keyword.value),
                None => {
                    let message = format!("`{what}` has no argument `{name}`");
                    let known = params.iter().flat_map(|param| param.split('|'));
                    return Err(self.unknown(codes::ARGUMENTS, keyword, message, name, known));
                }
            }
        }
        if let Some(missing) = (0..required).find(|&at| bound[at].is_none()) {
            let name = params[missing].split('|').next().unwrap_or_default();
            let range = TextRange::new(call.func.range().start(), call.arguments.range().end());
            return Err(self.fail(codes::ARGUMENTS, &range, format!("`{what}` needs the argument `{name}`"), ""));
        }
        Ok(bound)
    }
}

/// `1 index`, `2 indices`: a number with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "index") => format!("{number} indices"),
        (_, "axis") => format!("{number} axes"),
        _ => format!("{number} {noun}s"),
    }
}
