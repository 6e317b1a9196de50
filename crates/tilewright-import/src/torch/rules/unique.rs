//! Distinct elements.

use tilewright_ops::set::unique;

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value, new_size};

pub const RULES: &[Rule] = &[
    rule("unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", unique),
    rule("unique_dim", "input, dim, sorted=True, return_inverse=False, return_counts=False", |cx, args| {
        // A result that is not requested is `None`.
        let (inverse, counts) = (args.flag("return_inverse")?, args.flag("return_counts")?);
        let mut found = match unique(cx, args)? {
            Value::List(found) => found.into_iter(),
            one => vec![one].into_iter(),
        };
        let mut next = |wanted: bool| if wanted { found.next().unwrap_or(Value::None) } else { Value::None };
        Ok(Value::List(vec![next(true), next(inverse), next(counts)]))
    }),
    rule("_unique2", "input, sorted=True, return_inverse=False, return_counts=False", unique),
];

/// The distinct elements or slices; if requested, the index of each element's among them, and their counts.
fn unique(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (inverse, counts) = (args.flag("return_inverse")?, args.flag("return_counts")?);
    let x = args.tensor("input")?;
    let axis = if args.has("dim") { Some(args.int("dim")?) } else { None };
    let attrs = [
        ("sorted", true.to_attr()),
        ("return_index", false.to_attr()),
        ("return_inverse", inverse.to_attr()),
        ("return_counts", counts.to_attr()),
        ("axis", axis.to_attr()),
    ];
    let (found, count) = (cx.call(&unique::OP, &[&x], attrs)?, new_size());
    let shape = cx.shape(&x)?;
    let mut distinct = vec![count.clone()];
    let mut many = cx.product(&shape);
    if let Some(axis) = axis {
        let axis = cx.axis(axis, shape.len())?;
        (distinct, many) = (shape.clone(), shape[axis].clone());
        distinct[axis] = count.clone();
    }
    if !inverse && !counts {
        return cx.match_cast(&found, distinct).map(Value::Tensor);
    }
    let mut shapes = vec![distinct];
    shapes.extend(inverse.then(|| vec![many]));
    shapes.extend(counts.then(|| vec![count]));
    let mut fields = Vec::new();
    for (field, dims) in cx.fields(found)?.iter().zip(shapes) {
        let field = field.tensor().ok_or_else(|| Refused::new("expected tensors"))?;
        fields.push(cx.match_cast(field, dims)?);
    }
    if inverse && axis.is_none() {
        fields[1] = cx.reshape(&fields[1], shape)?;
    }
    Ok(Value::List(fields.into_iter().map(Value::Tensor).collect()))
}
