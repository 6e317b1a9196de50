//! Modules: the functions of a class, each with a signature that the others can rely on.
//!
//! PrimFuncs come first; then every Relax function's header; then the bodies. A Relax function without a return
//! annotation, or whose decorator does not say whether it is pure, has no signature until its body is read, so a call
//! of one reads its body first. Functions that call each other in a circle that way are an error that names them,
//! unless purity alone is unknown: they take each other for pure, and one that is not has to say so.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextRange};
use tilewright_ir::analysis::used_global_vars;
use tilewright_ir::relax::{Expr, ExprKind, GlobalVar, StructInfo, VDevice};
use tilewright_ir::tir::attr_names;
use tilewright_ir::{Attr, Attrs, GlobalFunc, GlobalInfo, IRModule};
use tilewright_support::{Diagnostic, OrderedMap, Span, nearest};

use super::codes;
use super::cx::{Parser, Reported, Res};
use super::relax::Header;
use super::value::Value;

const IR_MODULE: &str = "script.ir.ir_module";
/// A class that says what is rewritten into what is read as a module of both.
const REWRITER: &str = "script.relax.rewriter";
const PRIM_FUNC: &str = "script.tir.prim_func";
const RELAX_FUNCTION: &str = "script.relax.function";

/// Whether the dotted path is a name of the script's language.
fn in_a_namespace(path: &str) -> bool {
    ["script.tir.", "script.relax.", "script.ir."].iter().any(|namespace| path.starts_with(namespace))
}

/// The function that a decorator names, and the call if it has arguments.
fn called(decorator: &ast::Decorator) -> (&ast::Expr, Option<&ast::ExprCall>) {
    match &decorator.expression {
        ast::Expr::Call(call) => (&call.func, Some(call)),
        plain => (plain, None),
    }
}

/// The arguments of a function's decorator.
#[derive(Clone, Debug)]
pub(super) struct Decorator {
    pub(super) kind: Kind,
    pub(super) private: bool,
    /// Of a Relax function; `None` without an argument.
    pub(super) pure: Option<bool>,
    /// Pure, whatever its calls say of themselves.
    pub(super) forced: bool,
    /// Names without a value are no errors: `check_well_formed=False`.
    pub(super) unchecked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Prim,
    Relax,
}

/// The progress of reading a function.
#[derive(Debug)]
enum Progress {
    Waiting,
    Header(Box<Header>),
    Reading {
        signature: Option<StructInfo>,
    },
    Done(GlobalFunc),
    /// In error, which has been reported; with the signature where the header has one.
    Failed {
        signature: Option<StructInfo>,
    },
}

impl Progress {
    const FAILED: Self = Self::Failed { signature: None };
}

#[derive(Debug)]
struct Entry<'a> {
    def: &'a ast::StmtFunctionDef,
    decorator: Decorator,
    progress: Progress,
}

/// The functions of the module that is being read.
#[derive(Debug, Default)]
pub(super) struct Functions<'a> {
    /// The name of the class; empty for a function outside of modules.
    pub(super) module: String,
    /// The module is not to be checked.
    pub(super) unchecked: bool,
    entries: OrderedMap<Arc<str>, Entry<'a>>,
    /// The global infos of the module.
    pub(super) global_infos: BTreeMap<Arc<str>, Vec<GlobalInfo>>,
    /// Functions whose text does not parse, which has been reported.
    left_out: Vec<Arc<str>>,
    /// Names of the functions whose bodies are being read, outermost first.
    reading: Vec<Arc<str>>,
    /// Functions that others take for pure although nothing declares it, with the first location of each.
    taken_for_pure: OrderedMap<Arc<str>, Span>,
    /// Functions of the runtime that the class names.
    externs: OrderedMap<Arc<str>, Expr>,
    /// Functions of the host that the module takes in, as they were, by their names here.
    taken_in: OrderedMap<Arc<str>, GlobalFunc>,
}

impl<'a> Functions<'a> {
    pub(super) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name) || self.left_out.iter().any(|known| **known == *name)
    }

    /// Whether a function is in error, which has been reported.
    pub(super) fn is_in_error(&self, name: &str) -> bool {
        self.entries.get(name).is_some_and(|entry| matches!(entry.progress, Progress::Failed { .. }))
    }

    /// Whether the name is the module or one of its functions.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.contains(name) || (!self.module.is_empty() && self.module == name)
    }

    /// The devices that the module names.
    pub(super) fn vdevices(&self) -> impl Iterator<Item = &VDevice> {
        self.global_infos.get(GlobalInfo::VDEVICES).into_iter().flatten().filter_map(|info| match info {
            GlobalInfo::VDevice(device) => Some(device),
            GlobalInfo::Dummy => None,
        })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(|name| &**name)
    }

    /// What a name of the class means that is no function of its text.
    pub(super) fn named(&self, name: &str) -> Option<Value> {
        let taken_in = || {
            let function = self.taken_in.get(name)?;
            Some(Value::Global(GlobalVar { name: name.into(), signature: function.signature() }))
        };
        self.externs.get(name).cloned().map(Value::Graph).or_else(taken_in)
    }

    /// The annotation of a function's result.
    pub(super) fn returns_of(&self, name: &str) -> Option<&'a ast::Expr> {
        self.entries.get(name).and_then(|entry| entry.def.returns.as_deref())
    }

    /// The functions whose signatures are known.
    pub(super) fn signatures(&self) -> Vec<GlobalVar> {
        let known = |(name, entry): (&Arc<str>, &Entry<'_>)| {
            let signature = match &entry.progress {
                Progress::Done(function) => Some(function.signature()),
                Progress::Header(header) => header.signature(),
                Progress::Reading { signature } => signature.clone(),
                _ => None,
            };
            signature.map(|signature| GlobalVar { name: name.clone(), signature })
        };
        self.entries.iter().filter_map(known).collect()
    }
}

impl<'a> Parser<'a> {
    /// Reads the body of a class as a module.
    pub(super) fn module(&mut self, class: &'a ast::StmtClassDef, broken: Broken<'_>) -> Res<IRModule> {
        let errors = self.errors();
        let outer = std::mem::take(&mut self.functions);
        self.functions.module = class.name.to_string();
        self.functions.unchecked = self.is_unchecked(class);
        let inside = broken.left_out.iter().filter(|(range, _)| class.range().contains_range(*range));
        self.functions.left_out = inside.map(|(_, name)| name.as_str().into()).collect();
        let mut attrs = Attrs::new();
        for stmt in &class.body {
            let _: Res<()> = self.class_statement(stmt, broken, &mut attrs);
        }
        self.read_functions();
        let functions = std::mem::replace(&mut self.functions, outer);
        if self.errors() > errors || !functions.left_out.is_empty() {
            return Err(Reported);
        }
        let mut module = IRModule::new();
        module.attrs = attrs;
        module.global_infos = functions.global_infos;
        for (name, entry) in functions.entries {
            match entry.progress {
                Progress::Done(function) => module.insert(name, function),
                _ => return Err(Reported),
            };
        }
        for (name, function) in functions.taken_in {
            module.insert(name.clone(), renamed(function, &name));
        }
        Ok(module)
    }

    /// Reads a function outside of modules.
    pub(super) fn standalone(&mut self, def: &'a ast::StmtFunctionDef, decorator: Decorator) -> Res<GlobalFunc> {
        let outer = std::mem::take(&mut self.functions);
        self.functions.unchecked = self.unchecked;
        let name: Arc<str> = def.name.as_str().into();
        self.functions.entries.insert(name.clone(), Entry { def, decorator, progress: Progress::Waiting });
        self.read_functions();
        let functions = std::mem::replace(&mut self.functions, outer);
        match functions.entries.into_iter().next() {
            Some((_, Entry { progress: Progress::Done(function), .. })) => Ok(function),
            _ => Err(Reported),
        }
    }

    fn class_statement(&mut self, stmt: &'a ast::Stmt, broken: Broken<'_>, attrs: &mut Attrs) -> Res<()> {
        match stmt {
            ast::Stmt::FunctionDef(def) => self.declare(def, broken),
            ast::Stmt::Pass(_) => Ok(()),
            ast::Stmt::Expr(expr) => match &*expr.value {
                ast::Expr::StringLiteral(_) | ast::Expr::EllipsisLiteral(_) => Ok(()),
                value => self.class_expression(value, attrs),
            },
            other if broken.touches(other.range()) => Err(Reported),
            ast::Stmt::Assign(assign) => self.class_assignment(assign),
            other => Err(self.fail(codes::FORM, other, "a module holds functions", "not a function")),
        }
    }

    /// `f = R.ExternFunc("f")`, or `f = function` with a function from outside of the text.
    fn class_assignment(&mut self, assign: &ast::StmtAssign) -> Res<()> {
        if let [ast::Expr::Name(name)] = assign.targets.as_slice() {
            let name: Arc<str> = name.id.as_str().into();
            match self.eval(&assign.value)? {
                Value::Captured(function) => {
                    self.functions.taken_in.insert(name, function);
                    return Ok(());
                }
                Value::Graph(function) if matches!(function.kind, ExprKind::ExternFunc(_)) => {
                    self.functions.externs.insert(name, function);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(self.fail(codes::FORM, assign, "a module holds functions", "not a function"))
    }

    fn class_expression(&mut self, value: &ast::Expr, attrs: &mut Attrs) -> Res<()> {
        match self.call_path(value) {
            Some((path, call)) if path == "script.ir.module_attrs" => {
                let bound = self.bind(call, &["attrs"], 1)?;
                attrs.extend(self.attrs_argument(bound[0])?);
                Ok(())
            }
            Some((path, call)) if path == "script.ir.module_global_infos" => self.module_global_infos(call),
            _ => Err(self.fail(codes::FORM, value, "a module holds functions", "not a function")),
        }
    }

    /// Enters a function of the class.
    fn declare(&mut self, def: &'a ast::StmtFunctionDef, broken: Broken<'_>) -> Res<()> {
        let name: Arc<str> = def.name.as_str().into();
        let in_error = broken.touches(def.range());
        let decorator = match self.decorator(def) {
            Ok(Some(decorator)) => Ok(decorator),
            Ok(None) if in_error => Err(Reported),
            Ok(None) => {
                let (prim, relax) = (self.spell("script.tir.prim_func"), self.spell("script.relax.function"));
                let diagnostic = Diagnostic::error(codes::FORM, format!("`{name}` is no function of the script"))
                    .at(self.span(&def.name))
                    .help(format!("decorate it with `@{prim}` or `@{relax}`"));
                Err(self.report(diagnostic))
            }
            Err(reported) => Err(reported),
        };
        if let Some(known) = self.functions.entries.get(&name) {
            let known = self.span(&known.def.name);
            let diagnostic = Diagnostic::error(codes::BOUND_TWICE, format!("the module has two functions `{name}`"))
                .at(self.span(&def.name))
                .also(known, "the first one");
            return Err(self.report(diagnostic));
        }
        let progress = if in_error || decorator.is_err() { Progress::FAILED } else { Progress::Waiting };
        let decorator = decorator.unwrap_or(Decorator {
            kind: Kind::Relax,
            private: false,
            pure: None,
            forced: false,
            unchecked: false,
        });
        self.functions.entries.insert(name, Entry { def, decorator, progress });
        Ok(())
    }

    /// The kind of function by its decorators; `None` if none is the script's.
    pub(super) fn decorator(&mut self, def: &ast::StmtFunctionDef) -> Res<Option<Decorator>> {
        for decorator in &def.decorator_list {
            let (function, call) = called(decorator);
            let Some(path) = self.path(function) else { continue };
            let kind = match path.as_str() {
                PRIM_FUNC => Kind::Prim,
                RELAX_FUNCTION => Kind::Relax,
                _ if in_a_namespace(&path) => return Err(self.unknown_decorator(function, "function")),
                _ if self.in_no_namespace(&path) => return Err(self.unknown_namespace(function, &path)),
                _ => continue,
            };
            if def.is_async {
                let diagnostic = Diagnostic::error(codes::FORM, format!("`{}` is an async function", def.name))
                    .at(self.span(&def.name))
                    .help("remove `async`: the text of a function is compiled, never awaited");
                return Err(self.report(diagnostic));
            }
            let unchecked = self.functions.unchecked || self.unchecked;
            let mut said = Decorator { kind, private: false, pure: None, forced: false, unchecked };
            if let Some(call) = call {
                let bound = self.bind(call, &["private", "check_well_formed", "pure", "force_pure", "s_tir"], 0)?;
                said.private = self.flag(bound[0])?.unwrap_or(false);
                said.unchecked |= self.flag(bound[1])? == Some(false);
                self.flag(bound[4])?;
                said.pure = self.flag(bound[2])?;
                said.forced = self.flag(bound[3])?.unwrap_or(false);
                if said.forced {
                    said.pure = Some(true);
                }
            }
            return Ok(Some(said));
        }
        Ok(None)
    }

    /// Whether a decorator makes the function one of the script.
    pub(super) fn is_of_the_script(&self, def: &ast::StmtFunctionDef) -> bool {
        def.decorator_list.iter().any(|decorator| {
            let path = self.path(called(decorator).0);
            path.is_some_and(|path| [PRIM_FUNC, RELAX_FUNCTION].contains(&path.as_str()))
        })
    }

    /// Whether a decorator makes a module of a class.
    pub(super) fn is_module(&mut self, class: &ast::StmtClassDef) -> Res<bool> {
        for decorator in &class.decorator_list {
            let (function, _) = called(decorator);
            match self.path(function) {
                Some(path) if path == IR_MODULE || path == REWRITER => return Ok(true),
                Some(path) if in_a_namespace(&path) => return Err(self.unknown_decorator(function, "class")),
                Some(path) if self.in_no_namespace(&path) => return Err(self.unknown_namespace(function, &path)),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Whether the class's decorator says `check_well_formed=False`.
    fn is_unchecked(&mut self, class: &ast::StmtClassDef) -> bool {
        if self.unchecked {
            return true;
        }
        let said = class
            .decorator_list
            .iter()
            .filter_map(|decorator| called(decorator).1)
            .find_map(|call| call.arguments.find_keyword("check_well_formed").map(|keyword| &keyword.value));
        said.is_some_and(|said| matches!(self.eval(said), Ok(Value::Bool(false))))
    }

    /// Whether a decorator of the script is sought in a module that is none of its namespaces.
    fn in_no_namespace(&self, path: &str) -> bool {
        let Some((module, name)) = path.rsplit_once('.') else { return false };
        module.starts_with("script.") && ["prim_func", "function", "ir_module", "macro"].contains(&name)
    }

    /// `@T.prim_func` where `T` is imported as something else.
    fn unknown_namespace(&mut self, function: &ast::Expr, path: &str) -> Reported {
        let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
        let text = self.text_of(function).to_owned();
        let message = format!("`{text}` is looked for in `tvm.{module}`, which is no part of the script");
        let known = ["tvm.script.ir", "tvm.script.tir", "tvm.script.relax"];
        self.unknown(codes::UNKNOWN_NAME, function, message, &format!("tvm.{module}"), known)
    }

    /// A name in one of the script's namespaces that decorates no `what`.
    fn unknown_decorator(&mut self, function: &ast::Expr, what: &str) -> Reported {
        let text = self.text_of(function).to_owned();
        if self.path(function).as_deref() == Some("script.tir.macro") {
            let message = "a macro is not a function of the module";
            let help = "define it above the class, or in the function that uses it";
            let diagnostic = Diagnostic::error(codes::PLACE, message).at(self.span(function)).help(help);
            return self.report(diagnostic);
        }
        let known: &[&str] = if what == "class" { &[IR_MODULE] } else { &[PRIM_FUNC, RELAX_FUNCTION] };
        let known: Vec<String> = known.iter().map(|path| self.spell(path)).collect();
        let message = format!("`{text}` decorates no {what}");
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_FUNCTION, message).at(self.span(function));
        diagnostic = match nearest(&text, known.iter().map(String::as_str)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("a {what} of the script is decorated with `{}`", known.join("` or `"))),
        };
        self.report(diagnostic)
    }

    fn flag(&mut self, node: Option<&ast::Expr>) -> Res<Option<bool>> {
        let Some(node) = node else { return Ok(None) };
        match self.eval(node)? {
            Value::Bool(value) => Ok(Some(value)),
            other => Err(self.wrong_kind(node, "True or False", &other)),
        }
    }

    fn read_functions(&mut self) {
        let names: Vec<_> = self.functions.entries.keys().cloned().collect();
        let of_kind = |parser: &Self, name: &str, kind| {
            let entry = parser.functions.entries.get(name);
            entry
                .filter(|e| e.decorator.kind == kind && matches!(e.progress, Progress::Waiting))
                .map(|e| (e.def, e.decorator.clone()))
        };
        for name in &names {
            if let Some((def, decorator)) = of_kind(self, name, Kind::Prim) {
                let read = self.prim_func(def, &decorator).map_or(Progress::FAILED, |f| Progress::Done(f.into()));
                self.set(name, read);
            }
        }
        for name in &names {
            if let Some((def, decorator)) = of_kind(self, name, Kind::Relax) {
                let header = self.header(def, &decorator);
                self.set(name, header.map_or(Progress::FAILED, |header| Progress::Header(Box::new(header))));
            }
        }
        for name in &names {
            self.read_body(name);
        }
        self.check_purity();
    }

    /// Whoever is taken for pure while its body is read turns out to be.
    fn check_purity(&mut self) {
        for (name, span) in std::mem::take(&mut self.functions.taken_for_pure) {
            let Some(Entry { def, progress: Progress::Done(GlobalFunc::Relax(function)), .. }) =
                self.functions.entries.get(&name)
            else {
                continue;
            };
            if !function.pure {
                let message = format!("`{name}` has side effects, and is taken for pure while its body is read");
                let diagnostic = Diagnostic::error(codes::SIDE_EFFECT, message)
                    .at(span)
                    .also(self.span(&def.name), "this one")
                    .help(format!("say `@{}(pure=False)`", self.spell(RELAX_FUNCTION)));
                self.report(diagnostic);
            }
        }
    }

    fn set(&mut self, name: &str, progress: Progress) -> Option<Progress> {
        self.functions.entries.get_mut(name).map(|entry| std::mem::replace(&mut entry.progress, progress))
    }

    /// Reads the body of a Relax function whose header has been read.
    fn read_body(&mut self, name: &Arc<str>) {
        let Some(entry) = self.functions.entries.get_mut(name) else { return };
        let Progress::Header(header) = &entry.progress else { return };
        let reading = Progress::Reading { signature: header.signature() };
        let Progress::Header(header) = std::mem::replace(&mut entry.progress, reading) else { return };
        let def = entry.def;
        self.functions.reading.push(name.clone());
        let read = self.relax_body(def, *header).map_or(Progress::FAILED, |function| Progress::Done(function.into()));
        self.functions.reading.pop();
        let before = self.set(name, read);
        if let Some(entry) = self.functions.entries.get_mut(name)
            && let Progress::Failed { signature } = &mut entry.progress
            && let Some(Progress::Reading { signature: known }) = before
        {
            *signature = known;
        }
    }

    /// A reference to a function of the module, with its signature.
    pub(super) fn global(&mut self, node: &ast::Expr, name: &Arc<str>) -> Res<GlobalVar> {
        let waits = |parser: &Self| match parser.functions.entries.get(name).map(|entry| &entry.progress) {
            Some(Progress::Header(header)) => !header.says_all(),
            _ => false,
        };
        if waits(self) {
            tilewright_support::with_stack(|| self.read_body(name));
        }
        let span = self.span(node);
        let Some(entry) = self.functions.entries.get(name) else { return Err(Reported) };
        let signature = match &entry.progress {
            Progress::Done(function) => Some(function.signature()),
            Progress::Header(header) => header.signature(),
            Progress::Reading { signature } => {
                if signature.is_some() && entry.decorator.pure.is_none() {
                    self.functions.taken_for_pure.entry(name.clone()).or_insert(span);
                }
                signature.clone()
            }
            Progress::Failed { signature: Some(signature) } => Some(signature.clone()),
            Progress::Waiting | Progress::Failed { signature: None } => return Err(Reported),
        };
        match signature {
            Some(signature) => Ok(GlobalVar { name: name.clone(), signature }),
            None => Err(self.cycle(node, name)),
        }
    }

    /// A reference to a function of the host, which becomes one of the module's.
    pub(super) fn take_in(&mut self, node: &ast::Expr, function: GlobalFunc) -> Res<GlobalVar> {
        let text = self.text_of(node);
        let wish = function.global_symbol().or_else(|| text.rsplit('.').next()).unwrap_or_default().to_owned();
        self.take_in_as(node, function, &wish)
    }

    /// The same, under a name like this one.
    pub(super) fn take_in_as(&mut self, node: &ast::Expr, function: GlobalFunc, wish: &str) -> Res<GlobalVar> {
        let text = self.text_of(node);
        let signature = function.signature();
        let same = |known: &GlobalFunc| match (known, &function) {
            (GlobalFunc::Prim(a), GlobalFunc::Prim(b)) => Arc::ptr_eq(a, b),
            (GlobalFunc::Relax(a), GlobalFunc::Relax(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        if let Some((name, _)) = self.functions.taken_in.iter().find(|(_, known)| same(known)) {
            return Ok(GlobalVar { name: name.clone(), signature });
        }
        if self.functions.module.is_empty() {
            let message = format!("`{text}` is a function from outside of the text, and no module is here to hold it");
            let diagnostic = Diagnostic::error(codes::KIND, message)
                .at(self.span(node))
                .help("a class decorated with `I.ir_module` takes in what its functions use");
            return Err(self.report(diagnostic));
        }
        if let GlobalFunc::Relax(outer) = &function
            && let Some(used) = used_global_vars(&**outer).first()
        {
            let message = format!("`{text}` calls `{used}` of its own module, which is not here");
            return Err(self.fail(codes::KIND, node, message, ""));
        }
        let wish: Arc<str> = if is_identifier(wish) { wish.into() } else { "captured".into() };
        let numbered = (1..).map(|number| format!("{wish}_{number}").into());
        let mut names = std::iter::once(wish.clone()).chain(numbered);
        let free = |name: &Arc<str>| !self.functions.knows(name) && !self.functions.taken_in.contains_key(name);
        let name = names.find(free).unwrap_or(wish);
        self.functions.taken_in.insert(name.clone(), function);
        Ok(GlobalVar { name, signature })
    }

    fn cycle(&mut self, node: &ast::Expr, name: &Arc<str>) -> Reported {
        let reading = &self.functions.reading;
        let from = reading.iter().position(|reading| reading == name).unwrap_or(0);
        let circle: Vec<String> = reading[from..].iter().chain([name]).map(|name| format!("`{name}`")).collect();
        let message = format!("the result of `{name}` depends on itself: {}", circle.join(" calls "));
        let diagnostic = Diagnostic::error(codes::CYCLE, message)
            .at(self.span(node))
            .help("annotate the result of one of them: `-> R.Tensor(…)`");
        self.report(diagnostic)
    }

    /// Whether a function of the module is a Relax function; one whose text does not parse is neither.
    pub(super) fn is_relax(&self, name: &str) -> bool {
        self.functions.entries.get(name).is_some_and(|entry| entry.decorator.kind == Kind::Relax)
    }
}

/// The function under another name; a private one stays private.
fn renamed(mut function: GlobalFunc, name: &str) -> GlobalFunc {
    if function.global_symbol().is_some_and(|symbol| symbol != name) {
        let attrs = match &mut function {
            GlobalFunc::Prim(function) => &mut Arc::make_mut(function).attrs,
            GlobalFunc::Relax(function) => &mut Arc::make_mut(function).attrs,
        };
        attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(name));
    }
    function
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The parts of a text that do not parse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Broken<'b> {
    /// The ranges of syntax errors.
    pub(super) ranges: &'b [TextRange],
    /// Functions that the tree does not have because of their errors.
    pub(super) left_out: &'b [(TextRange, String)],
}

impl Broken<'_> {
    /// Whether a syntax error lies in the range.
    pub(super) fn touches(&self, range: TextRange) -> bool {
        self.ranges.iter().any(|error| range.contains_inclusive(error.start()))
    }
}
