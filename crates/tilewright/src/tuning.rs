//! Tuning of whole modules: their tasks, and the process that measures.

use std::io::{BufRead, Write};
use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::pass::{PassCx, Sequential};
use tilewright_schedule::rules::ApplyDefaultSchedule;
use tilewright_target::Target;
use tilewright_tune::{Database, Task, tasks, worker};

use crate::compile::{CompileError, CompileOptions, compile, run_pipeline};

/// The kernels of a module that its compilation would schedule, as tasks.
///
/// # Errors
/// The module does not compile.
pub fn module_tasks(cx: &mut PassCx<'_>, module: &IRModule, target: &Target) -> Result<Vec<Task>, CompileError> {
    let mut options = CompileOptions::for_target(target.clone());
    let scheduling = ApplyDefaultSchedule::NAME;
    let before = options.pipeline.passes.iter().position(|pass| pass.info().name == scheduling);
    options.pipeline.passes.truncate(before.unwrap_or(0));
    options.pipeline = Sequential { name: "before_schedule", ..options.pipeline };
    Ok(tasks(&run_pipeline(cx, module, &options)?, target))
}

/// Compiles for a target, with the schedules of a database.
pub fn options_with(target: Target, database: Database) -> CompileOptions {
    let pipeline = crate::pipelines::with_database(&target, Arc::new(database));
    CompileOptions { target, pipeline, watch: None, model: None }
}

/// Answers the requests of a [`tilewright_tune::ProcessRunner`] until there are no more.
///
/// # Errors
/// A stream is broken.
pub fn serve(input: impl BufRead, output: impl Write) -> std::io::Result<()> {
    worker::serve(input, output, &|module, target| {
        compile(module, &CompileOptions::for_target(target.clone())).map_err(|error| error.to_string())
    })
}
