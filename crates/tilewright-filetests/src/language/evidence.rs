//! The evidence of the textual tests: which of the language's things they cover.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewright::expr::node::{walk, walk_some};
use tilewright::expr::{Buffer, Expr};
use tilewright::ir::Attr;
use tilewright::ir::analysis::kinds::Kinds;
use tilewright::ir::analysis::used_global_vars;
use tilewright::ir::op::AttrDefault;
use tilewright::ir::relax::{self, Callee};
use tilewright::ir::tir::{Stmt, StmtKind};
use tilewright::ir::verify::{Form, verify};
use tilewright::{GlobalFunc, IRModule};

use super::source::{Line, Source};
use super::{Column, Thing};
use crate::action::{Output, perform};
use crate::run::{RunLine, Runner, compiles_after, has_gpu_threads};
use crate::{Action, TestFile};

/// The evidence so far.
#[derive(Debug, Default)]
pub(super) struct Evidence(BTreeSet<(Thing, Column)>);

impl Evidence {
    pub(super) fn of(tests: &[Arc<TestFile>]) -> Self {
        let mut evidence = Self::default();
        tests.iter().for_each(|test| evidence.test(test));
        evidence
    }

    pub(super) fn shows(&self, thing: &Thing, column: Column) -> bool {
        self.0.contains(&(thing.clone(), column))
    }

    fn add(&mut self, things: &BTreeSet<Thing>, columns: &[Column]) {
        for &column in columns {
            self.0.extend(things.iter().map(|thing| (thing.clone(), column)));
        }
    }

    fn test(&mut self, test: &TestFile) {
        let outcome = perform(test, None);
        let Some(before) = &outcome.before else { return };
        let input = Source::new(&test.input);
        let expected = Source::new(test.expectation.as_deref().unwrap_or_default());
        self.read(before, &input);
        if !matches!(test.action, Action::Diagnostics(_)) {
            // Everything that the suite reads back from the module's print; calls of operators are all written alike.
            let mut called = BTreeSet::new();
            before.sorted().iter().for_each(|(_, function)| operators(function, &mut called));
            self.add(&called, &[Column::Prints]);
        }
        match (&test.action, &outcome.result) {
            (Action::Print(_), _) => {
                let things = of_module(before).into_iter().chain(of_text(expected.lines())).collect();
                self.add(&things, &[Column::Prints]);
            }
            (_, Output::Module(after)) if test.expectation.is_some() => self.read(after, &expected),
            _ => {}
        }
        for line in &test.runs {
            self.run(line, before, &input);
            if let Output::Module(after) = &outcome.result
                && !test.action.steps().is_empty()
            {
                let compiles = compiles_after(test, line, &outcome) && !has_gpu_threads(after);
                let columns: &[Column] = match compiles {
                    true => &[Column::Interprets, Column::Compiles],
                    false => &[Column::Interprets],
                };
                self.function(line, after, &expected, columns);
            }
        }
    }

    /// Everything that is read, and is well-formed.
    fn read(&mut self, module: &IRModule, source: &Source) {
        let things = of_module(module).into_iter().chain(of_text(source.lines())).collect();
        self.add(&things, &[Column::Parses]);
        if verify(module, Form::Any).is_ok() {
            self.add(&things, &[Column::Verifies]);
        }
    }

    fn run(&mut self, line: &RunLine, module: &IRModule, source: &Source) {
        let columns: Vec<Column> = [(Runner::Interpreter, Column::Interprets), (Runner::Compiled, Column::Compiles)]
            .into_iter()
            .filter(|(runner, _)| line.is_run_by(*runner))
            .map(|(_, column)| column)
            .collect();
        self.function(line, module, source, &columns);
    }

    /// Everything that occurs in the function of a run line and in those that it calls.
    fn function(&mut self, line: &RunLine, module: &IRModule, source: &Source, columns: &[Column]) {
        let part = reached(module, line.function());
        let names: Vec<&str> = part.iter().map(|(name, _)| &**name).collect();
        let things = of_module(&part).into_iter().chain(of_text(source.lines_of(&names).into_iter())).collect();
        self.add(&things, columns);
    }
}

/// The function and all that it calls, in a module that is otherwise the same.
fn reached(module: &IRModule, name: &str) -> IRModule {
    let mut part = IRModule::new();
    part.attrs = module.attrs.clone();
    part.global_infos = module.global_infos.clone();
    let mut waiting = vec![name.to_owned()];
    while let Some(name) = waiting.pop() {
        if let (Some(function), None) = (module.get(&name), part.get(&name)) {
            waiting.extend(used_global_vars(function).iter().map(|name| name.to_string()));
            part.insert(name, function.clone());
        }
    }
    part
}

fn of_text<'s>(lines: impl Iterator<Item = &'s Line>) -> impl Iterator<Item = Thing> {
    lines.flat_map(|line| line.things.iter().cloned())
}

fn of_module(module: &IRModule) -> BTreeSet<Thing> {
    let mut kinds = Kinds::default();
    kinds.add(module);
    let mut things: BTreeSet<Thing> =
        Kinds::names().into_iter().filter(|name| kinds.times(name) > 0).map(Thing::Kind).collect();
    things.extend(module.attrs.keys().map(|key| Thing::FunctionAttr(key.to_string())));
    for (_, function) in module.sorted() {
        things.extend(function.attrs().keys().map(|key| Thing::FunctionAttr(key.to_string())));
        elements(function, &mut things);
        operators(function, &mut things);
    }
    things
}

/// The element types of scalars, buffers and tensors, and the keys of attributes around statements.
fn elements(function: &GlobalFunc, things: &mut BTreeSet<Thing>) {
    walk_some(function, |node| {
        let dtype = if let Some(expr) = node.downcast::<Expr>() {
            Some(expr.dtype)
        } else if let Some(buffer) = node.downcast::<Buffer>() {
            Some(buffer.dtype)
        } else if let Some(expr) = node.downcast::<relax::Expr>() {
            expr.struct_info.dtype()
        } else {
            node.downcast::<relax::Var>().and_then(|var| var.struct_info.dtype())
        };
        things.extend(dtype.map(|dtype| Thing::Element(dtype.element())));
        if let Some(stmt) = node.downcast::<Stmt>()
            && let StmtKind::Attr { key, .. } = &stmt.kind
        {
            things.insert(Thing::StatementAttr(key.to_string()));
        }
        true
    });
}

fn operators(function: &GlobalFunc, things: &mut BTreeSet<Thing>) {
    walk(function, |expr: &relax::Expr| {
        if let relax::ExprKind::Call { callee: Callee::Op(op), attrs, .. } = &expr.kind {
            things.insert(Thing::Operator(op.0.name));
            let given =
                op.attrs.iter().filter(|def| attrs.get(def.name).is_some_and(|value| is_said(def.default, value)));
            things.extend(given.map(|attr| Thing::OperatorAttr(op.0.name, attr.name)));
        }
    });
}

/// Whether the value of an attribute is another one than a caller gets who says nothing.
fn is_said(default: AttrDefault, value: &Attr) -> bool {
    match (default, value) {
        (AttrDefault::None, Attr::None) => false,
        (AttrDefault::None, Attr::DType(dtype)) => !dtype.is_void(),
        (AttrDefault::Bool(default), Attr::Bool(value)) => default != *value,
        (AttrDefault::Int(default), Attr::Int(value)) => default != *value,
        (AttrDefault::Float(default), Attr::Float(value)) => default.to_bits() != value.0.to_bits(),
        (AttrDefault::Str(default), Attr::Str(value)) => default != &**value,
        (AttrDefault::DType(default), Attr::DType(value)) => default != *value,
        _ => true,
    }
}
