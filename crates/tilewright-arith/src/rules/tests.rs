//! Every line of the table on random values: both sides by the table of semantics, over mathematical integers without
//! overflow or over types that wrap around, as the line's domain says.

use tilewright_expr::node::VarId;
use tilewright_expr::semantics::{self, Scalar};
use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use super::pattern::{BOOLS, CONSTANTS, Equation, OPERANDS, equation};
use super::table::GROUPS;
use super::{Applied, Domain, Pattern, rewrite_rules};
use crate::Analyzer;
use crate::tests::Random;

/// Accepted samples of a line.
const SAMPLES: usize = 400;

/// Values of a rule's letters, and its types.
struct Sample {
    operands: [i64; OPERANDS.len()],
    /// Bools whose evaluation faults.
    faults: [bool; OPERANDS.len()],
    constants: [i64; CONSTANTS.len()],
    dtype: DataType,
    lanes: i64,
}

/// A value in one lane: an integer over the integers, or a bool.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Int(i64),
    Bool(bool),
}

/// Why there is no value.
#[derive(PartialEq, Debug)]
enum Stop {
    /// An operation faults.
    Fault,
    /// Over the mathematical integers the value is outside of the type.
    Overflow,
}

impl Sample {
    fn draw(random: &mut Random, dtype: DataType) -> Self {
        let mut sample = Self {
            operands: [0; OPERANDS.len()],
            faults: [false; OPERANDS.len()],
            constants: [0; CONSTANTS.len()],
            dtype,
            lanes: 2 + random.below(7) as i64,
        };
        sample.operands.iter_mut().for_each(|value| *value = draw(random, dtype));
        for n in BOOLS..OPERANDS.len() {
            sample.operands[n] = random.below(2) as i64;
            sample.faults[n] = random.below(12) == 0;
        }
        sample.constants.iter_mut().for_each(|value| *value = draw(random, dtype));
        sample
    }

    /// The pattern in one lane. `exact`: over the mathematical integers.
    fn eval(&self, pattern: &Pattern, lane: i64, exact: bool) -> Result<Value, Stop> {
        let int = |pattern: &Pattern| match self.eval(pattern, lane, exact)? {
            Value::Int(value) => Ok(value),
            Value::Bool(value) => panic!("{value} where an integer belongs"),
        };
        let bool = |pattern: &Pattern| match self.eval(pattern, lane, exact)? {
            Value::Bool(value) => Ok(value),
            Value::Int(value) => panic!("{value} where a bool belongs"),
        };
        Ok(match pattern {
            Pattern::Operand(n) if *n >= BOOLS && self.faults[*n] => return Err(Stop::Fault),
            Pattern::Operand(n) if *n >= BOOLS => Value::Bool(self.operands[*n] == 1),
            Pattern::Operand(n) => Value::Int(self.operands[*n]),
            Pattern::Constant(n) => Value::Int(self.constants[*n]),
            Pattern::Number(value) => Value::Int(semantics::wrap(*value, self.dtype)),
            Pattern::Bool(value) => Value::Bool(*value),
            Pattern::Lanes => Value::Int(self.lanes),
            Pattern::Bits => Value::Int(self.dtype.bits.into()),
            Pattern::Binary(BinOp::And, x, y) => Value::Bool(bool(x)? && bool(y)?),
            Pattern::Binary(BinOp::Or, x, y) => Value::Bool(bool(x)? || bool(y)?),
            Pattern::Binary(op, x, y) => Value::Int(self.binary(*op, int(x)?, int(y)?, exact)?),
            Pattern::Compare(op, x, y) => Value::Bool(match (self.eval(x, lane, exact)?, self.eval(y, lane, exact)?) {
                (Value::Int(x), Value::Int(y)) => {
                    semantics::compare(*op, Scalar::from_int(x, self.dtype), Scalar::from_int(y, self.dtype)).as_bool()
                }
                (Value::Bool(x), Value::Bool(y)) => {
                    semantics::compare(*op, Scalar::from_bool(x), Scalar::from_bool(y)).as_bool()
                }
                (x, y) => panic!("{x:?} with {y:?}"),
            }),
            Pattern::Not(x) => Value::Bool(!bool(x)?),
            Pattern::Select(all) => {
                let chosen = bool(&all[0])?;
                self.eval(&all[if chosen { 1 } else { 2 }], lane, exact)?
            }
            Pattern::FromBool(x) => Value::Int(bool(x)?.into()),
            Pattern::Ramp(x, s) => {
                let offset = self.binary(BinOp::Mul, int(s)?, lane, exact)?;
                Value::Int(self.binary(BinOp::Add, int(x)?, offset, exact)?)
            }
            Pattern::Broadcast(x) => self.eval(x, lane, exact)?,
        })
    }

    fn binary(&self, op: BinOp, x: i64, y: i64, exact: bool) -> Result<i64, Stop> {
        let wide = match op {
            BinOp::Add => Some(i128::from(x) + i128::from(y)),
            BinOp::Sub => Some(i128::from(x) - i128::from(y)),
            BinOp::Mul => Some(i128::from(x) * i128::from(y)),
            _ => None,
        };
        if exact && y == -1 && x == i64::MIN >> (64 - u32::from(self.dtype.bits)) && op.symbol() != "*" {
            // Its quotient by -1 is not of the type.
            return Err(Stop::Overflow);
        }
        let value = semantics::binary(op, Scalar::from_int(x, self.dtype), Scalar::from_int(y, self.dtype));
        let value = value.map_err(|_| Stop::Fault)?.as_int();
        if exact && wide.is_some_and(|wide| wide != i128::from(value)) {
            return Err(Stop::Overflow);
        }
        Ok(value)
    }

    fn holds(&self, condition: &Pattern) -> bool {
        (0..1).all(|lane| self.eval(condition, lane, true) == Ok(Value::Bool(true)))
    }
}

/// Small numbers most of the time, then powers of two, then the ends of the type.
fn draw(random: &mut Random, dtype: DataType) -> i64 {
    let value = match random.below(16) {
        0..=9 => random.below(19) as i64 - 8,
        10 | 11 => random.below(200) as i64 - 100,
        12 | 13 => (1i64 << random.below(30)) * if random.below(2) == 0 { 1 } else { -1 },
        14 => i64::MAX >> (64 - u32::from(dtype.bits)),
        _ => i64::MIN >> (64 - u32::from(dtype.bits)),
    };
    semantics::wrap(value, dtype)
}

fn lines() -> impl Iterator<Item = (Domain, Applied, &'static str, Equation)> {
    GROUPS.iter().flat_map(|group| {
        group.equations.iter().map(move |&text| {
            let read = equation(text).unwrap_or_else(|| panic!("no equation: {text}"));
            (group.domain, group.applied, text, read)
        })
    })
}

#[test]
fn both_sides_of_every_rule_have_the_same_value() {
    let types = |domain| match domain {
        Domain::Index => vec![DataType::I32, DataType::I64],
        _ => ["int8", "uint8", "int16", "uint32", "int32", "int64"].map(|name| name.parse().unwrap()).to_vec(),
    };
    for (domain, _, text, rule) in lines() {
        let mut random = Random(11);
        for dtype in types(domain) {
            let mut accepted = 0;
            for _ in 0..400_000 {
                let sample = Sample::draw(&mut random, dtype);
                if !rule.conditions.iter().all(|condition| sample.holds(condition)) {
                    continue;
                }
                let exact = domain == Domain::Index;
                let mut compared = false;
                for lane in 0..sample.lanes {
                    let Ok(expected) = sample.eval(&rule.left, lane, exact) else { continue };
                    match sample.eval(&rule.right, lane, exact) {
                        Err(Stop::Overflow) => {}
                        found => {
                            compared = true;
                            let (operands, constants) = (sample.operands, sample.constants);
                            assert_eq!(found, Ok(expected), "{text}: {dtype}, {operands:?} {constants:?}, lane {lane}");
                        }
                    }
                }
                accepted += usize::from(compared);
                if accepted == SAMPLES {
                    break;
                }
            }
            assert!(accepted >= SAMPLES / 8, "{text}: only {accepted} samples of {dtype}");
        }
    }
}

#[test]
fn the_right_side_is_never_worse() {
    for (_, _, text, rule) in lines() {
        assert!(rule.right.cost() <= rule.left.cost(), "{text}");
    }
}

#[test]
fn the_table_can_be_read_out() {
    let rules = rewrite_rules();
    assert_eq!(rules.len(), lines().count());
    assert!(rules.iter().all(|rule| rule.equation.contains(" = ") && !rule.equation.contains("where")));
    let mut texts: Vec<&str> = lines().map(|(_, _, text, _)| text).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), rules.len(), "a rule occurs in the table twice");
}

/// Expressions of patterns, without any folding.
struct Instance {
    vars: Vec<Expr>,
    sample: Sample,
}

impl Instance {
    fn new(sample: Sample) -> Self {
        let dtype = |n| if n >= BOOLS { DataType::BOOL } else { sample.dtype };
        let vars = (0..OPERANDS.len()).map(|n| Expr::var(&Var::new(OPERANDS[n].to_string(), dtype(n)))).collect();
        Self { vars, sample }
    }

    fn expr(&self, pattern: &Pattern, hint: DataType) -> Expr {
        let dtype = self.sample.dtype;
        let lanes = self.sample.lanes as u16;
        let pair = |x: &Pattern, y: &Pattern| {
            let bools = |p: &Pattern| matches!(p, Pattern::Bool(_)) || self.expr(p, dtype).dtype.is_bool();
            let hint = if bools(x) || bools(y) { DataType::BOOL } else { dtype };
            (self.expr(x, hint), self.expr(y, hint))
        };
        match pattern {
            Pattern::Operand(n) => self.vars[*n].clone(),
            Pattern::Constant(_) | Pattern::Number(_) | Pattern::Lanes | Pattern::Bits => {
                let Ok(Value::Int(value)) = self.sample.eval(pattern, 0, false) else { panic!("no constant") };
                Expr::int(value, dtype)
            }
            Pattern::Bool(value) => Expr::int(i64::from(*value), hint.with_lanes(1)),
            Pattern::Binary(op, x, y) => {
                let (x, y) = pair(x, y);
                Expr::raw(x.dtype, ExprKind::Binary(*op, x, y))
            }
            Pattern::Compare(op, x, y) => {
                let (x, y) = pair(x, y);
                Expr::raw(DataType::BOOL.with_lanes(x.dtype.lanes), ExprKind::Compare(*op, x, y))
            }
            Pattern::Not(x) => self.expr(x, DataType::BOOL).not().unwrap(),
            Pattern::Select(all) => {
                let (then, otherwise) = pair(&all[1], &all[2]);
                Expr::select(&self.expr(&all[0], DataType::BOOL), &then, &otherwise).unwrap()
            }
            Pattern::FromBool(x) => Expr::raw(dtype, ExprKind::Cast(self.expr(x, DataType::BOOL))),
            Pattern::Ramp(x, s) => Expr::ramp(&self.expr(x, dtype), &self.expr(s, dtype), lanes).unwrap(),
            Pattern::Broadcast(x) => self.expr(x, dtype).broadcast(lanes).unwrap(),
        }
    }
}

/// The number of operations, shared ones as often as they are used; those of vectors count twice.
fn operations(expr: &Expr) -> usize {
    let vector = |operand: &Expr| usize::from(operand.dtype.is_vector());
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Var(_) => 0,
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => 1 + vector(a) + operations(a) + operations(b),
        ExprKind::Not(a) | ExprKind::Cast(a) => 1 + operations(a),
        ExprKind::Broadcast(a) => operations(a) + usize::from(a.as_int().is_none()),
        ExprKind::Ramp { base, stride } => 1 + operations(base) + operations(stride),
        ExprKind::Select { condition, then, otherwise } => {
            1 + vector(then) + operations(condition) + operations(then) + operations(otherwise)
        }
        other => panic!("{other:?}"),
    }
}

/// Where the conditions are about constants alone, the left side becomes what the right side becomes, and no more than
/// the right side has: the line is at work, and not only true.
#[test]
fn every_rule_is_applied() {
    let mut idle = Vec::new();
    for (domain, _, text, rule) in lines() {
        let mut random = Random(23);
        let mut analyzer = Analyzer::new();
        let dtype = DataType::I64;
        let wanted = |sample: &Sample| {
            let divisor = sample.constants.iter().all(|c| (2..30).contains(&c.unsigned_abs()));
            divisor && rule.conditions.iter().all(|c| !c.is_constant() || sample.holds(c))
        };
        let Some(sample) = (0..400_000).map(|_| Sample::draw(&mut random, dtype)).find(wanted) else {
            panic!("no sample for {text}");
        };
        let instance = Instance::new(sample);
        for condition in rule.conditions.iter().filter(|c| !c.is_constant()) {
            analyzer.assume(&instance.expr(condition, DataType::BOOL));
        }
        let (left, right) = (instance.expr(&rule.left, dtype), instance.expr(&rule.right, dtype));
        let right = if rule.right.is_constant() { Expr::int(right.as_int().unwrap(), left.dtype) } else { right };
        let (simple, expected) = (analyzer.simplify(&left), analyzer.simplify(&right));
        assert!(operations(&simple) <= operations(&left), "{text}: {left:?}\n=> {simple:?}");
        if !simple.equal(&expected) && operations(&simple) > operations(&right) {
            idle.push(format!("{text} ({domain:?}): {simple:?}"));
        }
    }
    assert!(idle.is_empty(), "{} rules\n{}", idle.len(), idle.join("\n"));
}

/// NaN differs from itself: what holds for integers and truths does not hold for floats.
#[test]
fn floats_are_not_compared_away() {
    for dtype in ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float32x4"] {
        let x = Expr::var(&Var::new("x", dtype.parse().unwrap()));
        let bool_type = DataType::BOOL.with_lanes(x.dtype.lanes);
        for op in [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge] {
            let compared = Expr::raw(bool_type, ExprKind::Compare(op, x.clone(), x.clone()));
            for expr in [compared.clone(), compared.not().unwrap()] {
                let simple = Analyzer::new().simplify(&expr);
                let compares = |e: &Expr| matches!(e.kind, ExprKind::Compare(..));
                let inner = if let ExprKind::Not(inner) = &simple.kind { inner.clone() } else { simple.clone() };
                assert!(compares(&inner), "{dtype}: {expr:?} became {simple:?}");
            }
        }
    }
}

#[test]
fn conversions_are_left_out_only_where_nothing_is_lost() {
    let types = [
        "bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32",
        "float64",
    ];
    let types: Vec<DataType> = types.iter().map(|name| name.parse().unwrap()).collect();
    let mut random = Random(3);
    let analyzer = Analyzer::new();
    for &from in &types {
        for &middle in &types {
            for &to in &types {
                let var = Var::new("x", from);
                let cast = |e: &Expr, dtype| {
                    if e.dtype == dtype { e.clone() } else { Expr::raw(dtype, ExprKind::Cast(e.clone())) }
                };
                let twice = cast(&cast(&Expr::var(&var), middle), to);
                let simple = analyzer.simplify(&twice);
                for _ in 0..60 {
                    let bits = match random.below(3) {
                        0 => random.below(300).wrapping_sub(150),
                        1 => 1 << random.below(64),
                        _ => random.below(u64::MAX),
                    };
                    let value = Scalar::from_bits(from, if from.is_bool() { bits & 1 } else { bits });
                    let env = Map::from_iter([(var.id(), value)]);
                    let (before, after) = (convert(&twice, &env), convert(&simple, &env));
                    let nan = to.is_float() && before.as_float().is_nan() && after.as_float().is_nan();
                    assert!(nan || before == after, "{value:?} by {middle} to {to}: {before:?}, {after:?}");
                }
            }
        }
    }
}

fn convert(expr: &Expr, env: &Map<VarId, Scalar>) -> Scalar {
    match &expr.kind {
        ExprKind::Var(var) => env[&var.id()],
        ExprKind::Cast(a) => semantics::cast(convert(a, env), expr.dtype),
        other => panic!("{other:?}"),
    }
}

#[test]
fn comparisons_in_the_table_are_read_as_comparisons() {
    let read = equation("x < y and not p = x <= y where 0 <= a < b").unwrap();
    assert_eq!(read.conditions.len(), 2);
    assert!(matches!(&read.left, Pattern::Binary(BinOp::And, x, _) if matches!(**x, Pattern::Compare(CmpOp::Lt, ..))));
    assert!(equation("x + = y").is_none() && equation("f(x) = x").is_none() && equation("x = y where").is_none());
}
