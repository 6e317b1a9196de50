//! Vectors of all lengths under predicates: what they mask off is neither read nor written, on machines with and
//! without registers for masks.

use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Stmt, StmtKind, Var};
use tilewright_runtime::Value;
use tilewright_target::Target;
use tilewright_tensor::{DataType, Tensor};

use crate::flat::{buffer, flat, machine, run};

const I64: DataType = DataType::I64;

/// Lanes that are there, `from..to`, and how the predicate says so.
#[derive(Clone, Copy, Debug)]
struct Case {
    lanes: u16,
    from: i64,
    to: i64,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// One condition for all lanes, and constants.
    Broadcast,
    /// The same, and the predicate has a name.
    Named,
    /// A comparison with a number that the caller passes, and constants.
    Compared,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for lanes in 2..=17u16 {
            let n = i64::from(lanes);
            for (from, to) in [(0, n / 2), (0, 1), (n - 1, n), (n / 2, n), (1, n - 1), (0, n - 1), (n / 4, n / 2)] {
                let forms = [Form::Broadcast, Form::Named, Form::Compared];
                cases.extend(forms.map(|form| Self { lanes, from, to, form }).iter().filter(|_| from < to));
            }
        }
        cases
    }

    /// `r[at - from] = a[at - from]` in the lanes that are there, where `k` is above zero: all other lanes of an index
    /// lie outside of both buffers.
    fn kernel(&self, number: usize, dtype: DataType) -> LowTir {
        let count = self.to - self.from;
        let (a, r, k) = (buffer("A", count, dtype), buffer("R", count, dtype), Var::new("k", I64));
        let of = |value: &Expr| value.broadcast(self.lanes).unwrap();
        let ramp = |base: i64| Expr::ramp(&Expr::i64(base), &Expr::i64(1), self.lanes).unwrap();
        let less = |a: &Expr, b: &Expr| Expr::compare(CmpOp::Lt, a, b).unwrap();
        let and = |a: &Expr, b: &Expr| Expr::binary(BinOp::And, a, b).unwrap();
        let lanes = ramp(0);
        let constant = and(&less(&of(&Expr::i64(self.from - 1)), &lanes), &less(&lanes, &of(&Expr::i64(self.to))));
        let k = (Expr::var(&k), k);
        let varying = match self.form {
            Form::Broadcast | Form::Named => of(&less(&Expr::i64(0), &k.0)),
            Form::Compared => less(&lanes, &of(&(&k.0 * &Expr::i64(100)))),
        };
        let predicate = and(&varying, &constant);
        let index = ramp(-self.from);
        let body = |predicate: &Expr| copy(&a, &r, &index, predicate);
        let body = if self.form == Form::Named {
            let named = Var::new("inside", predicate.dtype);
            StmtKind::Let { body: body(&Expr::var(&named)), var: named, value: predicate }.into()
        } else {
            body(&predicate)
        };
        flat(&format!("f{number}"), &[&a, &r], &[&k.1], body)
    }
}

fn copy(a: &Buffer, r: &Buffer, index: &Expr, predicate: &Expr) -> Stmt {
    let value = Expr::load_where(a, vec![index.clone()], Some(predicate.clone())).unwrap();
    Stmt::store_where(r, vec![index.clone()], &value, Some(predicate.clone())).unwrap()
}

/// Copies under every predicate, where all of it holds and where none does.
fn check(target: &Target, dtype: DataType) {
    let cases = Case::all();
    let kernels: Vec<LowTir> = cases.iter().enumerate().map(|(number, case)| case.kernel(number, dtype)).collect();
    let machine = machine(&kernels, target);
    for (case, kernel) in cases.iter().zip(&kernels) {
        let count = case.to - case.from;
        let bytes: Vec<u8> = (0..count as usize * dtype.element_bytes()).map(|i| (i % 2) as u8).collect();
        for k in [1i64, 0] {
            let source = Tensor::from_bytes(dtype, &[count], &bytes).unwrap();
            let result = Tensor::zeros(dtype, &[count]).unwrap();
            run(&machine, kernel.symbol(), &[source.into(), result.clone().into(), Value::Int(k)]).unwrap();
            let expected = if k == 1 { bytes.clone() } else { vec![0; bytes.len()] };
            assert_eq!(result.as_bytes().unwrap(), expected, "{dtype} {case:?} {k}");
        }
    }
}

const TYPES: [DataType; 4] = [DataType::F32, DataType::F64, DataType::I32, DataType::BOOL];

#[test]
fn lanes_that_are_masked_off_are_not_touched() {
    TYPES.iter().for_each(|&dtype| check(&Target::host(), dtype));
}

/// As far as the host runs their code.
#[test]
fn lanes_that_are_masked_off_are_not_touched_without_registers_for_masks() {
    let host = Target::host();
    for name in ["haswell", "x86-64"] {
        let Ok(target) = Target::parse(&format!("llvm -mcpu={name}")) else { continue };
        if target.arch == host.arch && target.required_features().iter().all(|feature| host.has(feature)) {
            TYPES.iter().for_each(|&dtype| check(&target, dtype));
        }
    }
}
