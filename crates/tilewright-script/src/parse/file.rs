//! Files: from text to a syntax tree, and the definitions in it.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};
use tilewright_ir::GlobalFunc;
use tilewright_ir::op::InferCx;
use tilewright_support::{Diagnostic, Diagnostics, SourceFile, Span, with_stack};

use super::cx::Parser;
use super::metadata::Metadata;
use super::module::{Broken, Functions};
use super::nesting::{TooDeep, too_deep};
use super::recovery::recover;
use super::scopes::Scopes;
use super::value::Value;
use super::{Definition, Host, Item, MAX_NESTING, Names, ParsedFile, Source, codes};

/// Makes indented text the body of a statement, so that offsets of the text stay what they are but for a constant.
const INDENTED: &str = "if 1:\n";

/// Syntax errors that are reported at most; further ones add nothing.
const MAX_SYNTAX_ERRORS: usize = 20;

/// The result of reading a text.
pub(super) struct Reading {
    pub(super) parsed: ParsedFile,
    pub(super) diagnostics: Diagnostics,
}

/// Reads every definition of the text.
pub(super) fn read(source: &Source, host: &dyn Host) -> Reading {
    let file = &source.file;
    let indented = is_indented(&file.text);
    let prefixed = indented.then(|| format!("{INDENTED}{}", file.text));
    let text = prefixed.as_deref().unwrap_or(&file.text);
    let prefix = if indented { INDENTED.len() as u32 } else { 0 };
    if let Some(error) = unreadable(file, text, prefix) {
        return Reading { parsed: ParsedFile::default(), diagnostics: error.into() };
    }
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let recovered = (!parsed.errors().is_empty()).then(|| recover(text));
    let (text, parsed) = recovered.as_ref().map_or((text, &parsed), |recovered| (&recovered.text, &recovered.parsed));
    let left_out = recovered.as_ref().map_or(&[][..], |recovered| &recovered.left_out);
    let mut diagnostics = Diagnostics::default();
    let broken: Vec<TextRange> = parsed.errors().iter().map(Ranged::range).collect();
    let errors = recovered.iter().flat_map(|recovered| &recovered.errors).chain(parsed.errors());
    syntax_errors(file, text, prefix, errors, &mut diagnostics);
    let ast::Mod::Module(tree) = parsed.syntax() else {
        return Reading { parsed: ParsedFile::default(), diagnostics };
    };
    let body: &[ast::Stmt] = match tree.body.first() {
        Some(ast::Stmt::If(indented_body)) if indented => &indented_body.body,
        _ => &tree.body,
    };
    let names =
        source.names.clone().or_else(|| Names::of_imports(body)).unwrap_or_else(|| Names::of_comments(&file.text));
    let parser = Parser {
        file,
        text,
        prefix,
        host,
        names,
        errors: diagnostics.0.len(),
        diagnostics,
        scopes: Scopes::default(),
        metadata: Metadata { given: source.constants.clone(), own: None },
        functions: Functions::default(),
        tir: Default::default(),
        graph: Default::default(),
        infer: InferCx::default(),
        unchecked: source.unchecked,
    };
    read_body(parser, body, Broken { ranges: &broken, left_out })
}

fn read_body<'a>(mut parser: Parser<'a>, body: &'a [ast::Stmt], broken: Broken<'_>) -> Reading {
    for stmt in body {
        parser.metadata_section(stmt);
    }
    let mut parsed = ParsedFile::default();
    for stmt in body {
        let (name, definition) = match stmt {
            ast::Stmt::Assign(assign) => {
                parser.capture(assign);
                continue;
            }
            ast::Stmt::ClassDef(class) => match parser.is_module(class) {
                Ok(true) => (class.name.as_str(), parser.module(class, broken).map(Definition::Module)),
                Ok(false) => {
                    parser.warn_of_plain_class(class);
                    continue;
                }
                Err(_) => continue,
            },
            ast::Stmt::FunctionDef(def) if !matches!(parser.define_macro(def), Ok(false)) => continue,
            ast::Stmt::FunctionDef(def) => match parser.decorator(def) {
                Ok(Some(_)) if broken.touches(def.range()) => continue,
                Ok(Some(decorator)) => {
                    let function = parser.standalone(def, decorator).map(|function| match function {
                        GlobalFunc::Prim(f) => Definition::Prim(f),
                        GlobalFunc::Relax(f) => Definition::Relax(f),
                    });
                    (def.name.as_str(), function)
                }
                _ => continue,
            },
            _ => continue,
        };
        if let Ok(definition) = definition {
            parsed.items.push(Item { name: name.to_owned(), definition, span: parser.span(stmt) });
        }
    }
    Reading { parsed, diagnostics: parser.diagnostics }
}

impl Parser<'_> {
    /// Remembers a literal that is assigned at the top of the file.
    fn capture(&mut self, assign: &ast::StmtAssign) {
        if let [ast::Expr::Name(name)] = assign.targets.as_slice()
            && let Some(value) = literal(&assign.value)
        {
            self.scopes.define(&name.id, value);
        }
    }
}

impl Parser<'_> {
    /// A class that holds functions of the script and is no module has probably lost its decorator.
    fn warn_of_plain_class(&mut self, class: &ast::StmtClassDef) {
        let functions = class.body.iter().filter_map(|stmt| stmt.as_function_def_stmt());
        if class.decorator_list.is_empty() && functions.into_iter().any(|def| self.is_of_the_script(def)) {
            let decorator = self.spell("script.ir.ir_module");
            let message = format!("class `{}` is not read: it is no module", class.name);
            let warning = Diagnostic::warning(codes::DEFINITION, message)
                .at(self.span(&class.name))
                .help(format!("decorate it with `@{decorator}`"));
            self.diagnostics.push(warning);
        }
    }
}

/// The value of a literal, if the expression is one throughout.
fn literal(expr: &ast::Expr) -> Option<Value> {
    with_stack(|| literal_inside(expr))
}

fn literal_inside(expr: &ast::Expr) -> Option<Value> {
    Some(match expr {
        ast::Expr::NumberLiteral(number) => match &number.value {
            ast::Number::Int(int) => Value::Int(int.as_i64()?.into()),
            ast::Number::Float(value) => Value::Float(*value),
            ast::Number::Complex { .. } => return None,
        },
        ast::Expr::BooleanLiteral(literal) => Value::Bool(literal.value),
        ast::Expr::StringLiteral(text) => Value::Str(text.value.to_str().into()),
        ast::Expr::NoneLiteral(_) => Value::None,
        ast::Expr::UnaryOp(unary) if unary.op == ast::UnaryOp::USub => match literal(&unary.operand)? {
            Value::Int(value) => Value::Int(value.checked_neg()?),
            Value::Float(value) => Value::Float(-value),
            _ => return None,
        },
        ast::Expr::Tuple(tuple) => Value::Tuple(tuple.elts.iter().map(literal).collect::<Option<_>>()?),
        ast::Expr::List(list) => Value::Tuple(list.elts.iter().map(literal).collect::<Option<_>>()?),
        _ => return None,
    })
}

/// Whether the first line that says something is indented.
fn is_indented(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    first.is_some_and(|line| line.starts_with([' ', '\t']))
}

/// The error of a text that is not even given to the parser.
fn unreadable(file: &Arc<SourceFile>, text: &str, prefix: u32) -> Option<Diagnostic> {
    if u32::try_from(text.len()).is_err() {
        return Some(Diagnostic::error(codes::NESTING, "the text is longer than 4 GiB"));
    }
    let TooDeep { at, chain } = too_deep(text)?;
    let at = (at as u32).saturating_sub(prefix);
    let span = Span::new(file, at, at + 1);
    Some(if chain {
        Diagnostic::error(codes::NESTING, format!("this chain of operators is longer than {MAX_NESTING}"))
            .at(span)
            .help("split it over several statements: give its parts names, and join the names")
    } else {
        let message = format!("brackets, operators and blocks are nested more than {MAX_NESTING} deep");
        Diagnostic::error(codes::NESTING, message).at(span)
    })
}

/// A sentence as part of another one.
pub(super) fn lower_case(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// One message a line: further ones on a line are probably consequences.
fn syntax_errors<'e>(
    file: &Arc<SourceFile>,
    text: &str,
    prefix: u32,
    errors: impl Iterator<Item = &'e ruff_python_parser::ParseError>,
    diagnostics: &mut Diagnostics,
) {
    let mut errors: Vec<_> = errors.collect();
    errors.sort_by_key(|error| error.location.start());
    // Up to here on the line of the last error that was reported.
    let mut reported = 0;
    for error in errors {
        let start = usize::from(error.location.start()).min(text.len());
        if start < reported {
            continue;
        }
        if diagnostics.0.len() >= MAX_SYNTAX_ERRORS {
            break;
        }
        let rest = text.as_bytes().get(start..).unwrap_or_default();
        reported = start + rest.iter().position(|&byte| byte == b'\n').map_or(rest.len() + 1, |length| length + 1);
        let offset = |at: ruff_text_size::TextSize| u32::from(at).saturating_sub(prefix);
        let span = Span::new(file, offset(error.location.start()), offset(error.location.end()));
        let message = lower_case(&error.error.to_string());
        diagnostics.push(Diagnostic::error(codes::SYNTAX, format!("syntax error: {message}")).at(span));
    }
}
