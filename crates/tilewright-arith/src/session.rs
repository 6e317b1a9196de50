//! One simplification: every distinct node is interned once, so that equality is identity and sharing costs nothing.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use tilewright_expr::node::VarId;
use tilewright_expr::semantics::{self, Scalar};
use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForeignCallee, Intrinsic, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use crate::analyzer::Analyzer;
use crate::bounds::IntBounds;
use crate::linear::Linear;
use crate::modular::ModularSet;

/// The number of an interned node.
pub(crate) type Id = u32;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Tag {
    Int(i64),
    Float(u64),
    Str(Arc<str>),
    Var(VarId),
    Binary(BinOp),
    Compare(CmpOp),
    Not,
    Select,
    Cast,
    Load(Buffer, bool),
    Ramp,
    Broadcast,
    Shuffle(Vec<usize>),
    Let(Var),
    Call(Intrinsic),
    Reinterpret,
    AddressOf(Buffer),
    /// The callee, and the address of the original node: two calls of one function are two calls.
    Foreign(ForeignCallee, usize),
    /// Coefficients of the children, and the constant.
    Linear(Vec<i64>, i64),
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) dtype: DataType,
    pub(crate) tag: Tag,
    pub(crate) ids: Vec<Id>,
}

pub(crate) struct Node {
    pub(crate) expr: Expr,
    pub(crate) bounds: IntBounds,
    pub(crate) modular: ModularSet,
    /// Made of variables and constants only: arithmetic over the mathematical integers.
    pub(crate) index: bool,
    /// The value is the mathematical one, even if it comes from memory: nothing wrapped around.
    pub(crate) exact: bool,
    pub(crate) tag: Tag,
    pub(crate) ids: Vec<Id>,
    structure: u64,
}

/// The purpose of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The result is wanted: it never has more operations than the original.
    Output,
    /// As `Output`, with commutative operands in an order that does not depend on the original's.
    Canonical,
    /// Only a truth is wanted: products are written out and conversions between index types are looked through.
    Proof,
}

pub(crate) struct Session<'a> {
    pub(crate) facts: &'a Analyzer,
    pub(crate) mode: Mode,
    nodes: Vec<Node>,
    pub(crate) table: Map<Key, Id>,
    /// Results by address of the shared input, which is kept alive.
    pub(crate) memo: Map<usize, (Expr, Id)>,
    pub(crate) forms: Map<Id, Rc<Linear>>,
    /// Foreign calls, kept alive so that their addresses stay theirs.
    pub(crate) foreign: Vec<Expr>,
    /// Variables of `Let` that are replaced by their values.
    pub(crate) replaced: Map<VarId, Id>,
    /// Variables of `Let` that stay.
    pub(crate) local: Map<VarId, (IntBounds, bool)>,
    /// Memoised results of operations on nodes: rules request the same ones again and again.
    pub(crate) results: Map<(BinOp, Id, Id), Id>,
    /// Memoised negations, both ways.
    pub(crate) negated: Map<Id, Id>,
    /// Rules of the table that are being applied, one inside the other.
    pub(crate) depth: u32,
    pub(crate) assumed: Option<Rc<Vec<Linear>>>,
    /// Steps that proofs may still take: some for a start and some for every node, so that all of them are linear work.
    pub(crate) credit: u64,
}

/// Steps of proofs for a start.
const CREDIT: u64 = 20_000;
/// Steps of proofs for every node.
const CREDIT_OF_NODE: u64 = 4;

pub(crate) fn is_index_type(dtype: DataType) -> bool {
    dtype == DataType::I32 || dtype == DataType::I64
}

/// Whether the order of the operands says nothing.
fn is_commutative(tag: &Tag) -> bool {
    use BinOp::{BitAnd, BitOr, BitXor, Max, Min};
    matches!(tag, Tag::Binary(Min | Max | BitAnd | BitOr | BitXor) | Tag::Compare(CmpOp::Eq | CmpOp::Ne))
}

impl<'a> Session<'a> {
    pub(crate) fn new(facts: &'a Analyzer, mode: Mode) -> Self {
        Self {
            facts,
            mode,
            nodes: Vec::new(),
            table: Map::default(),
            memo: Map::default(),
            forms: Map::default(),
            foreign: Vec::new(),
            replaced: Map::default(),
            local: Map::default(),
            results: Map::default(),
            negated: Map::default(),
            depth: 0,
            credit: CREDIT,
            assumed: None,
        }
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn expr(&self, id: Id) -> Expr {
        self.node(id).expr.clone()
    }

    pub(crate) fn dtype(&self, id: Id) -> DataType {
        self.node(id).expr.dtype
    }

    /// The node's sum: of one term, itself, unless it is a sum or a constant.
    pub(crate) fn form(&mut self, id: Id) -> Rc<Linear> {
        if let Some(form) = self.forms.get(&id) {
            return form.clone();
        }
        let form = Rc::new(match self.node(id).expr.as_int() {
            Some(value) => Linear::constant(value),
            None => Linear::atom(id),
        });
        self.forms.insert(id, form.clone());
        form
    }

    /// Interns a node whose children are interned.
    pub(crate) fn make(&mut self, dtype: DataType, tag: Tag, mut ids: Vec<Id>) -> Id {
        if self.mode == Mode::Canonical && is_commutative(&tag) {
            ids.sort_by_cached_key(|&id| self.rank(id));
        }
        let key = Key { dtype, tag, ids };
        if let Some(&id) = self.table.get(&key) {
            return id;
        }
        let expr = self.build(dtype, &key.tag, &key.ids);
        self.intern(key, expr)
    }

    pub(crate) fn intern(&mut self, key: Key, expr: Expr) -> Id {
        let of_type = IntBounds::of_type(key.dtype);
        let raw = if key.dtype.is_float() { IntBounds::ANY } else { self.bounds_of(key.dtype, &key.tag, &key.ids) };
        let index = self.index_of(key.dtype, &key.tag, &key.ids);
        let fits = raw.within(of_type);
        let leaf = matches!(key.tag, Tag::Load(..) | Tag::Var(_) | Tag::Int(_) | Tag::Cast | Tag::Compare(_));
        let exact = index || leaf || (fits && key.ids.iter().all(|&id| self.node(id).exact));
        let bounds = match () {
            () if index => raw,
            () if fits && exact => raw,
            () => of_type,
        };
        let modular = match exact && (index || fits) && !key.dtype.is_float() {
            true => self.modular_of(&key.tag, &key.ids, key.dtype.lanes),
            false => ModularSet::ANY,
        };
        self.credit += CREDIT_OF_NODE;
        let structure = self.structure_of(&key, &expr);
        let id = self.nodes.len() as Id;
        self.nodes.push(Node {
            expr,
            bounds,
            modular,
            index,
            exact,
            tag: key.tag.clone(),
            ids: key.ids.clone(),
            structure,
        });
        self.table.insert(key, id);
        id
    }

    pub(crate) fn int(&mut self, value: i64, dtype: DataType) -> Id {
        self.make(dtype, Tag::Int(semantics::wrap(value, dtype)), Vec::new())
    }

    pub(crate) fn bool(&mut self, value: bool) -> Id {
        self.int(i64::from(value), DataType::BOOL)
    }

    pub(crate) fn float(&mut self, value: f64, dtype: DataType) -> Id {
        self.make(dtype, Tag::Float(value.to_bits()), Vec::new())
    }

    /// The rank of a node among others that are added or compared: variables by name, then everything else, constants
    /// last. It depends on names and structure only.
    pub(crate) fn rank(&self, id: Id) -> (u8, std::sync::Arc<str>, u64) {
        let node = self.node(id);
        match (&node.tag, &node.expr.kind) {
            (Tag::Var(_), ExprKind::Var(var)) => (0, var.name.clone(), 0),
            (Tag::Int(_) | Tag::Float(_), _) => (2, "".into(), 0),
            _ => (1, "".into(), node.structure),
        }
    }

    /// A hash of names and structure, for a canonical order.
    fn structure_of(&self, key: &Key, expr: &Expr) -> u64 {
        if self.mode != Mode::Canonical {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        match (&key.tag, &expr.kind) {
            (_, ExprKind::Var(var)) => var.name.hash(&mut hasher),
            (Tag::Int(value), _) => value.hash(&mut hasher),
            (Tag::Binary(op), _) => op.hash(&mut hasher),
            (Tag::Compare(op), _) => op.hash(&mut hasher),
            (Tag::Linear(coefficients, constant), _) => (coefficients, constant).hash(&mut hasher),
            (Tag::Load(buffer, _), _) => buffer.name.hash(&mut hasher),
            (tag, _) => std::mem::discriminant(tag).hash(&mut hasher),
        }
        key.ids.iter().for_each(|&id| self.node(id).structure.hash(&mut hasher));
        hasher.finish()
    }

    /// `x` and `c` of `x op c`, a positive constant.
    pub(crate) fn divided_by_constant(&self, id: Id, op: BinOp) -> Option<(Id, i64)> {
        let node = self.node(id);
        match (&node.tag, node.ids.as_slice()) {
            (Tag::Binary(found), &[x, c]) if *found == op => {
                self.node(c).expr.as_int().filter(|&c| c > 0).map(|c| (x, c))
            }
            _ => None,
        }
    }

    fn index_of(&self, dtype: DataType, tag: &Tag, ids: &[Id]) -> bool {
        let children = || ids.iter().all(|&id| self.node(id).index);
        match tag {
            Tag::Int(_) => true,
            Tag::Var(id) => match self.local.get(id) {
                Some(&(_, index)) => index,
                None => is_index_type(dtype) && !self.facts.is_element(*id),
            },
            Tag::Float(_) | Tag::Str(_) | Tag::Load(..) => false,
            Tag::Reinterpret | Tag::AddressOf(_) | Tag::Foreign(..) => false,
            Tag::Call(intrinsic) => *intrinsic == Intrinsic::IfThenElse && children(),
            Tag::Cast => is_index_type(dtype.element()) && children(),
            Tag::Binary(_) | Tag::Linear(..) => (is_index_type(dtype.element()) || dtype.is_bool()) && children(),
            Tag::Let(_) | Tag::Compare(_) | Tag::Not | Tag::Select => children(),
            Tag::Ramp | Tag::Broadcast | Tag::Shuffle(_) => children(),
        }
    }

    fn bounds_of(&self, dtype: DataType, tag: &Tag, ids: &[Id]) -> IntBounds {
        let at = |i: usize| self.node(ids[i]).bounds;
        let of_type = IntBounds::of_type(dtype);
        match tag {
            Tag::Int(value) if dtype.is_signed() || *value >= 0 => IntBounds::constant(*value),
            Tag::Var(id) => {
                let known = self.local.get(id).map_or_else(|| self.facts.var_bounds(*id), |&(bounds, _)| bounds);
                known.meet(of_type)
            }
            Tag::Linear(coefficients, constant) => ids
                .iter()
                .zip(coefficients)
                .fold(IntBounds::constant(*constant), |sum, (&id, &c)| sum.plus(self.node(id).bounds.scaled(c))),
            // x · x >= 0
            Tag::Binary(BinOp::Mul) if ids[0] == ids[1] => {
                let square = at(0).times(at(0));
                IntBounds::new(square.min.map_or(Some(0), |min| Some(min.max(0))), square.max)
            }
            // A count of the width or more, read as unsigned, leaves nothing.
            Tag::Binary(BinOp::Shl | BinOp::Shr)
                if at(1).value().is_some_and(|by| !(0..i64::from(dtype.bits)).contains(&by)) =>
            {
                IntBounds::constant(0)
            }
            Tag::Binary(BinOp::Shr) if let Some(by) = at(1).value() => {
                IntBounds::new(at(0).min.map(|x| x >> by), at(0).max.map(|x| x >> by))
            }
            // Bits that are shifted out are lost.
            Tag::Binary(BinOp::Shl) if let Some(by @ 0..=61) = at(1).value() => {
                let shifted = at(0).scaled(1 << by);
                let kept = shifted.min.is_some() && shifted.max.is_some() && shifted.within(of_type);
                if kept { shifted } else { of_type }
            }
            Tag::Binary(op) => crate::divide::binary_bounds(*op, at(0), at(1)).unwrap_or(of_type),
            Tag::Select => at(1).hull(at(2)),
            Tag::Call(Intrinsic::IfThenElse) => at(1).hull(at(2)),
            // The least value has no opposite.
            Tag::Call(Intrinsic::Abs) if [at(0).min, at(0).max].contains(&Some(i64::MIN)) => of_type,
            Tag::Call(Intrinsic::Abs) if dtype.is_signed() && (self.node(ids[0]).index || at(0).min.is_some()) => {
                let size = at(0).hull(at(0).scaled(-1));
                let least =
                    if at(0).at_least(0) { at(0).min } else { at(0).max.filter(|&max| max < 0).map(|max| -max) };
                let bounds = IntBounds::new(least.or(Some(0)), size.max);
                if bounds.within(of_type) { bounds } else { of_type }
            }
            Tag::Cast if self.dtype(ids[0]).is_float() => of_type,
            Tag::Cast if at(0).within(of_type) && self.dtype(ids[0]).bits <= dtype.bits.max(63) => at(0),
            Tag::Cast if self.node(ids[0]).index && dtype == DataType::I64 => at(0),
            Tag::Let(_) => at(1),
            Tag::Broadcast => at(0),
            Tag::Ramp => at(0).hull(at(0).plus(at(1).scaled(i64::from(dtype.lanes) - 1))),
            _ => of_type,
        }
    }

    /// The constant in every lane, or the constant itself.
    pub(crate) fn lane_value(&self, id: Id) -> Option<i64> {
        let node = self.node(id);
        match node.tag {
            Tag::Int(value) => Some(value),
            Tag::Broadcast => self.lane_value(node.ids[0]),
            _ => None,
        }
    }

    /// The constant as the table of semantics sees it.
    pub(crate) fn scalar(&self, id: Id) -> Option<Scalar> {
        let dtype = self.dtype(id);
        match self.node(id).tag {
            Tag::Int(value) => Some(Scalar::from_int(value, dtype)),
            Tag::Float(bits) => Some(Scalar::from_float(f64::from_bits(bits), dtype)),
            _ => None,
        }
    }

    pub(crate) fn constant(&mut self, value: Scalar) -> Id {
        let dtype = value.dtype();
        if dtype.is_float() { self.float(value.as_float(), dtype) } else { self.int(value.as_int(), dtype) }
    }
}
