//! Primitives as rules call them: by methods with the types that they take and give.

use tilewright_ir::Attr;
use tilewright_ir::tir::{Expr, PrimFunc};

use crate::plan::{Declined, Plan};
use crate::primitive::Primitive;
use crate::primitive::{FUSE, GET_BLOCK, GET_CHILD_BLOCKS, GET_LOOPS, LOOP_PARTITION, REORDER, SPLIT};
use crate::site::{Key, Site};
use crate::trace::{Arg, Rv};
use crate::{FaultKind, Schedule, ScheduleError};

type Result<T> = std::result::Result<T, ScheduleError>;

/// The argument that a call leaves out.
const NONE: Arg = Arg::Attr(Attr::None);

pub(crate) fn flag(value: bool) -> Arg {
    Arg::Attr(Attr::Bool(value))
}

pub(crate) fn int(value: i64) -> Arg {
    Arg::Attr(Attr::Int(value))
}

pub(crate) fn text(value: &str) -> Arg {
    Arg::Attr(Attr::str(value))
}

fn list(rvs: &[Rv]) -> Arg {
    Arg::List(rvs.iter().copied().map(Arg::Rv).collect())
}

impl Schedule {
    fn one(&mut self, primitive: &'static Primitive, args: Vec<Arg>) -> Result<Rv> {
        let output = self.call(primitive, args)?;
        let missing = || ScheduleError {
            primitive: primitive.method,
            message: "it gives no handle".into(),
            place: None,
            kind: FaultKind::Condition,
        };
        output.rvs().first().copied().ok_or_else(missing)
    }

    fn several(&mut self, primitive: &'static Primitive, args: Vec<Arg>) -> Result<Vec<Rv>> {
        Ok(self.call(primitive, args)?.rvs().to_vec())
    }

    /// Builds a kernel at a block by its plan.
    pub(crate) fn build(&mut self, kernel: &'static Primitive, block: Rv, plan: &impl Plan) -> Result<()> {
        let plan = plan.attrs().into_iter().map(Arg::Attr);
        self.call(kernel, std::iter::once(Arg::Rv(block)).chain(plan).collect()).map(drop)
    }

    /// The blocks directly inside of the root block, in order.
    pub(crate) fn stages(&mut self) -> Result<Vec<Rv>> {
        let root = self.one(&GET_BLOCK, vec![text("root"), NONE])?;
        self.several(&GET_CHILD_BLOCKS, vec![Arg::Rv(root)])
    }

    pub(crate) fn loops_around(&mut self, block: Rv) -> Result<Vec<Rv>> {
        self.several(&GET_LOOPS, vec![Arg::Rv(block)])
    }

    /// Splits a loop; `None` is the factor that is as small as it can be.
    pub(crate) fn split_by(&mut self, l: Rv, factors: &[Option<Expr>]) -> Result<Vec<Rv>> {
        let factor = |factor: &Option<Expr>| factor.clone().map_or(NONE, Arg::Expr);
        let factors = Arg::List(factors.iter().map(factor).collect());
        self.several(&SPLIT, vec![Arg::Rv(l), factors, flag(true), flag(false)])
    }

    /// Parts of a loop one after the other; `None` is what the others leave.
    pub(crate) fn partition_by(&mut self, l: Rv, sizes: &[Option<Expr>]) -> Result<Vec<Rv>> {
        let size = |size: &Option<Expr>| size.clone().map_or(NONE, Arg::Expr);
        self.several(&LOOP_PARTITION, vec![Arg::Rv(l), Arg::List(sizes.iter().map(size).collect()), flag(true)])
    }

    /// One loop of several, given from outside inwards; itself where there is one.
    pub(crate) fn fuse_all(&mut self, loops: &[Rv]) -> Result<Rv> {
        match loops {
            [only] => Ok(*only),
            _ => self.one(&FUSE, vec![list(loops), flag(true)]),
        }
    }

    pub(crate) fn reorder_to(&mut self, loops: &[Rv]) -> Result<()> {
        self.call(&REORDER, vec![list(loops)]).map(drop)
    }

    pub(crate) fn on_loop(&mut self, primitive: &'static Primitive, l: Rv) -> Result<()> {
        self.call(primitive, vec![Arg::Rv(l)]).map(drop)
    }

    pub(crate) fn on_block(&mut self, primitive: &'static Primitive, block: Rv) -> Result<()> {
        self.call(primitive, vec![Arg::Rv(block)]).map(drop)
    }

    /// `compute_at` and `reverse_compute_at`.
    pub(crate) fn move_to(&mut self, primitive: &'static Primitive, block: Rv, l: Rv) -> Result<()> {
        self.call(primitive, vec![Arg::Rv(block), Arg::Rv(l), flag(false), int(-1)]).map(drop)
    }

    /// The function, and the place in it that a handle stands for.
    pub(crate) fn site(&self, rv: Rv) -> Option<(&PrimFunc, Site)> {
        let (name, key): (_, &Key) = self.place_of(rv)?;
        let function = self.module().prim(name)?;
        crate::site::find(&function.body, key).map(|site| (&**function, site))
    }
}

/// Whether the steps succeeded; the schedule is as before where they did not.
pub(super) fn attempt(
    schedule: &mut Schedule,
    steps: impl FnOnce(&mut Schedule) -> std::result::Result<(), Declined>,
) -> bool {
    let before = schedule.clone();
    let succeeded = steps(schedule).is_ok();
    if !succeeded {
        *schedule = before;
    }
    succeeded
}
