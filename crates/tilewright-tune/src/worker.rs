//! The measuring process: it reads requests from one stream, a line of JSON each, and answers each on another one.
//!
//! | request | its other keys | answer |
//! |---|---|---|
//! | `{"do": "measure", …}` | `function`, `candidate`, `target`, `sizes`, `repeats`, `seconds` | `{"runs": […]}` |
//! | `{"do": "echo", …}` | any | the request |
//! | one that cannot be done | | `{"error": TEXT}` |
//!
//! Answers begin with [`MARK`]: a kernel may print as well.

use std::io::{BufRead, Write};
use std::time::Duration;

use serde_json::{Value, json};
use tilewright_ir::tir::PrimFunc;
use tilewright_target::Target;

pub use crate::kernel::Compile;

use crate::database::function_of_text;
use crate::inputs::arguments;
use crate::kernel::{Kernel, compare};
use crate::record::{array, text};

/// The beginning of an answer's line.
pub const MARK: &str = "tilewright-answer ";

/// The largest integer of arguments, and that of a second try, for functions that read elements by number.
const INTEGERS: [i64; 2] = [10, 0];
/// A candidate that twice took this many times as long as the kernel without tuning is not measured again.
const HOPELESS: f64 = 1.15;

/// Answers requests until there are no more.
///
/// # Errors
/// A stream is broken.
pub fn serve(input: impl BufRead, mut output: impl Write, compile: Compile<'_>) -> std::io::Result<()> {
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = answer(&line, compile).unwrap_or_else(|error| json!({"error": error}));
        output.write_all(format!("\n{MARK}{answer}\n").as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

fn answer(line: &str, compile: Compile<'_>) -> Result<Value, String> {
    let request: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match text(&request, "do")?.as_str() {
        "measure" => measure(&request, compile),
        "echo" => Ok(request),
        other => Err(format!("there is no request `{other}`")),
    }
}

fn measure(request: &Value, compile: Compile<'_>) -> Result<Value, String> {
    let function = function_of_text(&text(request, "function")?)?;
    let candidate = function_of_text(&text(request, "candidate")?)?;
    let target = Target::parse(&text(request, "target")?).map_err(|error| error.to_string())?;
    let repeats = request.get("repeats").and_then(Value::as_u64).unwrap_or(5).clamp(1, 1000) as usize;
    let least = request.get("seconds").and_then(Value::as_f64).unwrap_or(0.005);
    let least = Duration::try_from_secs_f64(least).map_err(|error| error.to_string())?;
    let mut runs = Vec::new();
    for sizes in array(request, "sizes")? {
        let sizes: Option<Vec<i64>> = sizes.as_array().and_then(|all| all.iter().map(Value::as_i64).collect());
        let sizes = sizes.ok_or("`sizes`: expected lists of integers")?;
        let pair = pair(compile, &function, &candidate, &target, &sizes)?;
        runs.push(in_turns(&pair, &sizes, repeats, least)?);
    }
    Ok(json!({ "runs": runs }))
}

/// Both kernels with the same arguments, checked against each other.
fn pair(
    compile: Compile<'_>,
    function: &PrimFunc,
    candidate: &PrimFunc,
    target: &Target,
    sizes: &[i64],
) -> Result<(Kernel, Kernel), String> {
    let mut refused = String::new();
    for most in INTEGERS {
        let given = arguments(function, sizes, most, 1)?;
        let baseline = Kernel::new(compile, function, target, &given)?;
        if let Err(error) = baseline.results() {
            refused = error;
            continue;
        }
        // That call has changed what the function reads and writes.
        let baseline = Kernel::new(compile, function, target, &given)?;
        let found = Kernel::new(compile, candidate, target, &given)?;
        compare(&baseline, &found)?;
        return Ok((baseline, found));
    }
    Err(format!("the kernel without tuning cannot be run: {refused}"))
}

fn in_turns(
    (baseline, found): &(Kernel, Kernel),
    sizes: &[i64],
    repeats: usize,
    least: Duration,
) -> Result<Value, String> {
    let calls = (baseline.calls_for(least)?, found.calls_for(least)?);
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for repeat in 0..repeats {
        // Whoever comes second finds other things in the caches.
        if repeat % 2 == 0 {
            other.push(baseline.seconds(calls.0)?);
            own.push(found.seconds(calls.1)?);
        } else {
            own.push(found.seconds(calls.1)?);
            other.push(baseline.seconds(calls.0)?);
        }
        if repeat >= 1 && own.iter().zip(&other).all(|(own, other)| *own > HOPELESS * other) {
            break;
        }
    }
    Ok(json!({"sizes": sizes, "seconds": own, "baseline": other}))
}
