//! What a long compilation is doing, on standard error while that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tilewright::IRModule;
use tilewright::ir::pass::{Instrument, PassInfo};

/// A line that names the present step and goes when it is dropped. Clones are the same line.
#[derive(Clone, Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new() -> Self {
        // Hides itself where standard error is no terminal.
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    pub(crate) fn step(&self, name: &str) {
        self.0.set_message(name.to_owned());
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Names each pass as it begins, and machine code after the last.
impl Instrument for Progress {
    fn before(&mut self, info: &PassInfo, _: &IRModule) {
        self.step(info.name);
    }
    fn after(&mut self, _: &PassInfo, _: &IRModule) {
        self.step("machine code");
    }
}
