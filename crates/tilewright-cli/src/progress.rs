//! The progress of a long compilation, on standard error while that is a terminal: the pass that runs, then how many
//! kernels are machine code.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tilewright::ir::pass::{Instrument, PassInfo};
use tilewright::{IRModule, Watch};

/// A line that names the present step and disappears when it is dropped. Clones are the same line.
#[derive(Clone, Debug)]
pub struct Progress {
    line: ProgressBar,
    /// Passes that have begun and not ended: a pipeline is a pass around others.
    depth: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    pub fn new() -> Self {
        // Hides itself where standard error is no terminal.
        let line = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            line.set_style(style);
        }
        line.enable_steady_tick(Duration::from_millis(100));
        Self { line, depth: 0 }
    }

    pub fn step(&self, name: &str) {
        self.line.set_message(name.to_owned());
    }

    /// The display of the kernels.
    pub fn watch(&self) -> Watch {
        let line = self.line.clone();
        Watch::new(move |done, of| line.set_message(format!("machine code: {done} of {of} kernels")))
    }

    pub fn finish(&self) {
        self.line.finish_and_clear();
    }
}

/// Names each pass as it begins, and machine code after the last.
impl Instrument for Progress {
    fn before(&mut self, info: &PassInfo, _: &IRModule) {
        self.depth += 1;
        self.step(info.name);
    }
    fn after(&mut self, _: &PassInfo, _: &IRModule) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.step("machine code");
        }
    }
}
