//! Bounds of variables that follow from a lower bound of an expression: a product of numbers that are not negative is
//! positive only if each of them is.

use tilewright_expr::node::VarId;
use tilewright_expr::{BinOp, Expr};
use tilewright_support::Set;

use crate::analyzer::Analyzer;
use crate::session::{Id, Mode, Session, Tag};

impl Analyzer {
    /// The expression is positive, such as the extent of a loop inside of it. Only bounds of variables are learnt.
    pub fn assume_positive(&mut self, expr: &Expr) {
        let found = self.least_where_positive(expr);
        found.into_iter().for_each(|(var, least)| self.learn_least(var, least));
    }

    /// Lower bounds of variables, given that the expression is positive.
    pub fn least_where_positive(&self, expr: &Expr) -> Vec<(VarId, i64)> {
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(expr);
        session.least_of_variables(id, 1)
    }
}

impl Session<'_> {
    /// Lower bounds of variables, given a lower bound of the node.
    pub(crate) fn least_of_variables(&self, id: Id, least: i64) -> Vec<(VarId, i64)> {
        let is_natural = |id: Id| self.node(id).bounds.at_least(0);
        let mut found = Vec::new();
        let mut open = vec![(id, least)];
        let mut met = Set::default();
        while let Some((id, least)) = open.pop() {
            let node = self.node(id);
            if !node.index || !met.insert((id, least)) {
                continue;
            }
            match (&node.tag, node.ids.as_slice()) {
                (Tag::Var(var), _) => found.push((*var, least)),
                // k·x + c >= l exactly if x >= ceil((l - c) / k), k > 0
                (Tag::Linear(coefficients, constant), &[x]) => {
                    let room = least.checked_sub(*constant).and_then(i64::checked_neg);
                    if let (&[k @ 1..=i64::MAX], Some(room)) = (coefficients.as_slice(), room) {
                        open.push((x, -room.div_euclid(k)));
                    }
                }
                // x // c >= l exactly if x >= c·l, c > 0
                (Tag::Binary(BinOp::FloorDiv), _) => {
                    let divided = self.divided_by_constant(id, BinOp::FloorDiv);
                    open.extend(divided.and_then(|(x, c)| Some((x, least.checked_mul(c)?))));
                }
                (Tag::Binary(BinOp::Min), &[a, b]) => open.extend([(a, least), (b, least)]),
                // a·b >= 1 only if a >= 1 and b >= 1, where a >= 0 and b >= 0
                (Tag::Binary(BinOp::Mul), &[a, b]) if least >= 1 && [a, b].iter().all(|&id| is_natural(id)) => {
                    open.extend([(a, 1), (b, 1)]);
                }
                _ => {}
            }
        }
        found
    }
}
