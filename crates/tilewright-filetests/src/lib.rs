//! Textual tests: TVMScript in, TVMScript or a message out, in files next to the tested sources.
//!
//! # A test
//!
//! Every `.py` file under `crates/*/src` is one. Its first lines are comments; those of the form `# word: …` with a
//! word in lower case say what to do, all others are prose:
//!
//! ```python
//! # A product becomes loops.
//! # test: opt --pass LegalizeOps
//! # run: main == same
//!
//! @I.ir_module
//! class Module:
//!     ...
//!
//! # expect:
//! @I.ir_module
//! class Module:
//!     ...
//! ```
//!
//! | `# test:` | does | expectation |
//! |---|---|---|
//! | `parse` | reads the text | a module that is structurally equal |
//! | `print [--width N] [--meta]` | reads the text and prints it | exactly this text |
//! | `opt --pass P …` | runs passes, pipelines, single steps of the lowering, or loop passes by name with options (`tir.ThreadSync:storage_scope=shared`); `BindParams:w,b` binds parameters of `main` to random tensors | a module that is structurally equal |
//! | `lower` | lowers every PrimFunc to the flat form | a module that is structurally equal |
//! | `schedule` | calls schedule primitives: a line `# step: i, j = get_loops(b)` for each call, see `tilewright_schedule::trace` | a module that is structurally equal |
//! | `diagnostics [--pass P …]` | reads the text, runs the passes; one of them must fail | exactly these messages, as comments |
//! | `run` | reads the text | none: its run lines are the test |
//!
//! The expectation is all that follows the line `# expect:`. `UPDATE_EXPECT=1 cargo test -p tilewright-filetests`
//! writes the result in its place; read the difference before you commit it.
//!
//! # Run lines
//!
//! `# run: NAME[(ARGUMENTS)] [OPTION …] == same`, or `== f32[2]=[1.5, -2]` with the result (of a PrimFunc: its last
//! tensor). Without arguments random ones are made from the signature, PrimFuncs included, whose tensors are all
//! compared afterwards. An argument is `f32[2,3]` (random), `f32[2]=[1, nan]` or `i64=3`. Options: `n=3` gives a
//! symbolic dimension, `seed=7` other random numbers, `special` mixes in zeros, NaN, infinities and extremes,
//! `tol=1e-6` the tolerance of floats relative to the largest value (by default 1e-5, for contraction within
//! expressions; `tol=0`: bit for bit). `only=interpreter` and `only=compiled` are for what has a meaning for one of
//! them alone: the result is stated then. `reference=g` compares the interpreter's result after the passes with that of
//! the function `g` before them, for functions that have no result before: threads without barriers.
//!
//! The interpreter's result before the passes is the meaning. Compared with it are the interpreter after them, and
//! compiled code before and after them on every device. A device that is not there is reported as ignored.
//!
//! The packed function `test.copy` copies its first argument into its last, `test.last` returns its last argument.
//!
//! # The whole language
//!
//! `docs/language/README.md` shows for everything that programs can be written with whether a textual test prints,
//! parses, verifies, interprets and compiles it. It is made of the tests (`language`), and a cell of it that no test
//! fills is a failure.
//!
//! # Planted faults
//!
//! [`faults`] lists ways to break each pass. For each, some textual test of that pass must fail.
//!
//! # Random programs
//!
//! [`random`] makes graphs, on which every pass is run; [`rules`] makes programs aimed at each rule of default
//! schedules, compiles them for several machines and runs them on several numbers of threads. The tests take a few, the
//! benches `random` and `rules` as many as one likes.
//!
//! # The interpreter for other languages
//!
//! The binary `interpret` answers [`requests`]; the Python tests compare its results with compiled code's.
//!
//! Reading order: [`TestFile`] (`header`), `action`, `expectation`, `run`, [`faults`], `language`, [`trials`]
//! (`suite`), [`random`], [`rules`].
//!
//! Invariants: nothing outside the test files and that page is written, and those only when `UPDATE_EXPECT` says so.

mod action;
mod compare;
mod data;
mod device_faults;
mod expectation;
pub mod faults;
mod header;
mod language;
pub mod random;
pub mod requests;
pub mod rules;
mod run;
mod suite;

pub use action::{Action, PassStep};
pub use header::TestFile;
pub use run::RunLine;
pub use suite::{main, trials};
