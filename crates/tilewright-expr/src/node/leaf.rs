//! Plain values of the IR: no parts, compared by value.

use std::sync::Arc;

use tilewright_support::{Origins, Span};
use tilewright_tensor::DataType;

use super::{EqCx, HashCx, Input, IrNode, LoadError, Loader, Mapper, Saver, Step, Visitor};

/// A plain value: says how it is hashed, saved and loaded, and is an [`IrNode`] by `ir_leaf!`.
pub trait Leaf: PartialEq + Sized + 'static {
    fn feed(&self, cx: &mut HashCx);
    fn save(&self, out: &mut Saver);
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError>;
}

/// `IrNode` for types that are a [`Leaf`](crate::node::Leaf).
#[macro_export]
macro_rules! ir_leaf {
    ($($type:ty),*) => { $(
        impl $crate::node::IrNode for $type {
            fn visit_children(&self, _: &mut dyn $crate::node::Visitor) {}
            fn map_children(&self, _: &mut dyn $crate::node::Mapper) -> Option<Self> {
                None
            }
            fn node_eq(&self, other: &Self, cx: &mut $crate::node::EqCx) -> bool {
                self == other || cx.differ()
            }
            fn node_hash(&self, cx: &mut $crate::node::HashCx) {
                $crate::node::Leaf::feed(self, cx);
            }
            fn parts<'n>(&'n self, _: &mut dyn FnMut($crate::node::Step, &'n dyn $crate::node::IrNode)) {}
            fn save(&self, out: &mut $crate::node::Saver) {
                $crate::node::Leaf::save(self, out);
            }
            fn load(
                input: $crate::node::Input<'_>,
                cx: &mut $crate::node::Loader<'_>,
            ) -> Result<Self, $crate::node::LoadError> {
                $crate::node::Leaf::load(input, cx)
            }
        }
    )* };
}

macro_rules! leaves {
    ($($type:ty: hash |$value:ident, $cx:ident| $hash:expr, save |$out:ident| $save:expr, load |$input:ident| $load:expr;)*)
    => { $(
        impl Leaf for $type {
            fn feed(&self, $cx: &mut HashCx) {
                let $value = self;
                $hash
            }
            fn save(&self, $out: &mut Saver) {
                let $value = self;
                $save
            }
            fn load($input: Input<'_>, _: &mut Loader<'_>) -> Result<Self, LoadError> {
                $load
            }
        }
        ir_leaf!($type);
    )* };
}

leaves! {
    bool: hash |v, cx| cx.word(u64::from(*v)), save |out| out.bool(*v), load |input| input.bool();
    u16: hash |v, cx| cx.word(u64::from(*v)),
        save |out| out.int(i64::from(*v)),
        load |input| Ok(input.unsigned(u64::from(Self::MAX))? as Self);
    usize: hash |v, cx| cx.word(*v as u64),
        save |out| out.int(i64::try_from(*v).unwrap_or(i64::MAX)),
        load |input| Ok(input.unsigned(i64::MAX as u64)? as Self);
    i64: hash |v, cx| cx.word(*v as u64), save |out| out.int(*v), load |input| input.int();
    String: hash |v, cx| cx.bytes(v.as_bytes()), save |out| out.text(v), load |input| Ok(input.text()?.into_owned());
    Arc<str>: hash |v, cx| cx.bytes(v.as_bytes()), save |out| out.text(v), load |input| Ok(input.text()?.into());
    DataType: hash |v, cx| cx.word(u64::from(v.code as u8) << 32 | u64::from(v.bits) << 16 | u64::from(v.lanes)),
        save |out| out.text(&v.to_string()),
        load |input| input.parsed("a data type");
    FloatBits: hash |v, cx| cx.word(v.0.to_bits()), save |out| out.float(v.0), load |input| input.float().map(Self);
}

/// A float that is a constant of the IR: compared and hashed by its bits, so that NaN equals itself and -0 differs from
/// 0.
#[derive(Clone, Copy)]
pub struct FloatBits(pub f64);

impl PartialEq for FloatBits {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for FloatBits {}
impl std::fmt::Debug for FloatBits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&self.0, f)
    }
}

fn save_span(span: &Span, out: &mut Saver) {
    out.open('[');
    out.item();
    out.file(&span.file);
    for end in [span.start, span.end] {
        out.item();
        out.int(i64::from(end));
    }
    out.close(']');
}

fn load_span(input: Input<'_>, cx: &Loader<'_>) -> Result<Span, LoadError> {
    let [file, start, end] = input.tuple("a span")?;
    let file = cx.file(file)?;
    let max = u64::try_from(file.text.len()).unwrap_or(u64::MAX).min(u64::from(u32::MAX));
    let (from, to) = (start.unsigned(max)?, end.unsigned(max)?);
    if from > to {
        return input.fail(format!("a span that begins at {from} and ends at {to}"));
    }
    Ok(Span::new(&file, from as u32, to as u32))
}

/// Places have no meaning: they are saved and loaded, and ignored by equality and hash.
impl IrNode for Origins {
    fn visit_children(&self, _: &mut dyn Visitor) {}
    fn map_children(&self, _: &mut dyn Mapper) -> Option<Self> {
        None
    }
    fn node_eq(&self, _: &Self, _: &mut EqCx) -> bool {
        true
    }
    fn node_hash(&self, _: &mut HashCx) {}
    fn parts<'n>(&'n self, _: &mut dyn FnMut(Step, &'n dyn IrNode)) {}
    fn save(&self, out: &mut Saver) {
        out.open('[');
        for span in self.spans() {
            out.item();
            save_span(span, out);
        }
        out.close(']');
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        input.items()?.map(|span| load_span(span, cx)).collect()
    }
}
