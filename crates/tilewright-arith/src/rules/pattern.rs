//! Patterns of rules, and their reading from text.
//!
//! The text of a rule is its equation: `left = right where condition, condition`. Operators and their precedence are
//! those of scripts; `truncdiv` and `truncmod` round towards zero; `select(p, x, y)`, `min`, `max`, `ramp(x, s)` and
//! `broadcast(x)` are calls, and `int(p)` is a bool as an integer. Letters stand for operands: `a` to `d` for integer
//! constants, `p`, `q` and `r` for bools, all others for any integer. `lanes` and `bits` are those of the type.

use tilewright_expr::{BinOp, CmpOp};

/// One side of a rule, or a part of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pattern {
    /// The operand with this number.
    Operand(usize),
    /// The constant with this number.
    Constant(usize),
    Number(i64),
    Bool(bool),
    Lanes,
    Bits,
    Binary(BinOp, Box<Pattern>, Box<Pattern>),
    Compare(CmpOp, Box<Pattern>, Box<Pattern>),
    Not(Box<Pattern>),
    Select(Box<[Pattern; 3]>),
    /// A bool as an integer.
    FromBool(Box<Pattern>),
    Ramp(Box<Pattern>, Box<Pattern>),
    Broadcast(Box<Pattern>),
}

/// The letters of operands, by number.
pub(crate) const OPERANDS: [char; 9] = ['x', 'y', 'z', 'w', 's', 't', 'p', 'q', 'r'];

/// Operands from this number on are bools, and match nothing else.
pub(crate) const BOOLS: usize = 6;
/// The letters of constants, by number.
pub(crate) const CONSTANTS: [char; 4] = ['a', 'b', 'c', 'd'];

impl Pattern {
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Operand(_) | Self::Constant(_) | Self::Number(_) | Self::Bool(_) | Self::Lanes | Self::Bits => {
                Vec::new()
            }
            Self::Not(a) | Self::FromBool(a) | Self::Broadcast(a) => vec![a],
            Self::Binary(_, a, b) | Self::Compare(_, a, b) | Self::Ramp(a, b) => vec![a, b],
            Self::Select(all) => all.iter().collect(),
        }
    }

    /// Whether constants alone decide its value.
    pub(crate) fn is_constant(&self) -> bool {
        !matches!(self, Self::Operand(_)) && self.children().into_iter().all(Self::is_constant)
    }

    /// Whether it contains no sum, difference or product of operands, so that nothing can wrap around.
    pub(crate) fn is_closed(&self) -> bool {
        let grows =
            matches!(self, Self::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl, ..) | Self::Ramp(..));
        self.is_constant() || (!grows && self.children().into_iter().all(Self::is_closed))
    }

    /// The number of operations on operands; those of vectors count twice.
    #[cfg(test)]
    pub(crate) fn cost(&self) -> usize {
        match self.children() {
            all if all.is_empty() || self.is_constant() => 0,
            all => {
                let of_vectors = all.iter().any(|child| matches!(child, Self::Ramp(..) | Self::Broadcast(_)));
                1 + usize::from(of_vectors) + all.into_iter().map(Self::cost).sum::<usize>()
            }
        }
    }
}

/// An equation as read: both sides and the conditions under which they are equal.
#[derive(Debug)]
pub(crate) struct Equation {
    pub(crate) left: Pattern,
    pub(crate) right: Pattern,
    pub(crate) conditions: Vec<Pattern>,
}

/// Reads an equation; `None` where the text is none.
pub(crate) fn equation(text: &str) -> Option<Equation> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0 };
    let left = reader.expression()?;
    reader.take("=")?;
    let right = reader.expression()?;
    let mut conditions = Vec::new();
    if reader.take("where").is_some() {
        loop {
            reader.condition(&mut conditions)?;
            if reader.take(",").is_none() {
                break;
            }
        }
    }
    (reader.at == reader.tokens.len()).then_some(Equation { left, right, conditions })
}

fn tokens(text: &str) -> Option<Vec<&str>> {
    const LONG: [&str; 7] = ["//", "<<", ">>", "<=", ">=", "==", "!="];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |class: fn(char) -> bool| rest.find(|c| !class(c)).unwrap_or(rest.len());
        let length = match first {
            'a'..='z' => word(|c| c.is_ascii_lowercase()),
            '0'..='9' => word(|c| c.is_ascii_digit()),
            _ if LONG.iter().any(|long| rest.starts_with(long)) => 2,
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at_checked(length)?;
        tokens.push(token);
        rest = after.trim_start();
    }
    Some(tokens)
}

/// Binary operators by precedence, weakest first; comparisons come between `not` and the first line here.
const LEVELS: [&[(&str, BinOp)]; 6] = [
    &[("|", BinOp::BitOr)],
    &[("^", BinOp::BitXor)],
    &[("&", BinOp::BitAnd)],
    &[("<<", BinOp::Shl), (">>", BinOp::Shr)],
    &[("+", BinOp::Add), ("-", BinOp::Sub)],
    &[("*", BinOp::Mul), ("//", BinOp::FloorDiv), ("%", BinOp::FloorMod)],
];

const FUNCTIONS: [(&str, BinOp); 4] =
    [("min", BinOp::Min), ("max", BinOp::Max), ("truncdiv", BinOp::Div), ("truncmod", BinOp::Mod)];

struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn take(&mut self, token: &str) -> Option<()> {
        (self.tokens.get(self.at) == Some(&token)).then(|| self.at += 1)
    }

    fn next(&mut self) -> Option<&'t str> {
        self.at += 1;
        self.tokens.get(self.at - 1).copied()
    }

    fn expression(&mut self) -> Option<Pattern> {
        let mut left = self.conjunction()?;
        while self.take("or").is_some() {
            left = Pattern::Binary(BinOp::Or, left.into(), self.conjunction()?.into());
        }
        Some(left)
    }

    fn conjunction(&mut self) -> Option<Pattern> {
        let mut left = self.negation()?;
        while self.take("and").is_some() {
            left = Pattern::Binary(BinOp::And, left.into(), self.negation()?.into());
        }
        Some(left)
    }

    fn negation(&mut self) -> Option<Pattern> {
        if self.take("not").is_some() {
            return Some(Pattern::Not(self.negation()?.into()));
        }
        let left = self.level(0)?;
        match self.comparison() {
            Some(op) => Some(Pattern::Compare(op, left.into(), self.level(0)?.into())),
            None => Some(left),
        }
    }

    fn comparison(&mut self) -> Option<CmpOp> {
        CmpOp::ALL.into_iter().find(|op| self.take(op.symbol()).is_some())
    }

    /// A comparison or a chain of them, each link a condition of its own.
    fn condition(&mut self, conditions: &mut Vec<Pattern>) -> Option<()> {
        let mut left = self.level(0)?;
        while let Some(op) = self.comparison() {
            let right = self.level(0)?;
            conditions.push(Pattern::Compare(op, left.into(), right.clone().into()));
            left = right;
        }
        Some(())
    }

    fn level(&mut self, level: usize) -> Option<Pattern> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|(symbol, _)| self.take(symbol).is_some()) {
            left = Pattern::Binary(op, left.into(), self.level(level + 1)?.into());
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Pattern> {
        if self.take("-").is_none() {
            return self.atom();
        }
        Some(match self.unary()? {
            Pattern::Number(value) => Pattern::Number(-value),
            other => Pattern::Binary(BinOp::Sub, Pattern::Number(0).into(), other.into()),
        })
    }

    fn atom(&mut self) -> Option<Pattern> {
        let token = self.next()?;
        if let Ok(value) = token.parse() {
            return Some(Pattern::Number(value));
        }
        if let (1, Some(letter)) = (token.len(), token.chars().next())
            && letter.is_ascii_lowercase()
        {
            let constant = CONSTANTS.iter().position(|&c| c == letter).map(Pattern::Constant);
            return constant.or_else(|| OPERANDS.iter().position(|&c| c == letter).map(Pattern::Operand));
        }
        match token {
            "true" => return Some(Pattern::Bool(true)),
            "false" => return Some(Pattern::Bool(false)),
            "lanes" => return Some(Pattern::Lanes),
            "bits" => return Some(Pattern::Bits),
            "(" => {
                let inner = self.expression()?;
                return self.take(")").map(|()| inner);
            }
            _ => {}
        }
        let args = self.arguments()?;
        let function = FUNCTIONS.iter().find(|(name, _)| *name == token);
        Some(match (token, <[Pattern; 1]>::try_from(args)) {
            ("int", Ok([p])) => Pattern::FromBool(p.into()),
            ("broadcast", Ok([x])) => Pattern::Broadcast(x.into()),
            (_, Ok(_)) => return None,
            (_, Err(args)) => match (token, <[Pattern; 2]>::try_from(args), function) {
                ("ramp", Ok([x, s]), _) => Pattern::Ramp(x.into(), s.into()),
                (_, Ok([x, y]), Some(&(_, op))) => Pattern::Binary(op, x.into(), y.into()),
                ("select", Err(args), _) => Pattern::Select(Box::new(<[Pattern; 3]>::try_from(args).ok()?)),
                _ => return None,
            },
        })
    }

    fn arguments(&mut self) -> Option<Vec<Pattern>> {
        self.take("(")?;
        let mut args = vec![self.expression()?];
        while self.take(",").is_some() {
            args.push(self.expression()?);
        }
        self.take(")").map(|()| args)
    }
}
