//! Calls of schedule primitives.

use tilewright::schedule::Names;
use tilewright::schedule::Schedule;
use tilewright::support::SourceFile;

use super::{Outcome, examples};

examples! {
    "schedules.rs":
    tw0706 tw0707
}

const MODEL: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 8):
            with T.block("sums"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = 0.0
                B[vi] = B[vi] + A[vi, vk]
"#;

/// Does these calls on the module.
fn schedule(lines: &[&str]) -> Outcome {
    let module = tilewright::parse_module(&SourceFile::new("model.py", MODEL))?;
    let (mut schedule, mut names) = (Schedule::new(&module), Names::default());
    for line in lines {
        schedule.run_line(&mut names, line)?;
    }
    Ok(())
}

mod tw0706 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        schedule(&["b = get_block(\"sums\")", "i, k = get_loops(b)", "parallel(k)"])
    }

    pub(super) fn right() -> Outcome {
        schedule(&["b = get_block(\"sums\")", "i, k = get_loops(b)", "parallel(i)"])
    }
}

mod tw0707 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        schedule(&["b = get_block(\"sum\")"])
    }

    pub(super) fn right() -> Outcome {
        schedule(&["b = get_block(\"sums\")"])
    }
}
