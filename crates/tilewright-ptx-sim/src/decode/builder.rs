//! The function that is being read: its names, slots and code.

use std::collections::HashMap;

use super::constant::{Constant, special};
use super::op::{Address, Guard, Inst, Op, Pred, Slot};
use super::{Code, Decoded, Problem, Symbols, decode, flow, wrong};
use crate::fault::ParseError;
use crate::module::{Function, Kernel, Parameter, Space, Variable};
use crate::parse::lexer::Literal;
use crate::parse::{Operand, Statement};
use crate::types::{Type, mask};

/// Registers of one function, constants included.
const MAX_SLOTS: u32 = 1 << 17;

/// Bytes of local memory or of the frame of one thread.
const MAX_LOCAL: u64 = 1 << 19;

#[derive(Clone, Debug)]
enum Symbol<'a> {
    Register {
        slot: Slot,
        bits: u32,
    },
    Predicate(Pred),
    /// An offset in the frame.
    Frame(u32),
    /// An offset in the parameters of the kernel.
    Param(u32),
    Local(u32),
    Shared(usize),
    Targets(Vec<&'a str>),
}

#[derive(Clone, Copy, Debug)]
struct Range {
    first: u32,
    count: u32,
    ty: Type,
}

#[derive(Debug, Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Symbol<'a>>,
    ranges: HashMap<&'a str, Range>,
}

/// A register that an operand names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Register {
    General { slot: Slot, bits: u32 },
    Predicate(Pred),
}

#[derive(Debug)]
pub(crate) struct Builder<'a, 's> {
    pub(crate) kernel: Kernel,
    pub(super) symbols: &'s mut Symbols,
    pub(super) code: Code,
    index: usize,
    is_kernel: bool,
    scopes: Vec<Scope<'a>>,
    labels: HashMap<&'a str, u32>,
    /// Instructions whose target is a label, with the label and its line.
    jumps: Vec<(usize, &'a str, u32)>,
    constants: HashMap<Constant, Slot>,
    unused: Option<Slot>,
    unused_predicate: Option<Pred>,
    /// The line of the statement that is being decoded, and its guard.
    pub(super) line: u32,
    guard: Option<Guard>,
}

impl<'a, 's> Builder<'a, 's> {
    pub(crate) fn new(symbols: &'s mut Symbols, name: &str, is_kernel: bool) -> Builder<'a, 's> {
        let index = symbols.function(name, 0);
        Builder {
            kernel: Kernel { name: name.to_owned(), ..Kernel::default() },
            symbols,
            code: Code { predicates: 1, ..Code::default() },
            index,
            is_kernel,
            scopes: vec![Scope::default()],
            labels: HashMap::new(),
            jumps: Vec::new(),
            constants: HashMap::new(),
            unused: None,
            unused_predicate: None,
            line: 0,
            guard: None,
        }
    }

    /// Remembers the first instruction that is not known.
    pub(crate) fn unsupported(&mut self, line: u32, message: String) {
        self.kernel.unsupported.get_or_insert((line, message));
    }

    pub(crate) fn open_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(crate) fn close_scope(&mut self) {
        self.scopes.pop();
    }

    fn name(&mut self, name: &'a str, symbol: Symbol<'a>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, symbol);
        }
    }

    pub(crate) fn parameter(&mut self, name: &'a str, parameter: Parameter) {
        if self.is_kernel {
            self.kernel.params.push(parameter);
            self.kernel.param_bytes = parameter.offset + parameter.bytes;
            self.name(name, Symbol::Param(parameter.offset));
        } else {
            let offset = self.frame(parameter.bytes, parameter.align);
            self.code.parameters.push((offset, parameter.bytes));
            self.name(name, Symbol::Frame(offset));
        }
    }

    pub(crate) fn returned(&mut self, name: &'a str, parameter: Parameter) {
        let offset = self.frame(parameter.bytes, parameter.align);
        self.code.results.push((offset, parameter.bytes));
        self.name(name, Symbol::Frame(offset));
    }

    /// Bytes of the frame.
    fn frame(&mut self, bytes: u32, align: u32) -> u32 {
        let offset = self.code.frame_bytes.next_multiple_of(align.max(1));
        self.code.frame_bytes = offset + bytes;
        offset
    }

    pub(crate) fn variable(&mut self, name: &'a str, variable: Variable, line: u32) -> Result<(), ParseError> {
        let too_large = |bytes: u64| ParseError { line, message: format!("`{name}` needs {bytes} bytes of a thread") };
        match variable.space {
            Space::Param => {
                let bytes = variable.bytes;
                if u64::from(self.code.frame_bytes) + bytes + variable.align > MAX_LOCAL {
                    return Err(too_large(bytes));
                }
                let offset = self.frame(bytes as u32, variable.align as u32);
                self.name(name, Symbol::Frame(offset));
            }
            Space::Local => {
                let offset = u64::from(self.code.local_bytes).next_multiple_of(variable.align);
                if offset + variable.bytes > MAX_LOCAL {
                    return Err(too_large(variable.bytes));
                }
                self.code.local_bytes = (offset + variable.bytes) as u32;
                self.name(name, Symbol::Local(offset as u32));
            }
            Space::Shared => {
                let index = self.symbols.add(variable);
                self.name(name, Symbol::Shared(index));
            }
            _ => {
                self.symbols.declare(name, variable, line)?;
            }
        }
        Ok(())
    }

    /// A new register; `.b128` takes two.
    pub(super) fn slot(&mut self, count: u32) -> Slot {
        let slot = self.code.registers;
        self.code.registers = self.code.registers.saturating_add(count);
        slot
    }

    fn predicate(&mut self, count: u32) -> Pred {
        let slot = self.code.predicates;
        self.code.predicates = self.code.predicates.saturating_add(count);
        slot
    }

    pub(crate) fn register(&mut self, name: &'a str, ty: Type) {
        let symbol = match ty {
            Type::Pred => Symbol::Predicate(self.predicate(1)),
            _ => Symbol::Register { slot: self.slot(ty.bits().div_ceil(64)), bits: ty.bits() },
        };
        self.name(name, symbol);
    }

    pub(crate) fn register_range(&mut self, prefix: &'a str, ty: Type, count: u32) {
        let first = match ty {
            Type::Pred => self.predicate(count),
            _ => self.slot(count.saturating_mul(ty.bits().div_ceil(64))),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.ranges.insert(prefix, Range { first, count, ty });
        }
    }

    pub(crate) fn branch_targets(&mut self, name: &'a str, targets: Vec<&'a str>) {
        self.name(name, Symbol::Targets(targets));
    }

    pub(crate) fn label(&mut self, name: &'a str, line: u32) -> Result<(), ParseError> {
        match self.labels.insert(name, self.code.insts.len() as u32) {
            None => Ok(()),
            Some(_) => Err(ParseError { line, message: format!("label `{name}` is defined twice") }),
        }
    }

    /// Adds an instruction with the guard of the statement.
    pub(super) fn emit(&mut self, op: Op) {
        self.code.insts.push(Inst { guard: self.guard, line: self.line, op });
    }

    pub(crate) fn statement(&mut self, statement: &Statement<'a>) -> Result<(), ParseError> {
        self.line = statement.line;
        let decoded = (|| {
            self.guard = match statement.guard {
                None => None,
                Some((name, negated)) => match self.lookup(name) {
                    Some(Symbol::Predicate(pred)) => Some(Guard { pred, negated }),
                    _ => return wrong(format!("`{name}` is no predicate")),
                },
            };
            decode(self, statement)
        })();
        let op = match decoded {
            Ok(op) => op,
            Err(Problem::Wrong(message)) => return Err(ParseError { line: statement.line, message }),
            Err(Problem::Unsupported(message)) => {
                self.unsupported(statement.line, message);
                Op::Unsupported
            }
        };
        self.emit(op);
        if self.code.registers > MAX_SLOTS || self.code.predicates > MAX_SLOTS {
            let message = format!("the function has more than {MAX_SLOTS} registers");
            return Err(ParseError { line: statement.line, message });
        }
        Ok(())
    }

    fn lookup(&self, name: &str) -> Option<Symbol<'a>> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[prefix.len()..];
        for scope in self.scopes.iter().rev() {
            if let Some(symbol) = scope.names.get(name) {
                return Some(symbol.clone());
            }
            if let Some(range) = scope.ranges.get(prefix)
                && let Ok(index) = digits.parse::<u32>()
                && index < range.count
            {
                return Some(match range.ty {
                    Type::Pred => Symbol::Predicate(range.first + index),
                    ty => Symbol::Register { slot: range.first + index * ty.bits().div_ceil(64), bits: ty.bits() },
                });
            }
        }
        None
    }

    /// The slot of a constant.
    pub(super) fn constant(&mut self, constant: Constant) -> Slot {
        if let Some(&slot) = self.constants.get(&constant) {
            return slot;
        }
        let slot = self.slot(1);
        self.constants.insert(constant, slot);
        self.code.constants.push((slot, constant));
        slot
    }

    pub(super) fn bits(&mut self, bits: u64) -> Slot {
        self.constant(Constant::Bits(bits))
    }

    /// The register of a name.
    pub(super) fn named(&self, name: &str) -> Option<Register> {
        match self.lookup(name)? {
            Symbol::Register { slot, bits } => Some(Register::General { slot, bits }),
            Symbol::Predicate(pred) => Some(Register::Predicate(pred)),
            _ => None,
        }
    }

    /// The address of a variable, as a constant.
    fn variable_address(&mut self, name: &str, offset: i64) -> Option<Constant> {
        let offset = offset as u64;
        Some(match self.lookup(name) {
            Some(Symbol::Param(at)) => Constant::Param(u64::from(at).wrapping_add(offset)),
            Some(Symbol::Frame(at)) => Constant::Frame(u64::from(at).wrapping_add(offset)),
            Some(Symbol::Local(at)) => Constant::Local(u64::from(at).wrapping_add(offset)),
            Some(Symbol::Shared(index)) => {
                self.code.shared.push(index);
                Constant::Variable(index, offset)
            }
            Some(_) => return None,
            None => {
                let (index, space) = self.symbols.variable(name)?;
                if space == Space::Shared {
                    self.code.shared.push(index);
                }
                Constant::Variable(index, offset)
            }
        })
    }

    /// A source: a register, a literal of type `ty`, a special register, or the address of a variable.
    pub(super) fn source(&mut self, operand: &Operand<'a>, ty: Type) -> Decoded<Slot> {
        match operand {
            Operand::Number(literal) => Ok(self.bits(literal_bits(*literal, ty))),
            Operand::Word(name) => match self.named(name) {
                Some(Register::General { slot, .. }) => Ok(slot),
                Some(Register::Predicate(_)) => wrong(format!("`{name}` is a predicate, not a value")),
                None => self.unnamed(name, 0),
            },
            Operand::Sum(name, offset) => self.unnamed(name, *offset),
            _ => wrong("expected a register or a number"),
        }
    }

    fn unnamed(&mut self, name: &str, offset: i64) -> Decoded<Slot> {
        if let Some(special) = special(name)
            && offset == 0
        {
            return Ok(self.constant(Constant::Special(special)));
        }
        if let Some(bits) = clock_bits(name) {
            let d = self.slot(1);
            self.emit(Op::Clock { d, bits });
            return Ok(d);
        }
        if name == "WARP_SZ" {
            return Ok(self.bits(32));
        }
        match self.variable_address(name, offset) {
            Some(constant) => Ok(self.constant(constant)),
            None => wrong(format!("`{name}` is not declared")),
        }
    }

    /// A destination and its width.
    pub(super) fn wide_destination(&mut self, operand: &Operand<'a>) -> Decoded<(Slot, u32)> {
        match operand {
            Operand::Word("_") => {
                let slot = match self.unused {
                    Some(slot) => slot,
                    None => self.slot(2),
                };
                self.unused = Some(slot);
                Ok((slot, 64))
            }
            Operand::Word(name) => match self.named(name) {
                Some(Register::General { slot, bits }) => Ok((slot, bits)),
                _ => wrong(format!("`{name}` is no register that can hold the result")),
            },
            _ => wrong("expected a register"),
        }
    }

    pub(super) fn destination(&mut self, operand: &Operand<'a>) -> Decoded<Slot> {
        Ok(self.wide_destination(operand)?.0)
    }

    pub(super) fn predicate_destination(&mut self, operand: &Operand<'a>) -> Decoded<Pred> {
        match operand {
            Operand::Word("_") => {
                let pred = match self.unused_predicate {
                    Some(pred) => pred,
                    None => self.predicate(1),
                };
                self.unused_predicate = Some(pred);
                Ok(pred)
            }
            Operand::Word(name) => match self.named(name) {
                Some(Register::Predicate(pred)) => Ok(pred),
                _ => wrong(format!("`{name}` is no predicate")),
            },
            _ => wrong("expected a predicate"),
        }
    }

    /// A predicate that is read: `%p1`, `!%p1`, `0` or `1`.
    pub(super) fn predicate_source(&mut self, operand: &Operand<'a>) -> Decoded<Guard> {
        let (name, negated) = match operand {
            Operand::Word(name) => (name, false),
            Operand::Not(name) => (name, true),
            Operand::Number(Literal::Int(value)) => return Ok(Guard { pred: 0, negated: *value == 0 }),
            _ => return wrong("expected a predicate"),
        };
        match self.named(name) {
            Some(Register::Predicate(pred)) => Ok(Guard { pred, negated }),
            _ => wrong(format!("`{name}` is no predicate")),
        }
    }

    /// `[base + offset]`.
    pub(super) fn address(&mut self, operand: &Operand<'a>) -> Decoded<Address> {
        let Operand::Bracket(parts) = operand else { return wrong("expected an address in brackets") };
        let [inner] = parts.as_slice() else { return wrong("expected one address") };
        self.inner_address(inner)
    }

    pub(super) fn inner_address(&mut self, inner: &Operand<'a>) -> Decoded<Address> {
        if let Operand::Sum(name, offset) = inner
            && let Some(Register::General { slot, .. }) = self.named(name)
        {
            return Ok(Address { base: slot, offset: *offset as u64 });
        }
        Ok(Address { base: self.source(inner, Type::U64)?, offset: 0 })
    }

    /// The place and size in the frame of a parameter of a call.
    pub(super) fn frame_variable(&self, operand: &Operand<'a>) -> Decoded<u32> {
        match operand {
            Operand::Word(name) => match self.lookup(name) {
                Some(Symbol::Frame(offset)) => Ok(offset),
                _ => wrong(format!("`{name}` is no variable of the space `.param`")),
            },
            _ => wrong("expected a variable of the space `.param`"),
        }
    }

    /// Whether an operand names something in the frame of the function.
    pub(super) fn is_frame(&self, operand: &Operand<'a>) -> bool {
        let Operand::Bracket(parts) = operand else { return false };
        match parts.first() {
            Some(Operand::Word(name) | Operand::Sum(name, _)) => matches!(self.lookup(name), Some(Symbol::Frame(..))),
            _ => false,
        }
    }

    /// The labels of a `.branchtargets`.
    pub(super) fn targets(&self, name: &str) -> Decoded<Vec<&'a str>> {
        match self.lookup(name) {
            Some(Symbol::Targets(targets)) => Ok(targets),
            _ => wrong(format!("`{name}` is no list of labels")),
        }
    }

    /// The next instruction's target, or the next of its targets, is `label`.
    pub(super) fn jump(&mut self, label: &'a str) {
        self.jumps.push((self.code.insts.len(), label, self.line));
    }

    pub(crate) fn declared(self) {
        // The name is known since `new`; a body may follow.
    }

    /// Ends the function: labels become places, branches get their points of reconvergence.
    pub(crate) fn finish(mut self, line: u32) -> Result<(), ParseError> {
        if self.symbols.has_body(self.index) {
            let message = format!("function `{}` is defined twice", self.kernel.name);
            return Err(ParseError { line, message });
        }
        let mut used: HashMap<usize, usize> = HashMap::new();
        for (at, label, line) in std::mem::take(&mut self.jumps) {
            let Some(&place) = self.labels.get(label) else {
                return Err(ParseError { line, message: format!("label `{label}` is not defined") });
            };
            let nth = used.entry(at).or_default();
            match &mut self.code.insts[at].op {
                Op::Branch { target, .. } => *target = place,
                Op::BranchTable { targets, .. } => targets[*nth] = place,
                _ => {}
            }
            *nth += 1;
        }
        flow::reconverge(&mut self.code.insts);
        self.kernel.unsupported = self.kernel.unsupported.take();
        let function = Function { kernel: self.kernel, is_kernel: self.is_kernel, code: Some(self.code) };
        self.symbols.define(self.index, function);
        Ok(())
    }
}

/// The width of a clock; `%globaltimer` counts too.
fn clock_bits(name: &str) -> Option<u32> {
    match name {
        "%clock" | "%globaltimer_lo" => Some(32),
        "%clock64" | "%globaltimer" => Some(64),
        _ => None,
    }
}

/// The bits of a literal as a value of `ty`.
pub(super) fn literal_bits(literal: Literal, ty: Type) -> u64 {
    let bits = match literal {
        Literal::Int(value) => value,
        Literal::F32(bits) if ty == Type::F64 => f64::from(f32::from_bits(bits)).to_bits(),
        Literal::F32(bits) => u64::from(bits),
        Literal::F64(bits) if ty == Type::F32 => u64::from((f64::from_bits(bits) as f32).to_bits()),
        Literal::F64(bits) => bits,
    };
    bits & mask(ty.bits())
}
