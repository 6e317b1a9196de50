//! Schedules and traces, as Python holds them.

mod state;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use state::PyStmtRef;

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyList, PyTuple, PyType};
use tilewright::IRModule;
use tilewright::expr::node::Path;
use tilewright::ir::tir::{Stmt, StmtKind};
use tilewright::ir::{Attr, pass::Pass};
use tilewright::schedule::primitive::Default as Absent;
use tilewright::schedule::registry;
use tilewright::schedule::trace::{self, Instruction, Sort};
use tilewright::schedule::{Arg, DefaultGPUSchedule, FaultKind, Names, Output, Rv, Schedule, ScheduleError};
use tilewright::script::print::{Marks, PrintOptions, Target, print_module};
use tilewright::support::Diagnostic;

use crate::error;
use crate::module::PyModule;
use crate::pass::module_of;
use crate::target::PyTarget;
use crate::view::{self, Field, Node, attr_field, attr_of, index_map};

/// How many handles were made that belong to no schedule.
static LOOSE: AtomicUsize = AtomicUsize::new(0);

macro_rules! handle {
    ($doc:literal $class:ident $name:literal $sort:expr) => {
        #[doc = $doc]
        #[pyclass(frozen, eq, hash, name = $name, module = "tilewright.tir.schedule.schedule")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) struct $class(Rv);

        #[pymethods]
        impl $class {
            /// A handle that no schedule has given out: what calls of traces made by hand take and give.
            #[new]
            fn new() -> Self {
                Self(Rv { sort: $sort, number: usize::MAX - LOOSE.fetch_add(1, Ordering::Relaxed) })
            }

            fn __repr__(&self) -> String {
                format!("{}({})", $name, self.0)
            }

            /// Whether it is the same handle.
            fn same_as(&self, other: &Bound<'_, PyAny>) -> bool {
                handle_of(other) == Some(self.0)
            }
        }
    };
}

handle! { "A block of a schedule." BlockRv "BlockRV" Sort::Block }
handle! { "A loop of a schedule." LoopRv "LoopRV" Sort::Loop }
handle! { "A number that a schedule has drawn." ExprRv "ExprRV" Sort::Expr }

fn handle_object<'py>(py: Python<'py>, rv: Rv) -> PyResult<Bound<'py, PyAny>> {
    Ok(match rv.sort {
        Sort::Block => Bound::new(py, BlockRv(rv))?.into_any(),
        Sort::Loop => Bound::new(py, LoopRv(rv))?.into_any(),
        Sort::Expr => Bound::new(py, ExprRv(rv))?.into_any(),
    })
}

fn handle_of(object: &Bound<'_, PyAny>) -> Option<Rv> {
    let block = object.cast::<BlockRv>().map(|handle| handle.get().0);
    let handle = block.or_else(|_| object.cast::<LoopRv>().map(|handle| handle.get().0));
    handle.or_else(|_| object.cast::<ExprRv>().map(|handle| handle.get().0)).ok()
}

fn arg_of(object: &Bound<'_, PyAny>) -> PyResult<Arg> {
    if let Some(rv) = handle_of(object) {
        return Ok(Arg::Rv(rv));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return object.try_iter()?.map(|item| arg_of(&item?)).collect::<PyResult<_>>().map(Arg::List);
    }
    if let Some(Node::Buffer(buffer)) = view::node_of(object) {
        return Ok(Arg::Buffer(buffer.clone()));
    }
    if object.is_callable() {
        return index_map(object).map(|map| Arg::Attr(Attr::IndexMap(map)));
    }
    Ok(match attr_of(object)? {
        Attr::Expr(expr) => match expr.as_int() {
            Some(value) => Arg::Attr(Attr::Int(value)),
            None => Arg::Expr(expr),
        },
        attr => Arg::Attr(attr),
    })
}

/// An argument of a call, as Python holds it.
fn arg_object<'py>(py: Python<'py>, arg: &Arg) -> PyResult<Bound<'py, PyAny>> {
    match arg {
        Arg::Rv(rv) => handle_object(py, *rv),
        Arg::Expr(expr) => Field::scalar(expr).view(py),
        Arg::Attr(attr) => attr_field(Some(attr)).view(py),
        Arg::Buffer(buffer) => view::wrap(py, Node::Buffer(buffer.clone())),
        Arg::Slot { write, index } => Ok((if *write { "write" } else { "read" }, *index).into_pyobject(py)?.into_any()),
        Arg::List(items) => {
            let items = items.iter().map(|item| arg_object(py, item)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
    }
}

/// How much errors say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    /// The script with the place underlined.
    Detail,
    /// A line.
    Fast,
    /// That there is an error.
    None,
}

/// A schedule in the making. Python's own class adds a method for each primitive.
#[pyclass(frozen, subclass, name = "Schedule", module = "tilewright.tir.schedule.schedule")]
#[derive(Debug)]
pub(crate) struct PySchedule {
    schedule: Mutex<Schedule>,
    level: Level,
}

impl PySchedule {
    /// The schedule as it is now.
    pub(crate) fn state(&self) -> Schedule {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, py: Python<'_>, module: &IRModule, failure: &ScheduleError) -> PyErr {
        let diagnostic = failure.diagnostic();
        let reason = diagnostic.render(false).trim_end().to_owned();
        let message = match (self.level, &failure.place) {
            (Level::Detail, place) => {
                let name = title(failure.primitive);
                let shown = place.as_ref().map(|(name, path)| underlined(module, name, path)).unwrap_or_default();
                format!(
                    "ScheduleError: An error occurred in the schedule primitive '{name}'.\n{shown}\nError message: \
                     {reason}"
                )
            }
            (Level::Fast, _) => format!("ScheduleError: {reason}"),
            (Level::None, _) => format!("ScheduleError: `{}` failed (not rendered)", failure.primitive),
        };
        refused(py, failure.kind, &message, &[diagnostic])
    }
}

/// The name of a primitive as errors say it: most with hyphens.
fn title(primitive: &str) -> String {
    match primitive {
        "transform_layout" | "transform_block_layout" | "set_axis_separator" | "pad_einsum" => primitive.to_owned(),
        _ => primitive.replace('_', "-"),
    }
}

/// The function as text with a part underlined.
fn underlined(module: &IRModule, name: &Arc<str>, path: &Path) -> String {
    let Some(function) = module.get(name) else { return String::new() };
    let mut alone = IRModule::new();
    alone.insert(name.clone(), function.clone());
    let marks = Marks { underline: vec![Target::Path(path.clone())], context_lines: Some(8), ..Marks::default() };
    format!(
        "\nThe IR with diagnostic is:\n{}",
        print_module(&alone, &PrintOptions { marks, ..PrintOptions::default() })
    )
}

/// A call that is wrong.
fn schedule_error(py: Python<'_>, message: &str) -> PyErr {
    let diagnostic = Diagnostic::error("TW0707", message);
    refused(py, FaultKind::Condition, diagnostic.render(false).trim_end(), &[diagnostic])
}

fn refused(py: Python<'_>, kind: FaultKind, message: &str, found: &[Diagnostic]) -> PyErr {
    let name = match kind {
        FaultKind::Condition => "ScheduleError",
        FaultKind::Argument => "ScheduleTypeError",
        FaultKind::Expired => "ScheduleValueError",
        FaultKind::Unknown => "ScheduleIndexError",
    };
    let class = py.import("tilewright.tir.schedule.schedule").and_then(|module| module.getattr(name));
    match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
        Ok(class) => error::of_class(py, &class, message, found),
        Err(error) => error,
    }
}

#[pymethods]
impl PySchedule {
    /// A schedule of a module's, or of one function's, PrimFuncs.
    #[new]
    #[pyo3(signature = (r#mod, *, debug_mask=None, error_render_level="detail", seed=None, enable_check=true))]
    fn new(
        r#mod: &Bound<'_, PyAny>,
        debug_mask: Option<Py<PyAny>>,
        error_render_level: &str,
        seed: Option<i64>,
        enable_check: bool,
    ) -> PyResult<Self> {
        let module = r#mod;
        let _ = (debug_mask, enable_check); // Every step is checked.
        let level = match error_render_level {
            "detail" => Level::Detail,
            "fast" => Level::Fast,
            "none" => Level::None,
            other => {
                let message = format!("error_render_level is \"detail\", \"fast\" or \"none\", found \"{other}\"");
                return Err(error::general(module.py(), message));
            }
        };
        let ir = match view::node_of(module) {
            Some(Node::PrimFunc(_, function)) => {
                let mut ir = IRModule::new();
                ir.insert("main", tilewright::GlobalFunc::Prim(function.clone()));
                ir
            }
            _ => match module.cast::<PyModule>() {
                Ok(module) => (*module.get().ir()).clone(),
                Err(_) => return Err(error::wrong_type("expected an IRModule or a PrimFunc", module)),
            },
        };
        let schedule = Self { schedule: Mutex::new(Schedule::new(&ir)), level };
        seed.into_iter().for_each(|seed| schedule.seed(seed));
        Ok(schedule)
    }

    /// Later draws follow from this number.
    fn seed(&self, seed: i64) {
        self.lock().set_seed(seed.cast_unsigned());
    }

    /// A seed for another schedule.
    fn fork_seed(&self) -> i64 {
        (self.lock().fork_seed() >> 1).cast_signed()
    }

    /// Gives a computation, and what does the same, a name for `tensorize`.
    fn _register_intrinsic(
        &self,
        py: Python<'_>,
        name: &str,
        desc: &Bound<'_, PyAny>,
        implementation: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (Some(Node::PrimFunc(_, desc)), Some(Node::PrimFunc(_, implementation))) =
            (view::node_of(desc), view::node_of(implementation))
        else {
            return Err(error::wrong_type("expected a PrimFunc for the description and the implementation", desc));
        };
        let registered = self.lock().register_intrinsic(name, desc, implementation);
        registered.map_err(|message| schedule_error(py, &message))
    }

    /// The module as it is now.
    #[getter(r#mod)]
    fn module(&self) -> PyModule {
        PyModule::of(self.lock().module().clone())
    }

    /// The calls from this number on: each the name of its primitive, its arguments and its handles.
    fn _calls<'py>(&self, py: Python<'py>, first: usize) -> PyResult<Vec<Called<'py>>> {
        let schedule = self.lock();
        let call = |call: &Instruction| {
            let args = call.args.iter().map(|arg| arg_object(py, arg)).collect::<PyResult<_>>()?;
            let outputs = call.output.rvs().iter().map(|rv| handle_object(py, *rv)).collect::<PyResult<_>>()?;
            Ok((call.primitive.name, args, outputs))
        };
        schedule.trace().instructions.iter().skip(first).map(call).collect()
    }

    /// Forgets a handle: it stands for nothing from now on.
    fn remove_rv(&self, py: Python<'_>, rand_var_rv: &Bound<'_, PyAny>) -> PyResult<()> {
        let rv = handle_of(rand_var_rv).ok_or_else(|| error::wrong_type("expected a handle", rand_var_rv))?;
        if self.lock().remove(rv) { Ok(()) } else { Err(unknown(py, rv)) }
    }

    /// Whether a primitive could be called so, which it is not.
    fn _can(&self, py: Python<'_>, name: &str, args: &Bound<'_, PyTuple>) -> PyResult<bool> {
        let args = args.iter().map(|arg| arg_of(&arg)).collect::<PyResult<Vec<_>>>()?;
        let mut copy = self.lock().clone();
        match copy.call_with(name, args, Vec::new()) {
            Ok(_) => Ok(true),
            Err(failure) if failure.kind == FaultKind::Condition => Ok(false),
            Err(failure) => Err(self.failed(py, copy.module(), &failure)),
        }
    }

    /// The function that primitives work on which begin with a name.
    #[getter]
    fn func_working_on(&self) -> Option<String> {
        self.lock().working_on().map(str::to_owned)
    }

    /// Primitives that begin with a name work on this function from now on.
    fn work_on(&self, py: Python<'_>, func_name: &str) -> PyResult<()> {
        self.lock().work_on(func_name).map_err(|message| schedule_error(py, &message))
    }

    /// Another schedule that begins where this one is, whose handles are these.
    fn copy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let class = slf.get_type();
        let level = match slf.get().level {
            Level::Detail => "detail",
            Level::Fast => "fast",
            Level::None => "none",
        };
        let options = [("error_render_level", level)].into_py_dict(slf.py())?;
        let copy = class.call((slf.get().module(),), Some(&options))?;
        let state = slf.get().lock().clone();
        *copy.cast::<Self>()?.get().lock() = state;
        Ok(copy)
    }

    /// The block, the loop or the number of a handle.
    fn get<'py>(&self, handle: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = handle.py();
        let rv = handle_of(handle).ok_or_else(|| error::wrong_type("expected a BlockRV or a LoopRV", handle))?;
        let schedule = self.lock();
        if !schedule.knows(rv) {
            return Err(unknown(py, rv));
        }
        if let Some(expr) = schedule.expr(rv) {
            return Field::scalar(expr).view(py);
        }
        match schedule.stmt(rv) {
            Some(stmt) => stmt_object(py, stmt),
            None => {
                let diagnostic =
                    Diagnostic::error("TW0707", format!("`{rv}` is invalid: a primitive has replaced or removed it"));
                Err(refused(py, FaultKind::Expired, diagnostic.render(false).trim_end(), &[diagnostic]))
            }
        }
    }

    /// Does what the lines of a trace say, with the names that they give to handles.
    fn _apply(&self, py: Python<'_>, lines: Vec<String>) -> PyResult<()> {
        let (mut schedule, mut names) = (self.lock(), Names::default());
        let done = lines.iter().try_for_each(|line| schedule.run_line(&mut names, line));
        done.map_err(|found| refused(py, FaultKind::Condition, found.render(false).trim_end(), &found.0))
    }

    /// Calls a primitive with arguments by position and by name; gives nothing, a handle, or a list of handles.
    fn _call<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let positional = args.iter().map(|arg| arg_of(&arg)).collect::<PyResult<Vec<_>>>()?;
        let named = kwargs.iter().map(|(name, arg)| Ok((name.extract::<String>()?, arg_of(&arg)?)));
        let named = named.collect::<PyResult<Vec<_>>>()?;
        let mut schedule = self.lock();
        let output = schedule.call_with(name, positional, named);
        match output.map_err(|failure| self.failed(py, schedule.module(), &failure))? {
            Output::Nothing => Ok(py.None().into_bound(py)),
            Output::One(rv) => handle_object(py, rv),
            Output::List(rvs) => {
                let handles = rvs.into_iter().map(|rv| handle_object(py, rv)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, handles)?.into_any())
            }
        }
    }
}

/// A block without its values, or a loop.
fn stmt_object(py: Python<'_>, stmt: Stmt) -> PyResult<Bound<'_, PyAny>> {
    match &stmt.kind {
        StmtKind::Block { block, .. } => view::wrap(py, Node::Block(Arc::new(block.clone()))),
        _ => view::wrap(py, Node::Stmt(stmt)),
    }
}

fn unknown(py: Python<'_>, rv: Rv) -> PyErr {
    let diagnostic = Diagnostic::error("TW0707", format!("`{rv}` is no handle of this schedule"));
    refused(py, FaultKind::Unknown, diagnostic.render(false).trim_end(), &[diagnostic])
}

/// A call: primitive, arguments, handles.
type Called<'py> = (&'static str, Vec<Bound<'py, PyAny>>, Vec<Bound<'py, PyAny>>);

/// A map of indices as text.
#[pyfunction]
pub(crate) fn index_map_text(map: &Bound<'_, PyAny>) -> PyResult<String> {
    index_map(map).map(|map| Arg::Attr(Attr::IndexMap(map)).to_string())
}

/// The map of indices that a text of `index_map_text` says.
#[pyfunction]
pub(crate) fn index_map_of_text<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let map = trace::index_map_of(text).map_err(|message| schedule_error(py, &message))?;
    attr_field(Some(&Attr::IndexMap(map))).view(py)
}

/// A call as a line of Python, from its primitive's name, its arguments as text and its handles' names.
#[pyfunction]
pub(crate) fn trace_line(py: Python<'_>, name: &str, args: Vec<String>, outputs: Vec<String>) -> PyResult<String> {
    match registry::by_name(name) {
        Some(primitive) => Ok(trace::line(primitive, &args, &outputs)),
        None => Err(schedule_error(py, &format!("there is no primitive `{name}`"))),
    }
}

/// The names of the primitives, as traces and as users write them, with their parameters: a name, and its default in a
/// tuple of one (an empty one where it must be given).
#[pyfunction]
pub(crate) fn schedule_primitives(py: Python<'_>) -> PyResult<Vec<Primitive<'_>>> {
    let default = |absent: &Absent| -> PyResult<Vec<Bound<'_, PyAny>>> {
        Ok(match *absent {
            Absent::Required => Vec::new(),
            Absent::None => vec![py.None().into_bound(py)],
            Absent::Bool(value) => vec![PyBool::new(py, value).to_owned().into_any()],
            Absent::Int(value) => vec![value.into_pyobject(py)?.into_any()],
            Absent::Str(text) => vec![text.into_pyobject(py)?.into_any()],
        })
    };
    let mut all = Vec::new();
    for primitive in registry::all() {
        let params = primitive.params.iter().map(|(name, absent)| Ok((*name, default(absent)?)));
        all.push((primitive.name, primitive.method, params.collect::<PyResult<_>>()?));
    }
    Ok(all)
}

/// What a primitive does, in a sentence, and what the fields of its plan are.
#[pyfunction]
pub(crate) fn schedule_primitive_doc(name: &str) -> Option<String> {
    let primitive = registry::by_name(name)?;
    let fields = primitive.plan.iter().flat_map(|plan| plan.docs);
    let fields: String = fields.map(|(name, doc)| format!("\n{name}: {doc}")).collect();
    let gap = if fields.is_empty() { "" } else { "\n" };
    Some(format!("{}{gap}{fields}", primitive.doc))
}

/// Earlier names of primitives, each with the name of today.
#[pyfunction]
pub(crate) fn schedule_renamed() -> Vec<(&'static str, &'static str)> {
    registry::RENAMED.to_vec()
}

type Primitive<'py> = (&'static str, &'static str, Vec<(&'static str, Vec<Bound<'py, PyAny>>)>);

/// The module with every PrimFunc that has no schedule bound to the threads of the target.
#[pyfunction]
pub(crate) fn default_gpu_schedule(
    py: Python<'_>,
    module: &Bound<'_, PyAny>,
    target: &Bound<'_, PyTarget>,
) -> PyResult<PyModule> {
    let module = module_of(module)?;
    let pass = DefaultGPUSchedule::new(&target.get().target).map_err(|message| error::general(py, message))?;
    let mut cx = tilewright::PassCx::default();
    let scheduled =
        pass.run(&mut cx, (*module).clone()).map_err(|failure| error::diagnostics(py, &failure.diagnostics))?;
    Ok(PyModule::of(scheduled))
}
