//! An entry of the table, and the macro with which a family lists its own.

use tilewright_ir::op::OpDef;

use super::{Arg, Call, Kind, Literal, Value};
use crate::{Error, Graph, Result};

/// A function of tensors: an entry of the table.
#[derive(Debug)]
pub struct OpFn {
    pub name: &'static str,
    pub params: &'static [Param],
    pub doc: &'static str,
    /// The name that the result's variable gets where the caller says none.
    pub result_name: &'static str,
    /// The type of the result in a Python signature.
    pub result: &'static str,
    pub build: Build,
}

/// A parameter of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: &'static str,
    pub kind: Kind,
    /// The attribute of the graph operator that it is, where the entry is one operator.
    pub attr: &'static str,
    /// `None` where the caller has to give it.
    pub default: Option<Literal>,
}

/// How an entry is written.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// One call of an operator.
    Op(&'static OpDef),
    /// Whatever a function writes.
    With(fn(&Call<'_>) -> Result<Value>),
}

impl OpFn {
    /// Writes the function of these arguments, one for each parameter, into a graph function; the result's variable
    /// is called `name`.
    pub fn call(&'static self, graph: &Graph, args: Vec<Arg>, name: &str) -> Result<Value> {
        if args.len() != self.params.len() {
            let (wanted, given) = (self.params.len(), args.len());
            return Err(Error::new(format!("op.{} takes {wanted} arguments, found {given}", self.name)));
        }
        let call = Call { entry: self, graph, args, name };
        match self.build {
            Build::Op(op) => call.whole(op),
            Build::With(build) => build(&call),
        }
    }

    /// The same, where a tensor is among the arguments, and by the entry's own name for results.
    pub(crate) fn of(&'static self, args: Vec<Arg>) -> Result<Value> {
        let graph = args.iter().find_map(Arg::graph).cloned();
        let graph =
            graph.ok_or_else(|| Error::new(format!("op.{}: expected a tensor among the arguments", self.name)))?;
        self.call(&graph, args, self.result_name)
    }
}

/// The name in a table without the mark of an identifier that is a keyword.
pub(crate) const fn plain(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', rest @ ..] => match str::from_utf8(rest) {
            Ok(plain) => plain,
            Err(_) => name,
        },
        _ => name,
    }
}

/// The last of the names that are given.
pub(crate) const fn last(names: &[&'static str]) -> &'static str {
    match names {
        [.., last] => last,
        [] => "",
    }
}

/// The entries of a family, listed in `TABLE`; see the module's documentation. `name[graph](…)` is a function that
/// takes the graph before its arguments, since it may have no tensor among them; `as "mul"` is the name of results.
macro_rules! op_fns {
    ($($table:ident;)? $($(#[doc = $doc:literal])+
        $name:ident $([$graph:ident])? (
            $($req:ident $(-> $req_attr:ident)? : $req_kind:ident),+
            $(; $($opt:ident $(-> $opt_attr:ident)? : $opt_kind:ident = $default:ident $(($value:expr))?),+)?
        ) $(as $result:literal)? -> $gives:ident $(= $op:path)? $(=> $build:expr)?;
    )*) => {
        op_fns!(@table $($table)? [$($name)*]);

        $(
            $(#[doc = $doc])+
            pub fn $name($($graph: &$crate::Graph,)? $($req: op_fns!(@type $req_kind)),+)
                -> $crate::Result<op_fns!(@result $gives)>
            {
                $name::with($($graph,)? $($req,)+ $(op_fns!(@defaults $name $($opt)+))?)
            }

            #[doc = concat!("The entry `", stringify!($name), "`.")]
            pub mod $name {
                use super::*;

                /// The entry of the table.
                pub static FN: $crate::op::OpFn = $crate::op::OpFn {
                    name: $crate::op::table::plain(stringify!($name)),
                    params: &[
                        $($crate::op::Param {
                            name: stringify!($req),
                            kind: $crate::op::Kind::$req_kind,
                            attr: $crate::op::table::last(&[stringify!($req) $(, stringify!($req_attr))?]),
                            default: None,
                        },)+
                        $($($crate::op::Param {
                            name: stringify!($opt),
                            kind: $crate::op::Kind::$opt_kind,
                            attr: $crate::op::table::last(&[stringify!($opt) $(, stringify!($opt_attr))?]),
                            default: Some($crate::op::Literal::$default $(($value))?),
                        },)+)?
                    ],
                    doc: concat!($($doc, "\n"),+),
                    result_name: $crate::op::table::last(
                        &[$crate::op::table::plain(stringify!($name)) $(, $result)?],
                    ),
                    result: op_fns!(@python $gives),
                    build: op_fns!(@build $(= $op)? $(=> $build)?),
                };

                $(
                    /// The parameters that have defaults.
                    #[derive(Clone, Debug)]
                    pub struct Options {
                        $(pub $opt: $crate::op::Arg),+
                    }

                    impl Default for Options {
                        fn default() -> Self {
                            Self { $($opt: $crate::op::Literal::$default $(($value))?.into()),+ }
                        }
                    }
                )?

                $(#[doc = $doc])+
                pub fn with(
                    $($graph: &$crate::Graph,)?
                    $($req: op_fns!(@type $req_kind),)+
                    $(options: op_fns!(@options $($opt)+),)?
                ) -> $crate::Result<op_fns!(@result $gives)> {
                    let args = vec![$($req.into(),)+ $($(options.$opt),+)?];
                    op_fns!(@of $gives op_fns!(@call FN, args $(, $graph)?)?)
                }
            }
        )*
    };

    (@table [$($name:ident)*]) => {};
    (@table $table:ident [$($name:ident)*]) => {
        /// The entries of this family.
        pub(super) const $table: &[&$crate::op::OpFn] = &[$(&$name::FN),*];
    };
    (@type Tensor) => { &$crate::Tensor };
    (@type OptionalTensor) => { Option<&$crate::Tensor> };
    (@type Tensors) => { &[&$crate::Tensor] };
    (@type $other:ident) => { impl Into<$crate::op::Arg> };
    (@result Tensor) => { $crate::Tensor };
    (@result Tensors) => { Vec<$crate::Tensor> };
    (@result Value) => { $crate::op::Value };
    (@python Tensor) => { "Tensor" };
    (@python Tensors) => { "tuple[Tensor, ...]" };
    (@python Value) => { "Any" };
    (@of Tensor $value:expr) => { $value.one() };
    (@of Tensors $value:expr) => { $value.several() };
    (@of Value $value:expr) => { Ok($value) };
    (@options $($opt:ident)+) => { Options };
    (@defaults $name:ident $($opt:ident)+) => { $name::Options::default() };
    (@build = $op:path) => { $crate::op::Build::Op(&$op) };
    (@build => $build:expr) => { $crate::op::Build::With($build) };
    (@call $entry:expr, $args:expr) => { $entry.of($args) };
    (@call $entry:expr, $args:expr, $graph:ident) => { $entry.call($graph, $args, $entry.result_name) };
}

pub(crate) use op_fns;
