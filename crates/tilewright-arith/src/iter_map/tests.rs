//! Claims about maps, checked by counting what the indices take on small extents.

use std::collections::{BTreeMap, BTreeSet};

use tilewright_expr::{BinOp, CmpOp, Expr, Range, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use super::{IterMapLevel, detect_iter_map, inverse_affine_iter_map, iter_map_simplify, normalize_iter_map_to_expr};
use super::{IterSource, normalize_to_iter_sum, subspace_divide};
use crate::Analyzer;
use crate::tests::{Random, eval};

fn op(op: BinOp, a: &Expr, b: i64) -> Expr {
    Expr::binary(op, a, &Expr::i64(b)).unwrap()
}

fn less(a: &Expr, b: i64) -> Expr {
    Expr::compare(CmpOp::Lt, a, &Expr::i64(b)).unwrap()
}

struct Space {
    iters: Vec<(Var, Range)>,
    extents: Vec<i64>,
}

impl Space {
    fn new(extents: &[i64]) -> Self {
        let vars = ["i", "j", "k", "l"].iter().zip(extents);
        let iters = vars.map(|(name, &extent)| (Var::new(*name, DataType::I64), Range::up_to(Expr::i64(extent))));
        Self { iters: iters.collect(), extents: extents.to_vec() }
    }

    fn exprs(&self) -> Vec<Expr> {
        self.iters.iter().map(|(var, _)| Expr::var(var)).collect()
    }

    /// Every assignment of the iterators for which the predicate holds.
    fn points(&self, predicate: &Expr) -> Vec<Map<tilewright_expr::node::VarId, i64>> {
        let count: i64 = self.extents.iter().product();
        let points = (0..count).map(|mut n| {
            let values = self.iters.iter().zip(&self.extents).map(|((var, _), &extent)| {
                let value = n % extent;
                n /= extent;
                (var.id(), value)
            });
            values.collect::<Map<_, _>>()
        });
        points.filter(|env| eval(predicate, env).is_some_and(|holds| holds.as_bool())).collect()
    }
}

/// A random expression that is likely to be an iterator map.
fn random_index(random: &mut Random, vars: &[Expr], extents: &[i64]) -> Expr {
    let piece = |random: &mut Random| {
        let at = random.below(vars.len() as u64) as usize;
        let divisor = *random.pick(&[2, 3, 4]);
        let value = match random.below(5) {
            0 => op(BinOp::FloorDiv, &vars[at], divisor),
            1 => op(BinOp::FloorMod, &vars[at], divisor),
            _ => vars[at].clone(),
        };
        (value, extents[at])
    };
    let (mut sum, _) = piece(random);
    for _ in 0..random.below(3) {
        let (next, extent) = piece(random);
        sum = &op(BinOp::Mul, &sum, *random.pick(&[extent, extent, extent / 2, 2, 3])) + &next;
    }
    let divisor = *random.pick(&[2, 3, 4, 6, 8]);
    match random.below(5) {
        0 => op(BinOp::FloorDiv, &sum, divisor),
        1 => op(BinOp::FloorMod, &sum, divisor),
        2 => &sum + 3,
        _ => sum,
    }
}

/// The rectangle from the least to the greatest value of every index, in steps of the index's own scale.
fn rectangle(indices: &[super::IterSumExpr]) -> usize {
    let extents = indices.iter().map(|sum| sum.args.iter().map(|arg| arg.extent.as_int().unwrap()).product::<i64>());
    extents.product::<i64>() as usize
}

#[test]
fn claims_about_iterator_maps_hold() {
    let mut random = Random(77);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..12_000 {
        let extents: Vec<i64> = (0..1 + random.below(3)).map(|_| *random.pick(&[1, 2, 3, 4, 6, 8, 12])).collect();
        let space = Space::new(&extents);
        let vars = space.exprs();
        let indices: Vec<Expr> = (0..1 + random.below(3)).map(|_| random_index(&mut random, &vars, &extents)).collect();
        let limit = extents.iter().product::<i64>() - random.below(4) as i64;
        let predicate = match random.below(4) {
            0 => less(&indices[0], limit.max(1)),
            _ => Expr::bool(true),
        };
        let points = space.points(&predicate);
        let values: BTreeSet<Vec<i64>> =
            points.iter().map(|env| indices.iter().map(|index| eval(index, env).unwrap().as_int()).collect()).collect();
        for (name, level) in [
            ("any", IterMapLevel::NoCheck),
            ("surjective", IterMapLevel::Surjective),
            ("bijective", IterMapLevel::Bijective),
        ] {
            let mut cx = Analyzer::new();
            let found = detect_iter_map(&mut cx, &indices, &space.iters, &predicate, level, random.below(2) == 0);
            if found.indices.is_empty() {
                assert!(!found.errors.is_empty());
                continue;
            }
            *counts.entry(name).or_default() += 1;
            for env in &points {
                for (index, sum) in indices.iter().zip(&found.indices) {
                    let expr = normalize_iter_map_to_expr(&cx, sum);
                    assert_eq!(eval(&expr, env), eval(index, env), "{index:?}\n{sum:?}");
                }
            }
            let whole = rectangle(&found.indices);
            let as_claimed = if level == IterMapLevel::NoCheck { values.len() <= whole } else { values.len() == whole };
            assert!(as_claimed, "{indices:?}\n{predicate:?}\n{found:?}");
            if level == IterMapLevel::Bijective {
                assert_eq!(values.len(), points.len(), "{indices:?}\n{found:?}");
                let outputs: Vec<Var> = indices.iter().map(|_| Var::new("o", DataType::I64)).collect();
                let exprs: Vec<Expr> = outputs.iter().map(Expr::var).collect();
                let inverse = inverse_affine_iter_map(&cx, &found.indices, &exprs).unwrap();
                for env in &points {
                    let back =
                        outputs.iter().zip(&indices).map(|(o, index)| (o.id(), eval(index, env).unwrap().as_int()));
                    let back: Map<_, _> = back.collect();
                    for (var, value) in &inverse {
                        assert_eq!(eval(value, &back).map(|v| v.as_int()), env.get(&var.id()).copied(), "{indices:?}");
                    }
                }
            }
        }
    }
    assert!(counts["surjective"] > 1_500 && counts["bijective"] > 800, "{counts:?}");
}

fn detected(space: &Space, indices: &[Expr], predicate: &Expr, level: IterMapLevel) -> bool {
    !detect_iter_map(&mut Analyzer::new(), indices, &space.iters, predicate, level, true).indices.is_empty()
}

#[test]
fn fused_and_divided_loops_are_maps() {
    let space = Space::new(&[4, 8, 3]);
    let [i, j, k] = <[Expr; 3]>::try_from(space.exprs()).unwrap();
    let yes = Expr::bool(true);
    let fused = &(&i * 8) + &j;
    let bijective = |indices: &[Expr]| detected(&space, indices, &yes, IterMapLevel::Bijective);
    assert!(bijective(&[fused.clone(), k.clone()]));
    assert!(bijective(&[op(BinOp::FloorDiv, &fused, 16), op(BinOp::FloorMod, &fused, 16), k.clone()]));
    assert!(bijective(&[op(BinOp::FloorDiv, &fused, 2), op(BinOp::FloorMod, &fused, 2), k.clone()]));
    assert!(!bijective(std::slice::from_ref(&fused)), "`k` is left out");
    assert!(detected(&space, std::slice::from_ref(&fused), &yes, IterMapLevel::Surjective));
    assert!(!bijective(&[&(&i * 9) + &j, k.clone()]), "a gap after every eighth");
    assert!(!bijective(&[i.clone(), &fused + 1, k.clone()]), "`i` twice");
    assert!(bijective(&[fused.clone(), &k - 7]) && bijective(&[fused.clone(), &k * -1]));
    // Only the first 30 of 32.
    let bounded = less(&fused, 30);
    assert!(detected(&space, &[fused.clone(), k.clone()], &bounded, IterMapLevel::Bijective));
    assert!(!detected(&space, &[i, j, k], &bounded, IterMapLevel::Bijective));
}

#[test]
fn symbolic_extents_fuse_too() {
    let n = Var::new("n", DataType::I64);
    let (i, j) = (Var::new("i", DataType::I64), Var::new("j", DataType::I64));
    let extent = Expr::var(&n);
    let iters = [(i.clone(), Range::up_to(Expr::i64(4))), (j.clone(), Range::up_to(extent.clone()))];
    let fused = &(&Expr::var(&i) * &extent) + &Expr::var(&j);
    let mut cx = Analyzer::new();
    cx.bind_bounds(&n, Some(1), None);
    let found = detect_iter_map(
        &mut cx,
        std::slice::from_ref(&fused),
        &iters,
        &Expr::bool(true),
        IterMapLevel::Bijective,
        true,
    );
    assert_eq!(found.errors, Vec::<String>::new());
    let IterSource::Sum(sum) = &found.indices[0].args[0].source.source else { panic!("one fused mark") };
    assert_eq!(sum.args.len(), 2);
    assert!(cx.prove_equal(&found.indices[0].args[0].extent, &(&extent * 4)));
    let pieces = normalize_to_iter_sum(&mut cx, &fused, &iters).unwrap();
    assert!(pieces.args.len() == 2 && pieces.args[0].scale.equal(&extent));
}

#[test]
fn extents_that_are_sums_of_symbols_fuse_and_divide() {
    let [n, h, w] = ["n", "h", "w"].map(|name| Var::new(name, DataType::I64));
    let mut cx = Analyzer::new();
    [&n, &h, &w].into_iter().for_each(|var| cx.bind_bounds(var, Some(0), None));
    let [n, h, w] = [n, h, w].map(|var| Expr::var(&var));
    let (line, row) = (&h + 2, &(&w * 3) + 1);
    let divided = |cx: &mut Analyzer, extents: [&Expr; 3], by: &Expr| {
        let all = Var::new("all", DataType::I64);
        let extent = extents.iter().fold(Expr::i64(1), |product, extent| &product * *extent);
        let below = &row * by;
        let all = (Expr::var(&all), (all, Range::up_to(cx.simplify(&extent))));
        let floor = |op: BinOp, a: &Expr, b: &Expr| Expr::binary(op, a, b).unwrap();
        let indices = [
            floor(BinOp::FloorDiv, &all.0, &below),
            floor(BinOp::FloorDiv, &floor(BinOp::FloorMod, &all.0, &below), &row),
            floor(BinOp::FloorMod, &all.0, &row),
        ];
        let iters = [all.1];
        detect_iter_map(cx, &indices, &iters, &Expr::bool(true), IterMapLevel::Bijective, true).errors.is_empty()
    };
    assert!(divided(&mut cx, [&Expr::i64(32), &line, &row], &line));
    assert!(divided(&mut cx, [&(&n * 32), &line, &row], &line));
    assert!(!divided(&mut cx, [&Expr::i64(32), &line, &row], &(&h + 1)));
    assert!(!divided(&mut cx, [&Expr::i64(32), &line, &(&row + 1)], &line));
}

#[test]
fn simplified_maps_lose_their_divisions() {
    let space = Space::new(&[4, 8]);
    let [i, j] = <[Expr; 2]>::try_from(space.exprs()).unwrap();
    let fused = &(&i * 8) + &j;
    let there = op(BinOp::FloorMod, &op(BinOp::FloorDiv, &fused, 2), 4);
    let mut cx = Analyzer::new();
    let simple = iter_map_simplify(&mut cx, &[there], &space.iters, &Expr::bool(true), IterMapLevel::Surjective);
    assert!(simple[0].equal(&op(BinOp::FloorDiv, &j, 2)), "{simple:?}");
}

#[test]
fn tiles_are_divided_into_outer_and_inner_loops() {
    let space = Space::new(&[4, 8, 3]);
    let [i, j, k] = <[Expr; 3]>::try_from(space.exprs()).unwrap();
    let fused = &(&i * 8) + &j;
    let mut cx = Analyzer::new();
    let (yes, level) = (Expr::bool(true), IterMapLevel::Bijective);
    let inner = [space.iters[1].0.clone()];
    let indices = [fused.clone(), k.clone()];
    let (divided, _, _) = subspace_divide(&mut cx, &indices, &space.iters, &inner, &yes, level).unwrap();
    for env in space.points(&yes) {
        for (index, part) in indices.iter().zip(&divided) {
            let value = |mark: &super::IterMark| match &mark.source {
                IterSource::Sum(sum) => eval(&sum.to_expr(&cx), &env).unwrap().as_int(),
                IterSource::Var { .. } => panic!("a sum"),
            };
            let (outer, inner) = (value(&part.outer), value(&part.inner));
            let extent = part.inner.extent.as_int().unwrap();
            assert!((0..extent).contains(&inner));
            assert_eq!(eval(index, &env).unwrap().as_int(), outer * extent + inner);
        }
    }
    let outer = [space.iters[0].0.clone()];
    assert!(subspace_divide(&mut cx, &indices, &space.iters, &outer, &yes, level).is_none());
    let mixed = less(&fused, 30);
    assert!(subspace_divide(&mut cx, &indices, &space.iters, &inner, &mixed, level).is_none());
    let apart = Expr::binary(BinOp::And, &less(&j, 8), &less(&k, 3)).unwrap();
    let (_, outer, inner) = subspace_divide(&mut cx, &indices, &space.iters, &inner, &apart, level).unwrap();
    assert!(outer.equal(&less(&k, 3)) && inner.equal(&less(&j, 8)));
}

#[test]
fn sums_that_overlap_take_every_value() {
    let space = Space::new(&[5, 3, 4]);
    let vars = space.exprs();
    let yes = Expr::bool(true);
    let window = &op(BinOp::Mul, &vars[0], 2) + &vars[1];
    let both = [op(BinOp::FloorDiv, &window, 11), vars[2].clone()];
    for (indices, surjective) in [
        (vec![window.clone()], true),
        (vec![&vars[0] + &vars[2], vars[1].clone()], true),
        (both.to_vec(), true),
        (vec![&op(BinOp::Mul, &vars[0], 4) + &vars[1]], false),
        (vec![window.clone(), vars[1].clone()], false),
    ] {
        assert_eq!(detected(&space, &indices, &yes, IterMapLevel::Surjective), surjective, "{indices:?}");
        assert!(!detected(&space, &indices, &yes, IterMapLevel::Bijective));
    }
    let map = detect_iter_map(&mut Analyzer::new(), &[window], &space.iters, &yes, IterMapLevel::NoCheck, true);
    assert_eq!(rectangle(&map.indices), 11);
    let outputs = [Expr::i64(3)];
    assert!(inverse_affine_iter_map(&Analyzer::new(), &map.indices, &outputs).is_none(), "several iterators give 3");
}

#[test]
fn pieces_of_fused_loops_are_found_digit_by_digit() {
    let space = Space::new(&[256, 128]);
    let [i, j] = <[Expr; 2]>::try_from(space.exprs()).unwrap();
    let fused = &(&i * 128) + &j;
    let middle = op(BinOp::FloorMod, &op(BinOp::FloorDiv, &fused, 64), 32);
    let indices = [op(BinOp::FloorDiv, &fused, 2048), middle.clone(), op(BinOp::FloorMod, &fused, 64)];
    let (mut cx, yes) = (Analyzer::new(), Expr::bool(true));
    let found = detect_iter_map(&mut cx, &indices, &space.iters, &yes, IterMapLevel::Bijective, true);
    assert_eq!(found.indices.len(), 3, "{:?}", found.errors);
    for env in space.points(&yes).into_iter().step_by(97) {
        for (index, sum) in indices.iter().zip(&found.indices) {
            let value = eval(&sum.to_expr(&cx), &env).unwrap().as_int();
            assert_eq!(eval(index, &env).unwrap().as_int(), value);
        }
    }
    // Without one of the pieces, instances run more than once.
    let without = [indices[0].clone(), middle];
    let found = detect_iter_map(&mut cx, &without, &space.iters, &yes, IterMapLevel::Bijective, true);
    assert!(found.indices.is_empty());
}
