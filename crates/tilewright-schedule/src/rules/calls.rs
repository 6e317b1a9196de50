//! Primitives as rules call them: by methods with the types that they take and give.

use tilewright_ir::Attr;
use tilewright_ir::tir::{Expr, PrimFunc};

use crate::primitive::by_name;
use crate::trace::{Arg, Output, Rv};
use crate::tree::{Key, Site};
use crate::{Schedule, ScheduleError};

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
    /// Calls a primitive with an argument for each of its parameters.
    pub(crate) fn apply_named(&mut self, method: &'static str, args: Vec<Arg>) -> Result<Output> {
        match by_name(method) {
            Some(primitive) => self.call(primitive, args),
            None => self.call_with(method, args, Vec::new()),
        }
    }

    fn one(&mut self, method: &'static str, args: Vec<Arg>) -> Result<Rv> {
        let output = self.apply_named(method, args)?;
        let missing = || ScheduleError { primitive: method, message: "it gives no handle".into(), place: None };
        output.rvs().first().copied().ok_or_else(missing)
    }

    fn several(&mut self, method: &'static str, args: Vec<Arg>) -> Result<Vec<Rv>> {
        Ok(self.apply_named(method, args)?.rvs().to_vec())
    }

    /// The blocks directly inside of the root block, in order.
    pub(crate) fn stages(&mut self) -> Result<Vec<Rv>> {
        let root = self.one("get_block", vec![text("root"), NONE])?;
        self.several("get_child_blocks", vec![Arg::Rv(root)])
    }

    pub(crate) fn loops_around(&mut self, block: Rv) -> Result<Vec<Rv>> {
        self.several("get_loops", vec![Arg::Rv(block)])
    }

    /// Splits a loop; `None` is the factor that is as small as it can be.
    pub(crate) fn split_by(&mut self, l: Rv, factors: &[Option<Expr>]) -> Result<Vec<Rv>> {
        let factor = |factor: &Option<Expr>| factor.clone().map_or(NONE, Arg::Expr);
        let factors = Arg::List(factors.iter().map(factor).collect());
        self.several("split", vec![Arg::Rv(l), factors, flag(true), flag(false)])
    }

    /// Parts of a loop one behind the other; `None` is what the others leave.
    pub(crate) fn partition_by(&mut self, l: Rv, sizes: &[Option<Expr>]) -> Result<Vec<Rv>> {
        let size = |size: &Option<Expr>| size.clone().map_or(NONE, Arg::Expr);
        self.several("loop_partition", vec![Arg::Rv(l), Arg::List(sizes.iter().map(size).collect()), flag(true)])
    }

    /// One loop of several, given from outside inwards; itself where there is one.
    pub(crate) fn fuse_all(&mut self, loops: &[Rv]) -> Result<Rv> {
        match loops {
            [only] => Ok(*only),
            _ => self.one("fuse", vec![list(loops), flag(true)]),
        }
    }

    pub(crate) fn reorder_to(&mut self, loops: &[Rv]) -> Result<()> {
        self.apply_named("reorder", vec![list(loops)]).map(drop)
    }

    pub(crate) fn on_loop(&mut self, method: &'static str, l: Rv) -> Result<()> {
        self.apply_named(method, vec![Arg::Rv(l)]).map(drop)
    }

    pub(crate) fn on_block(&mut self, method: &'static str, block: Rv) -> Result<()> {
        self.apply_named(method, vec![Arg::Rv(block)]).map(drop)
    }

    /// `compute_at` and `reverse_compute_at`.
    pub(crate) fn move_to(&mut self, method: &'static str, block: Rv, l: Rv) -> Result<()> {
        self.apply_named(method, vec![Arg::Rv(block), Arg::Rv(l), flag(false), int(-1)]).map(drop)
    }

    /// The function, and the place in it that a handle stands for.
    pub(crate) fn site(&self, rv: Rv) -> Option<(&PrimFunc, Site)> {
        let (name, key): (_, &Key) = self.place_of(rv)?;
        let function = self.module().prim(name)?;
        crate::tree::find(&function.body, key).map(|site| (&**function, site))
    }
}
