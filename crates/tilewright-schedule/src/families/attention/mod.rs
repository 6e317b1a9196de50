//! Attention in a function: which axis is what, and the formulas between the products.
//!
//! Attention is four reductions, whatever formulas are between them:
//!
//! ```text
//! products[b, i, j] = sum over d of query(b, i, d) * key(b, j, d)
//! max[b, i]         = max over j of scores(products[b, i, j], b, i, j)
//! weight_sum[b, i]  = sum over j of exp(scores - max)
//! weighted[b, i, w] = sum over j of exp(scores - max) [/ weight_sum] * value(b, j, w)
//! result[…]         = formula(weighted[b, i, w], weight_sum[b, i])
//! ```

mod causal;
mod shared_heads;
pub(crate) mod weights;

use tilewright_arith::{Analyzer, IterMapLevel, detect_iter_map, inverse_affine_iter_map};
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, PrimFunc, Range, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::analysis::axes::Axis;
use crate::analysis::formulas::{self, Stage, check_temporary};
use crate::build::exprs::{binary, compare, mentions, mentions_var, substituted, typed};
use crate::fault::Fault;
use weights::{check_exponential, factor_of, is_float};

/// Attention, its formulas over the axes.
#[derive(Clone, Debug)]
pub(crate) struct Attention {
    pub(crate) batch: Vec<Axis>,
    pub(crate) query: Axis,
    pub(crate) key: Axis,
    pub(crate) head_dim: Axis,
    pub(crate) value_dim: Axis,
    /// An element of the queries, over batch, query and head dimension.
    pub(crate) q: Expr,
    /// An element of the keys, over batch, key and head dimension.
    pub(crate) k: Expr,
    /// An element of the values, over batch, key and value dimension.
    pub(crate) v: Expr,
    /// The sum of products in `scores`, which is over batch, query and key.
    pub(crate) product: Var,
    pub(crate) scores: Expr,
    /// The weighted sum of values and the sum of weights in `result`, which is over batch, query and value dimension.
    pub(crate) weighted: Var,
    pub(crate) weight_sum: Var,
    pub(crate) result: Expr,
    pub(crate) out: Buffer,
    pub(crate) indices: Vec<Expr>,
    /// The type in which all is computed, and that of the axes.
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
        let [products, max, weight_sum, weighted, rest @ ..] = all.as_slice() else {
            return Err(fault("there are fewer reductions than attention has"));
        };
        for (stage, op, from) in [
            (products, BinOp::Add, 0.0),
            (max, BinOp::Max, f64::NEG_INFINITY),
            (weight_sum, BinOp::Add, 0.0),
            (weighted, BinOp::Add, 0.0),
        ] {
            let fits = stage.reduced.as_ref().is_some_and(|r| r.op == op && is_float(&r.from, from));
            if !fits || stage.buffer.dtype != products.buffer.dtype {
                return Err(Fault::of_call(format!("`{}` is not what attention reduces", stage.buffer.name)));
            }
        }
        check_temporary(function, if rest.is_empty() { &all[..3] } else { &all[..4] })?;
        let named = |name: &str| Var::new(name, products.buffer.dtype);
        let names = Names {
            product: named("product"),
            max: named("max"),
            weight_sum: named("weight_sum"),
            weighted: named("weighted"),
        };
        Finder { known: analyzer_of(function), products, max, weight_sum, weighted, names }
            .find(rest)
            .map(Attention::with_heads_as_queries)
    }
}

/// The four reductions.
struct Finder<'a> {
    known: Analyzer,
    products: &'a Stage,
    max: &'a Stage,
    weight_sum: &'a Stage,
    weighted: &'a Stage,
    names: Names,
}

/// The variables for elements of the reductions in formulas.
struct Names {
    product: Var,
    max: Var,
    weight_sum: Var,
    weighted: Var,
}

impl Finder<'_> {
    fn find(mut self, rest: &[Stage]) -> Result<Attention, Fault> {
        let head_dim = self.head_dim()?;
        let (key, scores) = self.scores()?;
        let rows: Vec<&Axis> = self.products.spatial.iter().filter(|axis| axis.var != key.var).collect();
        let (q, k) = self.factors(&key)?;
        let query = rows.iter().rev().find(|axis| !mentions_var(&k, &axis.var));
        let query = Axis::clone(query.ok_or_else(|| fault("every row has keys of its own"))?);
        let batch: Vec<Axis> = rows.into_iter().filter(|axis| axis.var != query.var).cloned().collect();
        let to_products = self.axes_of_sum(self.weight_sum, &key)?;
        let exponential = self.over_products(&self.weight_sum.value, &to_products, 2)?;
        let is_replaced = check_exponential(&exponential, &scores, &self.names.max)?;
        let to_products = self.axes_of_sum(self.weighted, &key)?;
        let product = self.over_products(&self.weighted.value, &to_products, 3)?;
        let (v, divisor) = factor_of(&product, &exponential, &self.names.weight_sum)?;
        let value_dim = self.value_dim(&v, &to_products)?;
        let others = [query.var.clone(), self.names.product.clone(), self.names.max.clone()];
        if mentions(&v, &others) {
            return Err(fault("the values depend on the query"));
        }
        let sums = self.weighted.indices.iter().map(|index| substituted(index, &to_products)).collect();
        let normalized = self.normalized(divisor.as_ref(), &key)?;
        let (out, indices, mut result) = self.result(rest, sums, &normalized)?;
        if !is_replaced {
            result = self.nan_where_all_is_masked(&result, divisor.as_ref(), &normalized, &key)?;
        }
        let constant = |axis: &Axis| axis.extent.as_int().is_some_and(|extent| extent > 0);
        if !constant(&head_dim) || !constant(&value_dim) {
            return Err(fault("the head dimensions are not constant"));
        }
        let formulas = [&q, &k, &v, &scores, &result];
        if formulas.into_iter().flat_map(loads_of).any(|(at, _)| self.is_between(&at) || at.data == out.data) {
            return Err(fault("a formula reads a sum that it is not of"));
        }
        let (dtype, index) = (self.products.buffer.dtype, head_dim.var.dtype);
        let Names { product, weighted, weight_sum, .. } = self.names;
        Ok(Attention {
            batch,
            query,
            key,
            head_dim,
            value_dim,
            q,
            k,
            v,
            product,
            scores,
            weighted,
            weight_sum,
            result,
            out,
            indices,
            dtype,
            index,
        })
    }

    /// The axis of the products' sums; all of their axes are known from here on.
    fn head_dim(&mut self) -> Result<Axis, Fault> {
        let head_dim = reduced_axis(self.products)?;
        let axes = self.products.spatial.iter().chain([&head_dim]);
        let alike = axes.clone().all(|axis| axis.var.dtype == head_dim.var.dtype);
        if self.products.buffer.dtype != DataType::F32 || !alike {
            return Err(fault("it is not computed in float32 over axes of one type"));
        }
        axes.for_each(|axis| self.known.bind(&axis.var, &Range::up_to(axis.extent.clone())));
        Ok(head_dim)
    }

    /// The axis along which maxima are taken, and of what, over the axes of the products.
    fn scores(&self) -> Result<(Axis, Expr), Fault> {
        let to_products = self.axes_of(self.max)?;
        let key = self.renamed_axis(&reduced_axis(self.max)?, &to_products)?;
        Ok((key, self.over_products(&self.max.value, &to_products, 1)?))
    }

    /// The axis that the values have and the products have not.
    fn value_dim(&mut self, v: &Expr, to_products: &[(Var, Expr)]) -> Result<Axis, Fault> {
        let own = self.weighted.spatial.iter().filter(|axis| to_products.iter().all(|(var, _)| *var != axis.var));
        let own: Vec<&Axis> =
            own.filter(|axis| axis.extent.as_int() != Some(1) || mentions_var(v, &axis.var)).collect();
        let [value_dim] = own.as_slice() else { return Err(fault("the values have no axis of their own, or several")) };
        self.known.bind(&value_dim.var, &Range::up_to(value_dim.extent.clone()));
        Ok(Axis::clone(value_dim))
    }

    /// The weighted sum of values, divided where each weight is.
    fn normalized(&self, divisor: Option<&Expr>, key: &Axis) -> Result<Expr, Fault> {
        let weighted = Expr::var(&self.names.weighted);
        match divisor {
            Some(divisor) => binary(BinOp::Div, &weighted, &self.divisor_of_some(key, divisor)?),
            None => Ok(weighted),
        }
    }

    /// The divisor, but one where there are no keys: a sum of nothing is zero, and no quotient.
    fn divisor_of_some(&self, key: &Axis, divisor: &Expr) -> Result<Expr, Fault> {
        if self.known.bounds(&key.extent).at_least(1) {
            return Ok(divisor.clone());
        }
        let is_none = compare(CmpOp::Eq, &key.extent, &Expr::int(0, key.extent.dtype))?;
        typed(Expr::select(&is_none, &Expr::float(1.0, divisor.dtype), divisor))
    }

    /// The result of sums that are NaN for a query all of whose keys are masked: where -inf is subtracted from itself,
    /// every weight is NaN, while the kernel has zeros. Only there is the sum of weights zero. The quotient of the two
    /// is NaN anyway.
    fn nan_where_all_is_masked(
        &self,
        result: &Expr,
        divisor: Option<&Expr>,
        normalized: &Expr,
        key: &Axis,
    ) -> Result<Expr, Fault> {
        let Names { weighted, weight_sum, .. } = &self.names;
        let quotient = match divisor {
            Some(divisor) if divisor.as_var() == Some(weight_sum) => normalized.clone(),
            _ => binary(BinOp::Div, &Expr::var(weighted), &Expr::var(weight_sum))?,
        };
        let zero = compare(CmpOp::Eq, &Expr::var(weight_sum), &Expr::float(0.0, weight_sum.dtype))?;
        let has_keys = self.known.bounds(&key.extent).at_least(1);
        let is_none = compare(CmpOp::Eq, &key.extent, &Expr::int(0, key.extent.dtype))?;
        let nan_if_zero = |var: &Var| {
            let found = Expr::var(var);
            let nan = typed(Expr::select(&zero, &Expr::float(f64::NAN, var.dtype), &found))?;
            if has_keys { Ok(nan) } else { typed(Expr::select(&is_none, &found, &nan)) }
        };
        let name = Var::new("quotient", weighted.dtype);
        let named = rewrite(result, |e: &Expr| e.equal(&quotient).then(|| Expr::var(&name)));
        let sums = [(weighted.clone(), nan_if_zero(weighted)?), (weight_sum.clone(), nan_if_zero(weight_sum)?)];
        let result = substituted(&named.unwrap_or_else(|| result.clone()), &sums);
        Ok(substituted(&result, &[(name, quotient)]))
    }

    fn is_between(&self, buffer: &Buffer) -> bool {
        [self.products, self.max, self.weight_sum, self.weighted].iter().any(|stage| stage.buffer == *buffer)
    }

    /// The stage's axes over those of the products, as its reads of a product say.
    fn axes_of(&self, stage: &Stage) -> Result<Vec<(Var, Expr)>, Fault> {
        let loads = loads_of(&stage.value);
        let read = loads.iter().find(|(buffer, _)| *buffer == self.products.buffer);
        let (_, indices) = read.ok_or_else(|| Fault::of_call(format!("`{}` reads no product", stage.buffer.name)))?;
        let (mut axes, mut from, mut to): (Vec<(Var, Expr)>, Vec<Expr>, Vec<Expr>) = Default::default();
        for (index, own) in indices.iter().zip(&self.products.indices) {
            match (index.as_var(), own.as_var()) {
                (Some(var), Some(_)) if axes.iter().all(|(other, _)| other != var) => {
                    axes.push((var.clone(), own.clone()));
                }
                _ if self.known.simplify(own).as_int() == index.as_int() && index.as_int().is_some() => {}
                // An axis of extent 1.
                (None, Some(_)) if index.as_int() == Some(0) => {}
                (None, Some(_)) if index.as_int().is_none() => {
                    from.push(index.clone());
                    to.push(own.clone());
                }
                _ => return Err(Fault::of_call(format!("`{}` does not read products one by one", stage.buffer.name))),
            }
        }
        self.check_extents(stage, &axes)?;
        axes.extend(self.axes_in_one(stage, &axes, &from, &to)?);
        let units = stage.spatial.iter().filter(|axis| axis.extent.as_int() == Some(1));
        let units: Vec<Var> =
            units.map(|axis| axis.var.clone()).filter(|var| axes.iter().all(|(other, _)| other != var)).collect();
        axes.extend(units.into_iter().map(|var| (var.clone(), Expr::int(0, var.dtype))));
        Ok(axes)
    }

    /// Those of the stage's axes that are one axis of the products together: `from` over the stage's axes is `to` over
    /// those.
    fn axes_in_one(
        &self,
        stage: &Stage,
        known: &[(Var, Expr)],
        from: &[Expr],
        to: &[Expr],
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
        let is_read = |axis: &&Axis| to.iter().any(|index| index.as_var() == Some(&axis.var));
        let others: Vec<&Axis> = self.products.spatial.iter().filter(is_read).collect();
        let found = (map.indices.len() == from.len())
            .then(|| inverse_affine_iter_map(&self.known, &map.indices, to))
            .flatten()
            .filter(|_| instances(own).zip(instances(others)).is_some_and(|(a, b)| self.known.prove_equal(&a, &b)));
        found.ok_or_else(refuse)
    }

    fn check_extents(&self, stage: &Stage, axes: &[(Var, Expr)]) -> Result<(), Fault> {
        let reduced = stage.reduced.iter().map(|reduced| &reduced.axis);
        for axis in stage.spatial.iter().chain(reduced) {
            let Some((_, index)) = axes.iter().find(|(var, _)| *var == axis.var) else { continue };
            let other = self.products.spatial.iter().find(|other| index.as_var() == Some(&other.var));
            if !other.is_some_and(|other| self.known.prove_equal(&other.extent, &axis.extent)) {
                return Err(Fault::of_call(format!("`{}` is of another size than the products", stage.buffer.name)));
            }
        }
        Ok(())
    }

    fn renamed_axis(&self, axis: &Axis, axes: &[(Var, Expr)]) -> Result<Axis, Fault> {
        let var = axes.iter().find(|(var, _)| *var == axis.var).and_then(|(_, index)| index.as_var());
        let found = self.products.spatial.iter().find(|other| Some(&other.var) == var);
        found.cloned().ok_or_else(|| fault("the maximum is not along an axis of the products"))
    }

    /// The axes of a sum along the keys over those of the products.
    fn axes_of_sum(&self, stage: &Stage, key: &Axis) -> Result<Vec<(Var, Expr)>, Fault> {
        let axes = self.axes_of(stage)?;
        let own = self.renamed_axis(&reduced_axis(stage)?, &axes)?;
        if own.var == key.var { Ok(axes) } else { Err(fault("the reductions are along different axes")) }
    }

    /// A stage's formula over the axes of the products, with variables for elements of the first `before` reductions;
    /// it reads none of the others.
    fn over_products(&self, value: &Expr, axes: &[(Var, Expr)], before: usize) -> Result<Expr, Fault> {
        let value = substituted(value, axes);
        let Names { product, max, weight_sum, .. } = &self.names;
        let reductions = [(self.products, product), (self.max, max), (self.weight_sum, weight_sum)];
        let mut missed = false;
        let named = rewrite(&value, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, indices, predicate: None } => {
                let number = reductions.iter().position(|(stage, _)| stage.buffer == *buffer)?;
                let (stage, name) = reductions.get(number)?;
                let own = self.write_indices(stage);
                let same = own.as_ref().is_some_and(|own| {
                    own.len() == indices.len() && own.iter().zip(indices).all(|(a, b)| self.same_index(a, b))
                });
                missed |= !same || number >= before;
                Some(Expr::var(name))
            }
            _ => None,
        });
        if missed { Err(fault("a sum is read at other indices")) } else { Ok(named.unwrap_or(value)) }
    }

    /// The indices at which a stage writes, over the axes of the products.
    fn write_indices(&self, stage: &Stage) -> Option<Vec<Expr>> {
        if std::ptr::eq(stage, self.products) {
            return Some(stage.indices.clone());
        }
        let axes = self.axes_of(stage).ok()?;
        Some(stage.indices.iter().map(|index| substituted(index, &axes)).collect())
    }

    fn same_index(&self, a: &Expr, b: &Expr) -> bool {
        a.equal(b) || self.known.prove_equal(a, b)
    }

    /// The operands of the products: queries, and keys.
    fn factors(&self, key: &Axis) -> Result<(Expr, Expr), Fault> {
        let ExprKind::Binary(BinOp::Mul, a, b) = &self.products.value.kind else {
            return Err(fault("the products are no products"));
        };
        let is_key = |e: &Expr| mentions_var(e, &key.var);
        match (is_key(a), is_key(b)) {
            (false, true) => Ok((a.clone(), b.clone())),
            (true, false) => Ok((b.clone(), a.clone())),
            _ => Err(fault("both factors of a product depend on the key, or none")),
        }
    }

    /// The buffer, indices and value of what is written, over batch, query and value dimension; `sums` are the indices
    /// of the sums of values.
    fn result(
        &mut self,
        rest: &[Stage],
        sums: Vec<Expr>,
        normalized: &Expr,
    ) -> Result<(Buffer, Vec<Expr>, Expr), Fault> {
        let out = match rest {
            [] => return Ok((self.weighted.buffer.clone(), sums, normalized.clone())),
            [out] if out.reduced.is_none() => out,
            _ => return Err(fault("more than one result is written")),
        };
        let loads = loads_of(&out.value);
        let read = loads.iter().find(|(buffer, _)| *buffer == self.weighted.buffer);
        let (_, indices) = read.ok_or_else(|| fault("the result reads no sum of values"))?;
        let axes = self.axes_of_result(out, indices, &sums)?;
        let totals = self.write_indices(self.weight_sum).ok_or_else(|| fault("the sum has no indices"))?;
        let value = substituted(&out.value, &axes);
        let mut missed = false;
        let named = rewrite(&value, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, indices, predicate: None } if self.is_between(buffer) => {
                let (own, name) = match buffer {
                    buffer if *buffer == self.weighted.buffer => (&sums, normalized.clone()),
                    buffer if *buffer == self.weight_sum.buffer => (&totals, Expr::var(&self.names.weight_sum)),
                    _ => {
                        missed = true;
                        return None;
                    }
                };
                missed |= own.len() != indices.len() || !own.iter().zip(indices).all(|(a, b)| self.same_index(a, b));
                Some(name)
            }
            _ => None,
        });
        if missed {
            return Err(fault("the result reads sums at several indices"));
        }
        let indices = out.indices.iter().map(|index| self.known.simplify(&substituted(index, &axes))).collect();
        Ok((out.buffer.clone(), indices, named.unwrap_or(value)))
    }

    /// The axes of a result that reads each sum of values once, at `indices`, over the indices of those sums.
    fn axes_of_result(&mut self, out: &Stage, indices: &[Expr], sums: &[Expr]) -> Result<Vec<(Var, Expr)>, Fault> {
        let iters: Vec<(Var, Range)> =
            out.spatial.iter().map(|axis| (axis.var.clone(), Range::up_to(axis.extent.clone()))).collect();
        let pairs = indices.iter().zip(sums).filter(|(index, _)| index.as_int().is_none());
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
        let counts = instances(&out.spatial).zip(instances(&self.weighted.spatial));
        if !counts.is_some_and(|(own, sums)| self.known.prove_equal(&own, &sums)) {
            return Err(fault("the result does not read each sum of values once"));
        }
        Ok(axes)
    }
}

/// The product of the axes' extents.
fn instances<'a>(axes: impl IntoIterator<Item = &'a Axis>) -> Option<Expr> {
    axes.into_iter().try_fold(Expr::i64(1), |count, axis| Some(&count * &axis.extent.cast(DataType::I64).ok()?))
}

fn mentions_any(formulas: &[Expr], var: &Var) -> bool {
    formulas.iter().any(|formula| mentions_var(formula, var))
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
