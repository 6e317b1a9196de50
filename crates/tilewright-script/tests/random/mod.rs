//! Random well-formed modules of both levels that have every kind of node in them, for tests and benches: `prim` and
//! `scalar` make PrimFuncs, `graph` makes graph functions.
//!
//! The modules satisfy the verifier, but mean nothing and are not to be run.

mod graph;
mod prim;
mod scalar;

use tilewright_expr::node::FloatBits;
use tilewright_expr::{BinOp, Expr, Var};
use tilewright_ir::relax::{Constant, VDevice};
use tilewright_ir::tir::attr_names;
use tilewright_ir::{Attr, Attrs, GlobalInfo, IRModule, IndexMap};
use tilewright_tensor::{DataType, Tensor};

use graph::Callable;

/// Names that meet each other, words of Python and of the script, and no identifiers.
const NAMES: [&str; 12] = ["x", "i", "x_1", "lv", "lambda", "T", "a.b", "cls", "v", "é", "metadata", "s"];

/// Makes modules from a seed.
#[derive(Debug)]
pub(crate) struct Generator {
    state: u64,
    /// Whether the function being made calls something with side effects.
    impure: bool,
    /// The names that calls may use; set while a module is made.
    callable: Option<Callable>,
    /// Devices of the module.
    devices: Vec<VDevice>,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { state, impure: false, callable: None, devices: Vec::new() }
    }

    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 20) as usize % end
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<X: Clone>(&mut self, items: &[X]) -> X {
        items[self.below(items.len())].clone()
    }

    fn name(&mut self) -> &'static str {
        self.pick(&NAMES)
    }

    /// A module of four to seven functions.
    pub(crate) fn module(&mut self) -> IRModule {
        let mut module = IRModule::new();
        if self.chance(4) {
            module.attrs = self.attrs(1);
        }
        if self.chance(4) {
            self.global_infos(&mut module);
        }
        self.callable = Some(Callable::add_to(&mut module));
        for i in 0..self.below(3) {
            let name = format!("f{i}");
            let function = self.prim_func(&name);
            module.insert(name, function);
        }
        for i in 0..self.below(2) + 1 {
            let name = format!("g{i}");
            let function = self.function(&name);
            module.insert(name, function);
        }
        module
    }

    fn global_infos(&mut self, module: &mut IRModule) {
        let device = |target: &str, id, scope: &str| VDevice { target: target.into(), id, memory_scope: scope.into() };
        let all = [device("llvm", 0, "global"), device("llvm", 1, "global"), device("cuda", 0, "global")];
        self.devices = all[..self.below(3) + 1].to_vec();
        let infos = self.devices.iter().cloned().map(GlobalInfo::VDevice).collect();
        module.global_infos.insert(GlobalInfo::VDEVICES.into(), infos);
        if self.chance(2) {
            module.global_infos.insert("dummy".into(), vec![GlobalInfo::Dummy; self.below(2) + 1]);
        }
    }

    fn symbol(&mut self, name: &str) -> Attrs {
        let mut attrs = self.attrs(2);
        if !self.chance(3) {
            attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(name));
        }
        attrs
    }

    fn attrs(&mut self, depth: usize) -> Attrs {
        (0..self.below(3)).map(|_| (self.name().into(), self.attr(depth))).collect()
    }

    fn attr(&mut self, depth: usize) -> Attr {
        match self.below(if depth == 0 { 9 } else { 11 }) {
            0 => Attr::None,
            1 => Attr::Bool(self.chance(2)),
            2 => Attr::Int(self.below(9) as i64 - 4),
            3 => Attr::Float(FloatBits(self.pick(&[
                0.5,
                -0.0,
                -1e30,
                1e-300,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
            ]))),
            4 => Attr::str(self.pick(&["", "a\"b\\", "ü\n", "{x}", "\u{1}\u{2028}'"])),
            5 => Attr::DType(DataType::I8.with_lanes(4)),
            6 => Attr::Expr(self.pick(&[Expr::i64(3), Expr::i32(3), Expr::float(2.0, DataType::F32)])),
            7 => Attr::Tensor(Constant(Tensor::from_vec(&[2], vec![self.below(5) as f32, -0.0]).unwrap())),
            8 => Attr::IndexMap(self.index_map()),
            9 => Attr::Array((0..self.below(3)).map(|_| self.attr(depth - 1)).collect()),
            _ => Attr::Map(self.attrs(depth - 1)),
        }
    }

    /// A map of two indices to one to three.
    fn index_map(&mut self) -> IndexMap {
        let (i, j) = (Var::new("i", DataType::I64), Var::new("j", DataType::I64));
        let (a, b) = (Expr::var(&i), Expr::var(&j));
        let size = Expr::i64(2 + self.below(3) as i64);
        let results = match self.below(3) {
            0 => vec![b, a],
            1 => vec![a * size + b],
            _ => {
                let part = |op| Expr::binary(op, &a, &size).unwrap();
                vec![part(BinOp::FloorDiv), part(BinOp::FloorMod), b]
            }
        };
        IndexMap::new(vec![i, j], results).unwrap()
    }
}
