//! Attention in a function: which axis is what, and the formulas between the products.
//!
//! What is looked for are four reductions, whatever formulas stand between them:
//!
//! ```text
//! products[b, i, j] = sum over d of query(b, i, d) * key(b, j, d)
//! best[b, i]        = max over j of scores(products[b, i, j], b, i, j)
//! total[b, i]       = sum over j of exp(scores - best)
//! mixed[b, i, w]    = sum over j of exp(scores - best) [/ total] * value(b, j, w)
//! result[…]         = formula(mixed[b, i, w], total[b, i])
//! ```

mod shared_heads;
pub(crate) mod weights;

use tilewright_arith::{Analyzer, IterMapLevel, detect_iter_map, inverse_affine_iter_map};
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, PrimFunc, Range, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::facts::axes::Axis;
use crate::facts::exprs::{binary, compare, mentions, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::formulas::{self, Stage, check_temporary};
use weights::{check_exponential, factor_of, is_float};

/// Attention, its formulas over the axes.
#[derive(Clone, Debug)]
pub(crate) struct Attention {
    pub(crate) batch: Vec<Axis>,
    pub(crate) query: Axis,
    pub(crate) key: Axis,
    pub(crate) depth: Axis,
    pub(crate) width: Axis,
    /// The factor of the queries, over batch, query and depth.
    pub(crate) of_query: Expr,
    /// The factor of the keys, over batch, key and depth.
    pub(crate) of_key: Expr,
    /// The factor of the values, over batch, key and width.
    pub(crate) of_value: Expr,
    /// Stands for the sum of products in `scores`, which is over batch, query and key.
    pub(crate) product: Var,
    pub(crate) scores: Expr,
    /// Stand for the sums in `result`, which is over batch, query and width.
    pub(crate) mixed: Var,
    pub(crate) total: Var,
    pub(crate) result: Expr,
    pub(crate) out: Buffer,
    pub(crate) indices: Vec<Expr>,
    /// Whether there is a result without keys, too.
    pub(crate) of_nothing: bool,
    /// The type in which all is worked out, and that of the axes.
    pub(crate) dtype: DataType,
    pub(crate) index: DataType,
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

impl Attention {
    /// The attention that the function is.
    pub(crate) fn of(function: &PrimFunc) -> Result<Self, Fault> {
        let all = formulas::of(function, 4)?;
        let [products, best, total, mixed, rest @ ..] = all.as_slice() else {
            return Err(fault("there are fewer reductions than attention has"));
        };
        for (stage, op, from) in [
            (products, BinOp::Add, 0.0),
            (best, BinOp::Max, f64::NEG_INFINITY),
            (total, BinOp::Add, 0.0),
            (mixed, BinOp::Add, 0.0),
        ] {
            let fits = stage.reduced.as_ref().is_some_and(|r| r.op == op && is_float(&r.from, from));
            if !fits || stage.buffer.dtype != products.buffer.dtype {
                return Err(Fault::of_call(format!("`{}` is not what attention reduces", stage.buffer.name)));
            }
        }
        check_temporary(function, if rest.is_empty() { &all[..3] } else { &all[..4] })?;
        let named = |name: &str| Var::new(name, products.buffer.dtype);
        let names =
            Names { product: named("product"), best: named("best"), total: named("total"), mixed: named("mixed") };
        Finder { known: analyzer_of(function), products, best, total, mixed, names }
            .find(rest)
            .map(Attention::with_heads_as_queries)
    }
}

/// The four reductions.
struct Finder<'a> {
    known: Analyzer,
    products: &'a Stage,
    best: &'a Stage,
    total: &'a Stage,
    mixed: &'a Stage,
    names: Names,
}

/// What stands for elements of the reductions in formulas.
struct Names {
    product: Var,
    best: Var,
    total: Var,
    mixed: Var,
}

impl Finder<'_> {
    fn find(mut self, rest: &[Stage]) -> Result<Attention, Fault> {
        let depth = self.depth()?;
        let (key, scores) = self.scores()?;
        let rows: Vec<&Axis> = self.products.spatial.iter().filter(|axis| axis.var != key.var).collect();
        let (of_query, of_key) = self.factors(&key)?;
        let query = rows.iter().rev().find(|axis| !mentions(&of_key, std::slice::from_ref(&axis.var)));
        let query = Axis::clone(query.ok_or_else(|| fault("every row has keys of its own"))?);
        let batch: Vec<Axis> = rows.into_iter().filter(|axis| axis.var != query.var).cloned().collect();
        let to_products = self.axes_of_sum(self.total, &key)?;
        let exponential = self.placed(&self.total.value, &to_products, 2)?;
        let is_replaced = check_exponential(&exponential, &scores, &self.names.best)?;
        let to_products = self.axes_of_sum(self.mixed, &key)?;
        let weighed = self.placed(&self.mixed.value, &to_products, 3)?;
        let (of_value, divisor) = factor_of(&weighed, &exponential, &self.names.total)?;
        let width = self.width(&of_value, &to_products)?;
        let others = [query.var.clone(), self.names.product.clone(), self.names.best.clone()];
        if mentions(&of_value, &others) {
            return Err(fault("the values depend on the query"));
        }
        let places = self.mixed.indices.iter().map(|index| substituted(index, &to_products)).collect();
        let share = self.share(divisor.as_ref(), &key)?;
        let (out, indices, mut result) = self.result(rest, places, &share)?;
        if !is_replaced {
            result = self.nothing_where_none_is_seen(&result, divisor.as_ref(), &share, &key)?;
        }
        let constant = |axis: &Axis| axis.extent.as_int().is_some_and(|extent| extent > 0);
        if !constant(&depth) || !constant(&width) {
            return Err(fault("the depth or the width is not constant"));
        }
        let formulas = [&of_query, &of_key, &of_value, &scores, &result];
        if formulas.into_iter().flat_map(loads_of).any(|(at, _)| self.is_between(&at) || at.data == out.data) {
            return Err(fault("a formula reads a sum that it is not of"));
        }
        let (of_nothing, dtype, index) = (self.of_nothing(), self.products.buffer.dtype, depth.var.dtype);
        let Names { product, mixed, total, .. } = self.names;
        Ok(Attention {
            batch,
            query,
            key,
            depth,
            width,
            of_query,
            of_key,
            of_value,
            product,
            scores,
            mixed,
            total,
            result,
            out,
            indices,
            of_nothing,
            dtype,
            index,
        })
    }

    /// The axis of the products' sums; all of their axes are known from here on.
    fn depth(&mut self) -> Result<Axis, Fault> {
        let depth = reduced_axis(self.products)?;
        let axes = self.products.spatial.iter().chain([&depth]);
        let alike = axes.clone().all(|axis| axis.var.dtype == depth.var.dtype);
        if self.products.buffer.dtype != DataType::F32 || !alike {
            return Err(fault("it is not worked out in float32 over axes of one type"));
        }
        axes.for_each(|axis| self.known.bind(&axis.var, &Range::up_to(axis.extent.clone())));
        Ok(depth)
    }

    /// The axis along which maxima are taken, and of what, over the axes of the products.
    fn scores(&self) -> Result<(Axis, Expr), Fault> {
        let to_products = self.axes_of(self.best)?;
        let key = self.renamed_axis(&reduced_axis(self.best)?, &to_products)?;
        Ok((key, self.placed(&self.best.value, &to_products, 1)?))
    }

    /// The axis that the values have beside those of the products.
    fn width(&mut self, of_value: &Expr, to_products: &[(Var, Expr)]) -> Result<Axis, Fault> {
        let own = self.mixed.spatial.iter().filter(|axis| to_products.iter().all(|(var, _)| *var != axis.var));
        let own: Vec<&Axis> = own
            .filter(|axis| axis.extent.as_int() != Some(1) || mentions(of_value, std::slice::from_ref(&axis.var)))
            .collect();
        let [width] = own.as_slice() else { return Err(fault("the values have no axis of their own, or several")) };
        self.known.bind(&width.var, &Range::up_to(width.extent.clone()));
        Ok(Axis::clone(width))
    }

    /// Whether there is a sum of values without keys, too.
    fn of_nothing(&self) -> bool {
        self.mixed.reduced.as_ref().is_some_and(|reduced| reduced.filled)
    }

    /// The sum of values, divided where each weight is.
    fn share(&self, divisor: Option<&Expr>, key: &Axis) -> Result<Expr, Fault> {
        let mixed = Expr::var(&self.names.mixed);
        match divisor {
            Some(divisor) if self.of_nothing() => binary(BinOp::Div, &mixed, &self.divisor_of_some(key, divisor)?),
            Some(divisor) => binary(BinOp::Div, &mixed, divisor),
            None => Ok(mixed),
        }
    }

    /// One in the place of the divisor where there are no keys: the sum of no shares is zero, and no quotient.
    fn divisor_of_some(&self, key: &Axis, divisor: &Expr) -> Result<Expr, Fault> {
        if self.known.bounds(&key.extent).at_least(1) {
            return Ok(divisor.clone());
        }
        let is_none = compare(CmpOp::Eq, &key.extent, &Expr::int(0, key.extent.dtype))?;
        typed(Expr::select(&is_none, &Expr::float(1.0, divisor.dtype), divisor))
    }

    /// The result of sums that are NaN for a query that sees no key: where minus infinity is taken from itself, every weight is
    /// NaN, while the tiles have zeros. Only there is the sum of weights zero. The quotient of the two sums is NaN anyway.
    fn nothing_where_none_is_seen(
        &self,
        result: &Expr,
        divisor: Option<&Expr>,
        share: &Expr,
        key: &Axis,
    ) -> Result<Expr, Fault> {
        let Names { mixed, total, .. } = &self.names;
        let quotient = match divisor {
            Some(divisor) if divisor.as_var() == Some(total) => share.clone(),
            _ => binary(BinOp::Div, &Expr::var(mixed), &Expr::var(total))?,
        };
        let zero = compare(CmpOp::Eq, &Expr::var(total), &Expr::float(0.0, total.dtype))?;
        let has_keys = self.known.bounds(&key.extent).at_least(1);
        let is_none = compare(CmpOp::Eq, &key.extent, &Expr::int(0, key.extent.dtype))?;
        let seen = |var: &Var| {
            let found = Expr::var(var);
            let nan = typed(Expr::select(&zero, &Expr::float(f64::NAN, var.dtype), &found))?;
            if has_keys { Ok(nan) } else { typed(Expr::select(&is_none, &found, &nan)) }
        };
        let name = Var::new("quotient", mixed.dtype);
        let named = rewrite(result, |e: &Expr| e.equal(&quotient).then(|| Expr::var(&name)));
        let sums = [(mixed.clone(), seen(mixed)?), (total.clone(), seen(total)?)];
        let placed = substituted(&named.unwrap_or_else(|| result.clone()), &sums);
        Ok(substituted(&placed, &[(name, quotient)]))
    }

    fn is_between(&self, buffer: &Buffer) -> bool {
        [self.products, self.best, self.total, self.mixed].iter().any(|stage| stage.buffer == *buffer)
    }

    /// The stage's axes over those of the products, as its reads of a product say.
    fn axes_of(&self, stage: &Stage) -> Result<Vec<(Var, Expr)>, Fault> {
        let loads = loads_of(&stage.value);
        let read = loads.iter().find(|(buffer, _)| *buffer == self.products.buffer);
        let (_, indices) = read.ok_or_else(|| Fault::of_call(format!("`{}` reads no product", stage.buffer.name)))?;
        let (mut axes, mut from, mut to): (Vec<(Var, Expr)>, Vec<Expr>, Vec<Expr>) = Default::default();
        for (index, place) in indices.iter().zip(&self.products.indices) {
            match (index.as_var(), place.as_var()) {
                (Some(var), Some(_)) if axes.iter().all(|(seen, _)| seen != var) => {
                    axes.push((var.clone(), place.clone()));
                }
                _ if self.known.simplify(place).as_int() == index.as_int() && index.as_int().is_some() => {}
                // An axis of one place.
                (None, Some(_)) if index.as_int() == Some(0) => {}
                (None, Some(_)) if index.as_int().is_none() => {
                    from.push(index.clone());
                    to.push(place.clone());
                }
                _ => return Err(Fault::of_call(format!("`{}` does not read products one by one", stage.buffer.name))),
            }
        }
        self.check_extents(stage, &axes)?;
        axes.extend(self.axes_in_one(stage, &axes, (&from, &to))?);
        let units = stage.spatial.iter().filter(|axis| axis.extent.as_int() == Some(1));
        let units: Vec<Var> =
            units.map(|axis| axis.var.clone()).filter(|var| axes.iter().all(|(seen, _)| seen != var)).collect();
        axes.extend(units.into_iter().map(|var| (var.clone(), Expr::int(0, var.dtype))));
        Ok(axes)
    }

    /// Those of the stage's axes that are one axis of the products together, by what is read at places of these.
    fn axes_in_one(
        &self,
        stage: &Stage,
        known: &[(Var, Expr)],
        (from, to): (&[Expr], &[Expr]),
    ) -> Result<Vec<(Var, Expr)>, Fault> {
        if from.is_empty() {
            return Ok(Vec::new());
        }
        let refuse = || Fault::of_call(format!("`{}` does not read each product once", stage.buffer.name));
        let own: Vec<&Axis> = stage.spatial.iter().filter(|axis| mentions_any(from, &axis.var)).collect();
        if own.iter().any(|axis| known.iter().any(|(var, _)| *var == axis.var)) {
            return Err(refuse());
        }
        let iters: Vec<(Var, Range)> =
            own.iter().map(|axis| (axis.var.clone(), Range::up_to(axis.extent.clone()))).collect();
        let whole = Expr::bool(true);
        let map = detect_iter_map(&mut Analyzer::default(), from, &iters, &whole, IterMapLevel::Bijective, true);
        let count = |axes: &[&Axis]| {
            let extents = axes.iter().map(|axis| axis.extent.cast(DataType::I64).ok());
            extents.into_iter().try_fold(Expr::i64(1), |count, extent| Some(&count * &extent?))
        };
        let places: Vec<&Axis> = self
            .products
            .spatial
            .iter()
            .filter(|axis| to.iter().any(|place| place.as_var() == Some(&axis.var)))
            .collect();
        let found = (map.indices.len() == from.len())
            .then(|| inverse_affine_iter_map(&self.known, &map.indices, to))
            .flatten()
            .filter(|_| count(&own).zip(count(&places)).is_some_and(|(a, b)| self.known.prove_equal(&a, &b)));
        found.ok_or_else(refuse)
    }

    fn check_extents(&self, stage: &Stage, axes: &[(Var, Expr)]) -> Result<(), Fault> {
        let reduced = stage.reduced.iter().map(|reduced| &reduced.axis);
        for axis in stage.spatial.iter().chain(reduced) {
            let Some((_, place)) = axes.iter().find(|(var, _)| *var == axis.var) else { continue };
            let other = self.products.spatial.iter().find(|other| place.as_var() == Some(&other.var));
            if !other.is_some_and(|other| self.known.prove_equal(&other.extent, &axis.extent)) {
                return Err(Fault::of_call(format!("`{}` is of another size than the products", stage.buffer.name)));
            }
        }
        Ok(())
    }

    fn renamed_axis(&self, axis: &Axis, axes: &[(Var, Expr)]) -> Result<Axis, Fault> {
        let place = axes.iter().find(|(var, _)| *var == axis.var).and_then(|(_, place)| place.as_var());
        let found = self.products.spatial.iter().find(|other| Some(&other.var) == place);
        found.cloned().ok_or_else(|| fault("the maximum is not along an axis of the products"))
    }

    /// The axes of a sum along the keys over those of the products.
    fn axes_of_sum(&self, stage: &Stage, key: &Axis) -> Result<Vec<(Var, Expr)>, Fault> {
        let axes = self.axes_of(stage)?;
        let own = self.renamed_axis(&reduced_axis(stage)?, &axes)?;
        if own.var == key.var { Ok(axes) } else { Err(fault("the reductions are along different axes")) }
    }

    /// A stage's formula over the axes of the products, with names for elements of the first so many reductions; it reads none
    /// of the others.
    fn placed(&self, value: &Expr, axes: &[(Var, Expr)], before: usize) -> Result<Expr, Fault> {
        let value = substituted(value, axes);
        let Names { product, best, total, .. } = &self.names;
        let places = [(self.products, product), (self.best, best), (self.total, total)];
        let mut missed = false;
        let placed = rewrite(&value, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, indices, predicate: None } => {
                let number = places.iter().position(|(stage, _)| stage.buffer == *buffer)?;
                let (stage, name) = places.get(number)?;
                let own = self.own_places(stage);
                let same = own.as_ref().is_some_and(|own| {
                    own.len() == indices.len() && own.iter().zip(indices).all(|(a, b)| self.same_place(a, b))
                });
                missed |= !same || number >= before;
                Some(Expr::var(name))
            }
            _ => None,
        });
        if missed { Err(fault("a sum is read at another place")) } else { Ok(placed.unwrap_or(value)) }
    }

    /// The indices at which a stage writes, over the axes of the products.
    fn own_places(&self, stage: &Stage) -> Option<Vec<Expr>> {
        if std::ptr::eq(stage, self.products) {
            return Some(stage.indices.clone());
        }
        let axes = self.axes_of(stage).ok()?;
        Some(stage.indices.iter().map(|index| substituted(index, &axes)).collect())
    }

    fn same_place(&self, a: &Expr, b: &Expr) -> bool {
        a.equal(b) || self.known.prove_equal(a, b)
    }

    /// The factors of the products: of the queries, and of the keys.
    fn factors(&self, key: &Axis) -> Result<(Expr, Expr), Fault> {
        let ExprKind::Binary(BinOp::Mul, a, b) = &self.products.value.kind else {
            return Err(fault("the products are no products"));
        };
        let of_key = |e: &Expr| mentions(e, std::slice::from_ref(&key.var));
        match (of_key(a), of_key(b)) {
            (false, true) => Ok((a.clone(), b.clone())),
            (true, false) => Ok((b.clone(), a.clone())),
            _ => Err(fault("both factors of a product depend on the key, or none")),
        }
    }

    /// What is written, and where, over batch, query and width; `places` are the indices of the sums of values.
    fn result(&mut self, rest: &[Stage], places: Vec<Expr>, share: &Expr) -> Result<(Buffer, Vec<Expr>, Expr), Fault> {
        let out = match rest {
            [] => return Ok((self.mixed.buffer.clone(), places, share.clone())),
            [out] if out.reduced.is_none() => out,
            _ => return Err(fault("more than one result is written")),
        };
        let loads = loads_of(&out.value);
        let read = loads.iter().find(|(buffer, _)| *buffer == self.mixed.buffer);
        let (_, indices) = read.ok_or_else(|| fault("the result reads no sum of values"))?;
        let axes = self.axes_of_result(out, indices, &places)?;
        let totals = self.own_places(self.total).ok_or_else(|| fault("the sum has no place"))?;
        let value = substituted(&out.value, &axes);
        let mut missed = false;
        let placed = rewrite(&value, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, indices, predicate: None } if self.is_between(buffer) => {
                let (own, name) = match buffer {
                    buffer if *buffer == self.mixed.buffer => (&places, share.clone()),
                    buffer if *buffer == self.total.buffer => (&totals, Expr::var(&self.names.total)),
                    _ => {
                        missed = true;
                        return None;
                    }
                };
                missed |= own.len() != indices.len() || !own.iter().zip(indices).all(|(a, b)| self.same_place(a, b));
                Some(name)
            }
            _ => None,
        });
        if missed {
            return Err(fault("the result reads sums at several places"));
        }
        let indices = out.indices.iter().map(|index| self.known.simplify(&substituted(index, &axes))).collect();
        Ok((out.buffer.clone(), indices, placed.unwrap_or(value)))
    }

    /// The axes of a result that reads each sum of values once, at these indices, over the places of those sums.
    fn axes_of_result(&mut self, out: &Stage, indices: &[Expr], places: &[Expr]) -> Result<Vec<(Var, Expr)>, Fault> {
        let iters: Vec<(Var, Range)> =
            out.spatial.iter().map(|axis| (axis.var.clone(), Range::up_to(axis.extent.clone()))).collect();
        let pairs = indices.iter().zip(places).filter(|(index, _)| index.as_int().is_none());
        let (from, to): (Vec<Expr>, Vec<Expr>) = pairs.map(|(a, b)| (a.clone(), b.clone())).unzip();
        let whole = Expr::bool(true);
        let map = detect_iter_map(&mut self.known, &from, &iters, &whole, IterMapLevel::Bijective, true);
        if map.indices.len() != from.len() {
            return Err(fault("the result does not read each sum of values once"));
        }
        let inverse = inverse_affine_iter_map(&self.known, &map.indices, &to);
        let mut axes = inverse.ok_or_else(|| fault("the result does not read each sum of values once"))?;
        for axis in &out.spatial {
            if axes.iter().all(|(var, _)| *var != axis.var) {
                if axis.extent.as_int() != Some(1) {
                    return Err(fault("the result has an axis of its own"));
                }
                axes.push((axis.var.clone(), Expr::int(0, axis.var.dtype)));
            }
        }
        let count = |axes: &[Axis]| {
            let extents = axes.iter().map(|axis| axis.extent.cast(DataType::I64).ok());
            extents.into_iter().try_fold(Expr::i64(1), |count, extent| Some(&count * &extent?))
        };
        let counts = count(&out.spatial).zip(count(&self.mixed.spatial));
        if !counts.is_some_and(|(own, sums)| self.known.prove_equal(&own, &sums)) {
            return Err(fault("the result does not read each sum of values once"));
        }
        Ok(axes)
    }
}

fn mentions_any(formulas: &[Expr], var: &Var) -> bool {
    formulas.iter().any(|formula| mentions(formula, std::slice::from_ref(var)))
}

fn reduced_axis(stage: &Stage) -> Result<Axis, Fault> {
    stage.reduced.as_ref().map(|reduced| reduced.axis.clone()).ok_or_else(|| fault("a reduction is missing"))
}

fn loads_of(value: &Expr) -> Vec<(Buffer, Vec<Expr>)> {
    let mut found = Vec::new();
    walk(value, |e: &Expr| {
        if let ExprKind::Load { buffer, indices, .. } = &e.kind {
            found.push((buffer.clone(), indices.clone()));
        }
    });
    found
}
