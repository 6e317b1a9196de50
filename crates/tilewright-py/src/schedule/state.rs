//! The tree of loops and blocks of a schedule, as Python holds it.

use pyo3::prelude::*;
use tilewright::ir::tir::StmtKind;
use tilewright::schedule::{DepKind, StmtRef};

use super::{PySchedule, handle_of, schedule_error, stmt_object, unknown};
use crate::error;
use crate::view::{self, Node};

/// A loop or a block of a schedule's module.
#[pyclass(frozen, eq, hash, name = "StmtRef", module = "tilewright.tir.block_scope")]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PyStmtRef(StmtRef);

#[pymethods]
impl PyStmtRef {
    /// Whether it is a block's.
    #[getter]
    fn is_block(&self) -> bool {
        self.0.is_block()
    }

    /// Where the loop or block is that a handle stands for, or that is this very statement; `None` where it is gone.
    #[staticmethod]
    fn of(schedule: &Bound<'_, PySchedule>, object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let schedule = schedule.get().lock();
        if let Some(rv) = handle_of(object) {
            if !schedule.knows(rv) {
                return Err(unknown(object.py(), rv));
            }
            return Ok(schedule.stmt_ref(rv).map(Self));
        }
        let found = match view::node_of(object) {
            Some(Node::Block(block)) => schedule.ref_of_block(block),
            Some(Node::Stmt(stmt)) => match &stmt.kind {
                StmtKind::Block { block, .. } => schedule.ref_of_block(block),
                _ => schedule.ref_of_loop(stmt),
            },
            _ => return Err(error::wrong_type("expected a block, a loop or a handle of one", object)),
        };
        Ok(found.map(Self))
    }

    /// The block or the loop that it refers to; `None` where it is gone.
    fn stmt<'py>(&self, schedule: &Bound<'py, PySchedule>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let stmt = schedule.get().lock().stmt_at(&self.0);
        stmt.map(|stmt| stmt_object(schedule.py(), stmt)).transpose()
    }

    /// The innermost loop or block around it.
    fn parent(&self, schedule: &Bound<'_, PySchedule>) -> Option<Self> {
        schedule.get().lock().parent(&self.0).map(Self)
    }

    /// Its number among the statements of the sequence around it; -1 where there is none.
    fn seq_index(&self, schedule: &Bound<'_, PySchedule>) -> i64 {
        schedule.get().lock().number_in_sequence(&self.0)
    }

    /// What is known of a block: its axes are affine, its reads are covered, its stages are a pipeline.
    fn flags(&self, schedule: &Bound<'_, PySchedule>) -> Option<(bool, bool, bool)> {
        let flags = schedule.get().lock().flags(&self.0)?;
        Some((flags.affine_binding, flags.region_cover, flags.stage_pipeline))
    }

    /// How the blocks directly inside of a block depend on each other: the earlier, the later, and the kind's number.
    fn dependencies(&self, schedule: &Bound<'_, PySchedule>) -> Vec<(Self, Self, u8)> {
        let number = |kind| match kind {
            DepKind::ReadAfterWrite => 0,
            DepKind::WriteAfterWrite => 1,
            DepKind::WriteAfterRead => 2,
        };
        let all = schedule.get().lock().dependencies(&self.0);
        all.into_iter().map(|dep| (Self(dep.source), Self(dep.target), number(dep.kind))).collect()
    }

    /// Puts another loop or block in the place of one.
    fn replace(&self, schedule: &Bound<'_, PySchedule>, stmt: &Bound<'_, PyAny>) -> PyResult<()> {
        let done = match view::node_of(stmt) {
            Some(Node::Block(block)) => schedule.get().lock().replace_block(&self.0, (**block).clone()),
            Some(Node::Stmt(stmt)) => schedule.get().lock().replace(&self.0, stmt),
            _ => return Err(error::wrong_type("expected a block or a loop", stmt)),
        };
        done.map_err(|message| schedule_error(schedule.py(), &message))
    }
}
