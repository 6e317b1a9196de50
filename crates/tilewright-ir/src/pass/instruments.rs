//! Instruments for everybody: how long passes take, and modules around them.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Instrument, PassInfo};
use crate::IRModule;

/// The duration of a pass, with the passes that ran inside it.
#[derive(Clone, Debug)]
pub struct PassTime {
    pub name: String,
    pub took: Duration,
    pub inside: Vec<PassTime>,
}

impl PassTime {
    /// Its own duration, without the passes inside it.
    pub fn own(&self) -> Duration {
        self.took.saturating_sub(self.inside.iter().map(|pass| pass.took).sum())
    }
}

/// Measures passes. A clone is a handle to the same measurements, so that one is kept while the other watches.
#[derive(Clone, Debug, Default)]
pub struct PassTiming(Arc<Mutex<Measured>>);

#[derive(Debug, Default)]
struct Measured {
    /// Passes that are running, from outside inwards.
    open: Vec<(String, Instant, Vec<PassTime>)>,
    done: Vec<PassTime>,
}

impl PassTiming {
    pub fn new() -> Self {
        Self::default()
    }

    /// The passes that ran, in order.
    pub fn profiles(&self) -> Vec<PassTime> {
        self.measured().done.clone()
    }

    /// A line for each pass, those that ran inside it below it: microseconds, those of its own, and its share of all
    /// and of the pass around.
    pub fn render(&self) -> String {
        let done = self.profiles();
        let total = done.iter().map(|pass| pass.took).sum();
        let mut text = String::new();
        done.iter().for_each(|pass| line(&mut text, pass, 0, total, total));
        text
    }

    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self) {
        let mut measured = self.measured();
        let Some((name, start, inside)) = measured.open.pop() else { return };
        let time = PassTime { name, took: start.elapsed(), inside };
        match measured.open.last_mut() {
            Some((.., inside)) => inside.push(time),
            None => measured.done.push(time),
        }
    }
}

fn line(text: &mut String, pass: &PassTime, depth: usize, around: Duration, total: Duration) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let share = |of: Duration| if of.is_zero() { 100.0 } else { 100.0 * pass.took.as_secs_f64() / of.as_secs_f64() };
    let (took, own) = (micros(pass.took), micros(pass.own()));
    let indent = "  ".repeat(depth);
    let (all, here) = (share(total), share(around));
    let _ = writeln!(text, "{indent}{}: {took:.0}us [{own:.0}us] ({all:.2}%; {here:.2}%)", pass.name);
    pass.inside.iter().for_each(|inside| line(text, inside, depth + 1, pass.took, total));
}

impl Instrument for PassTiming {
    /// Measurements begin anew.
    fn enter(&mut self) {
        *self.measured() = Measured::default();
    }

    fn before(&mut self, info: &PassInfo, _: &IRModule) {
        self.measured().open.push((info.name.to_owned(), Instant::now(), Vec::new()));
    }

    fn after(&mut self, _: &PassInfo, _: &IRModule) {
        self.ended();
    }

    fn failed(&mut self, _: &PassInfo) {
        self.ended();
    }
}

/// The passes to which an instrument applies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Passes {
    #[default]
    None,
    All,
    Named(Vec<String>),
}

impl Passes {
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Named(names) => names.iter().any(|known| known == name),
        }
    }
}

/// The points at which an instrument is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Before,
    After,
}

/// Shows the module before and after passes; what showing is, the caller says, as nothing here knows the text form.
#[derive(Debug)]
pub struct Printing<F> {
    pub before: Passes,
    pub after: Passes,
    show: F,
}

impl<F: FnMut(When, &PassInfo, &IRModule)> Printing<F> {
    pub fn new(before: Passes, after: Passes, show: F) -> Self {
        Self { before, after, show }
    }
}

impl<F: FnMut(When, &PassInfo, &IRModule)> Instrument for Printing<F> {
    fn before(&mut self, info: &PassInfo, module: &IRModule) {
        if self.before.has(info.name) {
            (self.show)(When::Before, info, module);
        }
    }

    fn after(&mut self, info: &PassInfo, module: &IRModule) {
        if self.after.has(info.name) {
            (self.show)(When::After, info, module);
        }
    }
}
