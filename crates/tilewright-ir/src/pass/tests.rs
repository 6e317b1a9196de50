//! The context: which passes run, what instruments are told, what options are.

use std::cell::RefCell;
use std::rc::Rc;

use tilewright_support::Diagnostic;

use super::*;
use crate::verify::Form;

/// A pass that adds an attribute named after itself, or fails.
struct Mark(&'static str, u8, bool);

impl Pass for Mark {
    fn info(&self) -> PassInfo {
        PassInfo { name: self.0, opt_level: self.1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        if self.2 {
            return Err(PassError::new(self.0, Diagnostic::error("TW0001", "it fails")));
        }
        module.attrs.insert(self.0.into(), Attr::Int(1));
        Ok(module)
    }
}

/// Writes down what it is told, and forbids one pass.
struct Log(Rc<RefCell<Vec<String>>>, &'static str);

impl Log {
    fn note(&self, text: String) {
        self.0.borrow_mut().push(text);
    }
}

impl Instrument for Log {
    fn enter(&mut self) {
        self.note("enter".into());
    }
    fn exit(&mut self) {
        self.note("exit".into());
    }
    fn should_run(&mut self, info: &PassInfo, _: &IRModule) -> bool {
        info.name != self.1
    }
    fn before(&mut self, info: &PassInfo, _: &IRModule) {
        self.note(format!("+{}", info.name));
    }
    fn after(&mut self, info: &PassInfo, module: &IRModule) {
        self.note(format!("-{} {}", info.name, module.attrs.len()));
    }
    fn failed(&mut self, info: &PassInfo) {
        self.note(format!("!{}", info.name));
    }
}

fn names(cx: &mut PassCx<'_>, passes: Vec<Arc<dyn Pass>>) -> Vec<String> {
    let module = cx.run(&Sequential { name: "all", passes }, IRModule::new()).unwrap();
    module.attrs.keys().map(|name| name.to_string()).collect()
}

fn pass(name: &'static str, level: u8) -> Arc<dyn Pass> {
    Arc::new(Mark(name, level, false))
}

#[test]
fn levels_names_and_instruments_choose_the_passes() {
    let all = || vec![pass("a", 0), pass("b", 1), pass("c", 3)];
    assert_eq!(names(&mut PassCx::default(), all()), ["a", "b"]);
    let required = vec!["c".to_owned()];
    assert_eq!(names(&mut PassCx { opt_level: 0, required, ..PassCx::default() }, all()), ["a", "c"]);
    let disabled = vec!["a".to_owned()];
    assert_eq!(names(&mut PassCx { opt_level: 3, disabled, ..PassCx::default() }, all()), ["b", "c"]);
    let both = || vec!["c".to_owned()];
    let mut cx = PassCx { opt_level: 3, required: both(), disabled: both(), ..PassCx::default() };
    assert_eq!(names(&mut cx, all()), ["a", "b"]);
    let mut cx = PassCx::default();
    cx.instruments.push(Box::new(Log(Rc::default(), "b")));
    assert_eq!(names(&mut cx, all()), ["a"]);
}

#[test]
fn instruments_are_told_in_order_and_of_failures() {
    let log = Rc::default();
    let mut cx = PassCx::default();
    cx.instruments.push(Box::new(Log(Rc::clone(&log), "c")));
    let failing: Arc<dyn Pass> = Arc::new(Mark("d", 0, true));
    let all = Sequential { name: "all", passes: vec![pass("a", 0), pass("b", 0), pass("c", 0), failing] };
    cx.entered(|cx| cx.run(&all, IRModule::new())).unwrap_err();
    assert_eq!(*log.borrow(), ["enter", "+all", "+a", "-a 1", "+b", "-b 2", "+d", "!d", "!all", "exit"]);
}

#[test]
fn times_are_a_tree_also_after_a_failure() {
    let timing = PassTiming::new();
    let mut cx = PassCx::default();
    cx.instruments.push(Box::new(timing.clone()));
    let failing: Arc<dyn Pass> = Arc::new(Mark("d", 0, true));
    let _ = cx.run(&Sequential { name: "one", passes: vec![pass("a", 0), failing] }, IRModule::new());
    let _ = cx.run(&*pass("b", 0), IRModule::new());
    let profiles = timing.profiles();
    let shape: Vec<_> = profiles.iter().map(|pass| (pass.name.as_str(), pass.inside.len())).collect();
    assert_eq!(shape, [("one", 2), ("b", 0)]);
    assert!(profiles[0].took >= profiles[0].inside.iter().map(|pass| pass.took).sum());
    let text = timing.render();
    let lines: Vec<_> = text.lines().map(|line| line.split(':').next().unwrap_or_default()).collect();
    assert_eq!(lines, ["one", "  a", "  d", "b"]);
    assert!(text.contains("us [") && text.contains('%'), "{text}");
    timing.clone().enter();
    assert!(timing.profiles().is_empty());
}

#[test]
fn modules_are_shown_around_the_passes_that_are_named() {
    let shown = Rc::new(RefCell::new(Vec::new()));
    let mut cx = PassCx::default();
    let seen = Rc::clone(&shown);
    let show = move |when, info: &PassInfo, module: &IRModule| {
        seen.borrow_mut().push((when, info.name, module.attrs.len()));
    };
    cx.instruments.push(Box::new(Printing::new(Passes::Named(vec!["b".into()]), Passes::All, show)));
    let _ = names(&mut cx, vec![pass("a", 0), pass("b", 0)]);
    drop(cx);
    assert_eq!(
        *shown.borrow(),
        [(When::After, "a", 1), (When::Before, "b", 1), (When::After, "b", 2), (When::After, "all", 2)]
    );
}

#[test]
fn options_are_checked_against_those_that_are_declared() {
    let config = |name: &str, value| Attrs::from([(name.into(), value)]);
    assert!(check_config(CONTEXT_OPTIONS, &config("ir.verify", Attr::Bool(false))).is_ok());
    let unknown = check_config(CONTEXT_OPTIONS, &config("ir.verifi", Attr::Bool(false)));
    assert_eq!(unknown.unwrap_err(), "no pass has the option `ir.verifi`: did you mean `ir.verify`?");
    let wrong = check_config(CONTEXT_OPTIONS, &config("ir.verify", Attr::Int(3)));
    assert_eq!(wrong.unwrap_err(), "option `ir.verify` must be True or False, found the integer 3");
}

#[test]
fn the_option_turns_verification_off() {
    // A module with two functions of one symbol is not well-formed.
    let ill = || {
        let mut module = IRModule::new();
        let attrs = Attrs::from([("global_symbol".into(), Attr::str("same"))]);
        let body = crate::tir::Stmt::nothing();
        for name in ["f", "g"] {
            let (params, origins) = (Vec::new(), tilewright_support::Origins::default());
            module.insert(name, PrimFunc { params, attrs: attrs.clone(), body: body.clone(), origins });
        }
        module
    };
    let mut cx = PassCx::default();
    assert!(cx.run(&*pass("a", 0), ill()).is_err());
    cx.config.insert("ir.verify".into(), Attr::Bool(false));
    assert!(cx.run(&*pass("a", 0), ill()).is_ok());
}
