//! A naive model of the cache, and random operations on both: sequences hold all of their tokens, nothing is shared,
//! and scores come from distances, in float64.

use std::collections::BTreeMap;

use super::*;
use crate::registry;

fn call(name: &str, args: &[Value]) -> Result<Value> {
    registry::get(&format!("vm.builtin.{name}"))?(args)
}

/// Numbers from a seed (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn value(&mut self) -> f32 {
        (self.next() % 4097) as f32 / 1024.0 - 2.0
    }
}

const LAYERS: usize = 2;
const QUERY: usize = 4;
const KV: usize = 2;
const SIZE: usize = 6;
const ROTATED: usize = 4;
const THETA: f64 = 100.0;

/// A cache for this many tokens in pages of 3, of 4 sequences in a step.
fn cache(tokens: i64, mode: i64) -> Value {
    cache_of(tokens, mode, DataType::F32).unwrap()
}

fn cache_of(tokens: i64, mode: i64, dtype: DataType) -> Result<Value> {
    cache_with(tokens, mode, dtype, "{}")
}

fn cache_with(tokens: i64, mode: i64, dtype: DataType, settings: &str) -> Result<Value> {
    let ints = |value: usize| Value::Int(value as i64);
    registry::get("mlc.create_paged_kv_cache_generic")?(&[
        Value::shape(&[4, tokens, 64, 3, 1]),
        Value::None,
        ints(LAYERS),
        ints(QUERY),
        ints(KV),
        ints(SIZE),
        Value::Int(mode),
        Value::Float(1.0),
        Value::Float(THETA),
        Value::Str(settings.into()),
        Value::Int(0),
        ints(ROTATED),
        Value::DataType(dtype),
    ])
}

/// A kind of cache, and how far its results are from the naive model's at most.
struct Setup {
    dtype: DataType,
    /// The tokens that each layer sees.
    windows: [Option<usize>; LAYERS],
    slopes: Option<[f64; QUERY]>,
    sinks: Option<[f32; QUERY]>,
    tolerance: f64,
}

const PLAIN: Setup =
    Setup { dtype: DataType::F32, windows: [None; LAYERS], slopes: None, sinks: None, tolerance: 2e-5 };
/// Rounded keys of 11 bits change scores of up to 20 by up to 0.01.
const HALF: Setup = Setup { dtype: DataType::F16, tolerance: 3e-2, ..PLAIN };
const WINDOWS: Setup = Setup { windows: [None, Some(5)], ..PLAIN };
const SINKS: Setup = Setup { windows: [Some(3), Some(70)], sinks: Some([0.5, -3.0, 9.0, 40.0]), ..PLAIN };
const ALIBI: Setup = Setup { slopes: Some([0.5, 0.25, 0.125, 1.0]), ..PLAIN };

impl Setup {
    fn cache(&self, tokens: i64) -> Value {
        let windows = self.windows.map(|window| window.map_or("null".to_owned(), |window| window.to_string()));
        let slopes = self.slopes.map_or("null".to_owned(), |slopes| format!("{slopes:?}"));
        let settings = format!(r#"{{"sliding_windows": [{}], "alibi_slopes": {slopes}}}"#, windows.join(", "));
        cache_with(tokens, 1, self.dtype, &settings).unwrap()
    }

    fn close(&self, found: &[f32], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < self.tolerance, "found {found}, expected {expected}");
        }
    }

    /// What a token, at its position, gives over those at theirs: pairs with distances.
    fn attention(&self, layer: usize, own: &Token, seen: &[(&Token, usize)]) -> Vec<f64> {
        naive_attention_of(self, layer, own, seen)
    }

    fn attend(&self, cache: &Value, layer: usize, tokens: &[Token]) -> Vec<f32> {
        let out = Tensor::zeros(DataType::F32, &[tokens.len() as i64, QUERY as i64, SIZE as i64]).unwrap();
        let mut args = vec![cache.clone(), Value::Int(layer as i64), Value::Float(1.0), qkv(layer, tokens)];
        args.extend(self.sinks.map(|sinks| Tensor::from_vec(&[QUERY as i64], sinks.to_vec()).unwrap().into()));
        args.push(out.clone().into());
        call("attention_kv_cache_attention_with_fused_qkv", &args).unwrap();
        out.to_vec().unwrap()
    }
}

/// Of a token, queries, keys and values of each layer: `[layers][query + 2 kv][size]`.
type Token = Vec<Vec<f32>>;

#[derive(Clone, Default)]
struct Naive {
    tokens: Vec<Token>,
    window: Option<(usize, usize)>,
}

fn random_token(random: &mut Random) -> Token {
    (0..LAYERS).map(|_| (0..(QUERY + 2 * KV) * SIZE).map(|_| random.value()).collect()).collect()
}

/// What a token, at its position, gives over those at theirs.
fn naive_attention(layer: usize, own: &Token, seen: &[(&Token, usize)]) -> Vec<f64> {
    PLAIN.attention(layer, own, seen)
}

fn naive_attention_of(setup: &Setup, layer: usize, own: &Token, seen: &[(&Token, usize)]) -> Vec<f64> {
    let head = |token: &Token, index: usize| -> Vec<f64> {
        token[layer][index * SIZE..(index + 1) * SIZE].iter().map(|&value| f64::from(value)).collect()
    };
    let mut out = Vec::new();
    for query in 0..QUERY {
        let kv = query / (QUERY / KV);
        let q = head(own, query);
        let weight = |&(token, distance): &(&Token, usize)| {
            let k = head(token, QUERY + kv);
            let plain: f64 = (ROTATED..SIZE).map(|i| q[i] * k[i]).sum();
            let half = ROTATED / 2;
            let rotated = (0..half).map(|i| {
                let angle = distance as f64 * THETA.powf(-(2.0 * i as f64) / ROTATED as f64);
                let (same, cross) = (q[i] * k[i] + q[i + half] * k[i + half], q[i + half] * k[i] - q[i] * k[i + half]);
                same * angle.cos() - cross * angle.sin()
            });
            let loss = setup.slopes.map_or(0.0, |slopes| slopes[query] * distance as f64);
            ((plain + rotated.sum::<f64>()) / (SIZE as f64).sqrt() - loss).exp()
        };
        let weights: Vec<f64> = seen.iter().map(weight).collect();
        let sink = setup.sinks.map_or(0.0, |sinks| f64::from(sinks[query]).exp());
        let total: f64 = weights.iter().sum::<f64>() + sink;
        let values: Vec<Vec<f64>> = seen.iter().map(|(token, _)| head(token, QUERY + KV + kv)).collect();
        out.extend((0..SIZE).map(|i| weights.iter().zip(&values).map(|(w, v)| w * v[i]).sum::<f64>() / total));
    }
    out
}

impl Naive {
    /// What token `at` sees, with distances.
    fn seen(&self, at: usize) -> Vec<(&Token, usize)> {
        let distance = |slot: usize| match self.window {
            Some((size, sink)) if at >= size => match (slot < sink, at - slot < size - sink) {
                (true, _) => Some(size - 1 - slot),
                (false, true) => Some(at - slot),
                (false, false) => None,
            },
            _ => Some(at - slot),
        };
        (0..=at).filter_map(|slot| Some((&self.tokens[slot], distance(slot)?))).collect()
    }

    /// The same in a layer with a window of its own.
    fn seen_in(&self, at: usize, window: Option<usize>) -> Vec<(&Token, usize)> {
        let first = window.map_or(0, |window| (at + 1).saturating_sub(window));
        let later = |token: &Token| self.tokens[first..].iter().any(|own| std::ptr::eq(own, token));
        self.seen(at).into_iter().filter(|(token, _)| later(token)).collect()
    }
}

fn qkv(layer: usize, tokens: &[Token]) -> Value {
    let values = tokens.iter().flat_map(|token| token[layer].iter().copied()).collect();
    Tensor::from_vec(&[tokens.len() as i64, (QUERY + 2 * KV) as i64, SIZE as i64], values).unwrap().into()
}

fn attend(cache: &Value, layer: usize, tokens: &[Token]) -> Vec<f32> {
    PLAIN.attend(cache, layer, tokens)
}

fn begin(cache: &Value, ids: &[i64], lengths: &[i64]) -> Result<Value> {
    call("kv_state_begin_forward", &[cache.clone(), Value::shape(ids), Value::shape(lengths)])
}

fn end(cache: &Value) {
    call("kv_state_end_forward", std::slice::from_ref(cache)).unwrap();
}

fn close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 2e-5, "found {found}, expected {expected}");
    }
}

/// A step in which sequences of both models get tokens.
fn step(cache: &Value, naive: &mut BTreeMap<i64, Naive>, lengths: &[(i64, usize)], random: &mut Random) -> Result<()> {
    step_of(&PLAIN, cache, naive, lengths, random)
}

fn step_of(
    setup: &Setup,
    cache: &Value,
    naive: &mut BTreeMap<i64, Naive>,
    lengths: &[(i64, usize)],
    random: &mut Random,
) -> Result<()> {
    let ids: Vec<i64> = lengths.iter().map(|(id, _)| *id).collect();
    let counts: Vec<i64> = lengths.iter().map(|(_, count)| *count as i64).collect();
    begin(cache, &ids, &counts)?;
    let tokens: Vec<Token> = lengths.iter().flat_map(|(_, count)| 0..*count).map(|_| random_token(random)).collect();
    let mut rest = tokens.iter();
    let mut rows = Vec::new();
    for (id, count) in lengths {
        let own = naive.get_mut(id).unwrap();
        let before = own.tokens.len();
        own.tokens.extend(rest.by_ref().take(*count).cloned());
        rows.extend((before..before + count).map(|at| (*id, at)));
    }
    for (layer, window) in setup.windows.into_iter().enumerate() {
        let found = setup.attend(cache, layer, &tokens);
        for ((id, at), found) in rows.iter().zip(found.chunks(QUERY * SIZE)) {
            let own = &naive[id];
            setup.close(found, &setup.attention(layer, &own.tokens[*at], &own.seen_in(*at, window)));
        }
    }
    end(cache);
    Ok(())
}

/// A step in which a sequence gets a tree of guesses, of which a path is accepted, or none.
fn guess(setup: &Setup, cache: &Value, naive: &mut Naive, id: i64, random: &mut Random) {
    let count = 1 + random.below(6);
    let parents: Vec<i64> = (0..count).map(|node| random.below(node + 1) as i64 - 1).collect();
    let given = Tensor::from_vec(&[count as i64], parents.clone()).unwrap();
    let args = [cache.clone(), Value::shape(&[id]), Value::shape(&[count as i64]), given.into()];
    if let Err(error) = call("kv_state_begin_forward", &args) {
        let said = error.to_string();
        assert!(said.contains("pages") || said.contains("sink"), "{said}");
        return;
    }
    let tokens: Vec<Token> = (0..count).map(|_| random_token(random)).collect();
    let path_to = |node: usize| {
        let up = |node: &usize| usize::try_from(parents[*node]).ok();
        let mut path: Vec<usize> = std::iter::successors(Some(node), up).collect();
        path.reverse();
        path
    };
    let with = |path: &[usize], naive: &Naive| {
        let tokens = naive.tokens.iter().cloned().chain(path.iter().map(|node| tokens[*node].clone())).collect();
        Naive { tokens, window: naive.window }
    };
    for (layer, window) in setup.windows.into_iter().enumerate() {
        let found = setup.attend(cache, layer, &tokens);
        for (node, found) in found.chunks(QUERY * SIZE).enumerate() {
            let branch = with(&path_to(node), naive);
            let at = branch.tokens.len() - 1;
            setup.close(found, &setup.attention(layer, &branch.tokens[at], &branch.seen_in(at, window)));
        }
    }
    end(cache);
    let leaf = random.below(count + 1) as i64 - 1;
    let args = [cache.clone(), Value::shape(&[id]), Value::shape(&[leaf])];
    call("attention_kv_cache_commit_accepted_token_tree_nodes", &args).unwrap();
    if let Ok(leaf) = usize::try_from(leaf) {
        *naive = with(&path_to(leaf), naive);
    }
}

fn is_consistent(cache: &Value) -> bool {
    with_cache(cache, |cache| Ok(cache.is_consistent())).unwrap()
}

/// Random operations of each kind of cache in a test: `TILEWRIGHT_CACHE_OPERATIONS` says another number.
const OPERATIONS: usize = 1200;
/// Operations on a cache.
const OPERATIONS_OF_ONE: usize = 60;

#[test]
fn random_operations_give_what_a_naive_model_gives() {
    let given = std::env::var("TILEWRIGHT_CACHE_OPERATIONS").ok();
    let operations: usize = given.map_or(OPERATIONS, |number| number.parse().unwrap());
    for (number, setup) in [PLAIN, HALF, WINDOWS, SINKS, ALIBI].iter().enumerate() {
        for seed in 1..=operations.div_ceil(OPERATIONS_OF_ONE) as u64 {
            let mut random = Random(seed + ((number as u64) << 32));
            let cache = setup.cache(150);
            let mut naive: BTreeMap<i64, Naive> = BTreeMap::new();
            let mut next = 0;
            for _ in 0..OPERATIONS_OF_ONE {
                random_operation(setup, &cache, &mut naive, &mut next, &mut random);
                assert!(is_consistent(&cache), "seed {seed}");
            }
        }
    }
}

fn random_operation(
    setup: &Setup,
    cache: &Value,
    naive: &mut BTreeMap<i64, Naive>,
    next: &mut i64,
    random: &mut Random,
) {
    let ids: Vec<i64> = naive.keys().copied().collect();
    let choice = random.below(14);
    if ids.is_empty() || (choice == 0 && ids.len() < 8) {
        call("kv_state_add_sequence", &[cache.clone(), Value::Int(*next)]).unwrap();
        naive.insert(*next, Naive::default());
        *next += 1;
        return;
    }
    let id = ids[random.below(ids.len())];
    let length = naive[&id].tokens.len();
    let windowed = naive[&id].window.is_some();
    match choice {
        1 | 2 => {
            call("kv_state_remove_sequence", &[cache.clone(), Value::Int(id)]).unwrap();
            naive.remove(&id);
        }
        3 | 4 => {
            let position = if random.below(3) == 0 { -1 } else { random.below(length + 1) as i64 };
            let ints = [id, *next, position].map(Value::Int);
            let forked = call("kv_state_fork_sequence", &[&[cache.clone()][..], &ints].concat());
            assert!(forked.is_ok() || windowed, "{forked:?}");
            if forked.is_ok() {
                let mut child = naive[&id].clone();
                child.tokens.truncate(if position < 0 { length } else { position as usize });
                naive.insert(*next, child);
                *next += 1;
            }
        }
        5 => {
            let count = random.below(length + 1);
            let popped = call("kv_state_popn", &[cache.clone(), Value::Int(id), Value::Int(count as i64)]);
            assert!(popped.is_ok() || windowed, "{popped:?}");
            if popped.is_ok() {
                naive.get_mut(&id).unwrap().tokens.truncate(length - count);
            }
        }
        6 if !windowed => {
            let size = 1 + random.below(12);
            let sink = random.below(size.min(5));
            let args = [id, size as i64, sink as i64].map(Value::Int);
            call("attention_kv_cache_enable_sliding_window_for_seq", &[&[cache.clone()][..], &args].concat()).unwrap();
            naive.get_mut(&id).unwrap().window = Some((size, sink));
        }
        7 | 8 if setup.slopes.is_none() => guess(setup, cache, naive.get_mut(&id).unwrap(), id, random),
        _ => {
            let mut lengths: Vec<(i64, usize)> = Vec::new();
            for id in ids.into_iter().take(4) {
                if random.below(3) > 0 {
                    lengths.push((id, if random.below(2) == 0 { 1 } else { 1 + random.below(9) }));
                }
            }
            // Without enough pages the step is refused, and nothing changes.
            if let Err(error) = step_of(setup, cache, naive, &lengths, random) {
                assert!(error.to_string().contains("pages"), "{error}");
            }
        }
    }
}

#[test]
fn a_prompt_in_chunks_gives_the_bits_of_the_whole_prompt() {
    let mut random = Random(7);
    let tokens: Vec<Token> = (0..29).map(|_| random_token(&mut random)).collect();
    let run = |lengths: &[usize]| {
        let cache = cache(64, 1);
        for id in [5, 6] {
            call("kv_state_add_sequence", &[cache.clone(), Value::Int(id)]).unwrap();
        }
        let mut rest = &tokens[..];
        let mut results = Vec::new();
        for &count in lengths {
            let (now, later) = rest.split_at(count);
            rest = later;
            begin(&cache, &[6, 5], &[1, count as i64]).unwrap();
            let rows = [&tokens[..1], now].concat();
            results.extend_from_slice(&attend(&cache, 1, &rows)[QUERY * SIZE..]);
            end(&cache);
        }
        results
    };
    let whole = run(&[29]);
    assert_eq!(run(&[1, 7, 20, 1]), whole);
    assert_eq!(run(&[3; 9].iter().chain(&[2]).copied().collect::<Vec<_>>()), whole);
}

#[test]
fn without_rope_the_order_of_keys_does_not_matter() {
    let cache = cache(16, 0);
    let mut random = Random(3);
    let tokens: Vec<Token> = (0..5).map(|_| random_token(&mut random)).collect();
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    begin(&cache, &[0], &[5]).unwrap();
    let found = attend(&cache, 0, &tokens);
    let seen: Vec<_> = tokens.iter().map(|token| (token, 0)).collect();
    close(&found[4 * QUERY * SIZE..], &naive_attention(0, &tokens[4], &seen));
}

#[test]
fn a_tree_sees_its_own_branch_and_one_branch_is_accepted() {
    let cache = cache(64, 1);
    let mut random = Random(11);
    let mut naive: BTreeMap<i64, Naive> = BTreeMap::from([(0, Naive::default())]);
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    step(&cache, &mut naive, &[(0, 4)], &mut random).unwrap();
    // Node 0 has the children 1 and 2; 1 has 3 and 2 has 4.
    let nodes: Vec<Token> = (0..5).map(|_| random_token(&mut random)).collect();
    let args = [cache.clone(), Value::shape(&[0]), Value::shape(&[5]), Value::shape(&[])];
    assert!(call("kv_state_begin_forward", &args).is_err());
    let parents = Tensor::from_vec(&[5], vec![-1i64, 0, 0, 1, 2]).unwrap();
    let args = [cache.clone(), Value::shape(&[0]), Value::shape(&[5]), parents.into()];
    call("kv_state_begin_forward", &args).unwrap();
    let positions = call("attention_kv_cache_get_query_positions", std::slice::from_ref(&cache)).unwrap();
    assert_eq!(positions.as_tensor().unwrap().to_vec::<i32>().unwrap(), [4, 5, 5, 6, 6]);
    let found = attend(&cache, 0, &nodes);
    attend(&cache, 1, &nodes);
    let mut branch = naive[&0].clone();
    branch.tokens.extend([0, 2, 4].map(|node: usize| nodes[node].clone()));
    for (at, node) in [(4, 0), (5, 2), (6, 4)] {
        close(&found[node * QUERY * SIZE..][..QUERY * SIZE], &naive_attention(0, &branch.tokens[at], &branch.seen(at)));
    }
    end(&cache);
    assert!(step(&cache, &mut naive.clone(), &[(0, 1)], &mut random).is_err(), "a tree is accepted first");
    let args = [cache.clone(), Value::shape(&[0]), Value::shape(&[4])];
    call("attention_kv_cache_commit_accepted_token_tree_nodes", &args).unwrap();
    let mut naive = BTreeMap::from([(0, branch)]);
    step(&cache, &mut naive, &[(0, 2)], &mut random).unwrap();
    assert!(is_consistent(&cache));
}

#[test]
fn a_refused_step_changes_nothing() {
    let cache = cache(6, 1);
    let mut random = Random(5);
    let mut naive: BTreeMap<i64, Naive> = (0..3).map(|id| (id, Naive::default())).collect();
    for id in 0..3 {
        call("kv_state_add_sequence", &[cache.clone(), Value::Int(id)]).unwrap();
    }
    step(&cache, &mut naive, &[(0, 4), (1, 1)], &mut random).unwrap();
    for (ids, lengths, why) in [
        (&[0, 1][..], &[1, 60][..], "pages"),
        (&[0, 9], &[1, 1], "no sequence 9"),
        (&[0, 0], &[1, 1], "twice"),
        (&[0], &[0], "1 token or more"),
        (&[0], &[1, 1], "as many lengths"),
    ] {
        let error = begin(&cache, ids, lengths).unwrap_err().to_string();
        assert!(error.contains(why) && is_consistent(&cache), "{error}");
    }
    step(&cache, &mut naive, &[(1, 2), (0, 3), (2, 3)], &mut random).unwrap();
    assert!(call("kv_state_end_forward", std::slice::from_ref(&cache)).is_err(), "no step is open");
}

#[test]
fn forks_of_a_prompt_go_on_with_a_page_less_than_they_are() {
    // Pages of 3 tokens: two for the tokens and one for each of 4 sequences.
    let cache = cache(6, 1);
    let mut random = Random(4);
    let mut naive: BTreeMap<i64, Naive> = BTreeMap::from([(0, Naive::default())]);
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    step(&cache, &mut naive, &[(0, 11)], &mut random).unwrap();
    for child in 1..4 {
        call("kv_state_fork_sequence", &[&[cache.clone()][..], &[0, child, -1].map(Value::Int)].concat()).unwrap();
        naive.insert(child, naive[&0].clone());
    }
    assert!(step(&cache, &mut naive.clone(), &[(0, 1), (1, 1), (2, 1), (3, 1)], &mut random).is_err());
    call("kv_state_remove_sequence", &[cache.clone(), Value::Int(3)]).unwrap();
    step(&cache, &mut naive, &[(0, 1), (1, 1), (2, 1)], &mut random).unwrap();
    assert!(is_consistent(&cache));
}

#[test]
fn extreme_counts_are_refused() {
    let mut pool = pages::PagePool::new(u32::MAX);
    assert_eq!((pool.take(), pool.available()), (Some(0), u32::MAX as usize - 1), "only used pages cost memory");
    let (cache, state) = (cache(8, 1), rnn(3));
    for own in [&cache, &state] {
        call("kv_state_add_sequence", &[own.clone(), Value::Int(0)]).unwrap();
        for count in [i64::MIN, -1, i64::MAX] {
            assert!(call("kv_state_popn", &[own.clone(), Value::Int(0), Value::Int(count)]).is_err());
        }
        let fork = [0, 1, i64::MIN].map(Value::Int);
        assert!(call("kv_state_fork_sequence", &[&[own.clone()][..], &fork].concat()).is_err());
    }
    assert_eq!(count(&state, &[0], i64::MAX), [0.0; 2]);
    assert!(begin(&state, &[0], &[1]).is_err());
}

#[test]
fn first_states_are_copies() {
    let own = Tensor::from_vec(&[2], vec![0.0f32; 2]).unwrap();
    let first = Value::tuple([own.clone().into()]);
    let state = call("rnn_state_create", &[Value::Int(1), Value::Int(1), Value::Int(1), Value::None, first]).unwrap();
    call("kv_state_add_sequence", &[state.clone(), Value::Int(0)]).unwrap();
    own.overwrite(&[1; 8]).unwrap();
    assert_eq!(count(&state, &[0], 1), [0.0; 2]);
}

#[test]
fn a_tree_under_a_window_sees_what_its_path_would_see() {
    for (size, sink) in [(5, 1), (4, 2), (3, 0), (20, 3)] {
        let cache = cache(64, 1);
        let mut random = Random(13);
        let own = Naive { window: Some((size, sink)), ..Naive::default() };
        let mut naive = BTreeMap::from([(0, own)]);
        call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
        let window = [0, size as i64, sink as i64].map(Value::Int);
        call("attention_kv_cache_enable_sliding_window_for_seq", &[&[cache.clone()][..], &window].concat()).unwrap();
        step(&cache, &mut naive, &[(0, 6)], &mut random).unwrap();
        // Two branches of four nodes each, node by node in turns.
        let nodes: Vec<Token> = (0..8).map(|_| random_token(&mut random)).collect();
        let parents = Tensor::from_vec(&[8], vec![-1i64, -1, 0, 1, 2, 3, 4, 5]).unwrap();
        let args = [cache.clone(), Value::shape(&[0]), Value::shape(&[8]), parents.into()];
        call("kv_state_begin_forward", &args).unwrap();
        let found = attend(&cache, 0, &nodes);
        for branch in 0..2 {
            let mut path = naive[&0].clone();
            path.tokens.extend((0..4).map(|depth| nodes[2 * depth + branch].clone()));
            for depth in 0..4 {
                let (at, node) = (6 + depth, 2 * depth + branch);
                let wanted = naive_attention(0, &path.tokens[at], &path.seen(at));
                close(&found[node * QUERY * SIZE..][..QUERY * SIZE], &wanted);
            }
        }
        end(&cache);
        let twice = [cache.clone(), Value::shape(&[0, 0]), Value::shape(&[2, 2])];
        assert!(call("attention_kv_cache_commit_accepted_token_tree_nodes", &twice).is_err());
        let leaf = [cache.clone(), Value::shape(&[0]), Value::shape(&[7])];
        call("attention_kv_cache_commit_accepted_token_tree_nodes", &leaf).unwrap();
    }
}

#[test]
fn pages_come_back() {
    let cache = cache(30, 1);
    let free = |cache: &Value| {
        let free = call("attention_kv_cache_get_num_available_pages", std::slice::from_ref(cache)).unwrap();
        free.as_int().unwrap()
    };
    let all = free(&cache);
    let mut random = Random(9);
    let mut naive: BTreeMap<i64, Naive> = BTreeMap::from([(0, Naive::default())]);
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    step(&cache, &mut naive, &[(0, 7)], &mut random).unwrap();
    assert_eq!(free(&cache), all - 3);
    call("kv_state_fork_sequence", &[&[cache.clone()][..], &[0, 1, 7].map(Value::Int)].concat()).unwrap();
    assert_eq!(free(&cache), all - 3, "a fork shares");
    naive.insert(1, naive[&0].clone());
    step(&cache, &mut naive, &[(1, 1)], &mut random).unwrap();
    assert_eq!(free(&cache), all - 4, "who writes first copies the last page");
    step(&cache, &mut naive, &[(0, 1)], &mut random).unwrap();
    assert_eq!(free(&cache), all - 4);
    let total = call("attention_kv_cache_get_total_sequence_length", std::slice::from_ref(&cache)).unwrap();
    assert_eq!(total.as_int().unwrap(), 16);
    call("kv_state_remove_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    step(&cache, &mut naive, &[(1, 3)], &mut random).unwrap();
    call("kv_state_clear", std::slice::from_ref(&cache)).unwrap();
    assert_eq!(free(&cache), all);
    assert!(matches!(call("attention_kv_cache_empty", std::slice::from_ref(&cache)), Ok(Value::Bool(true))));
}

#[test]
fn a_window_keeps_as_many_pages_as_it_sees() {
    let cache = cache(30, 1);
    let mut random = Random(2);
    let mut naive = BTreeMap::from([(0, Naive { window: Some((7, 2)), ..Naive::default() })]);
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    let window = [0, 7, 2].map(Value::Int);
    call("attention_kv_cache_enable_sliding_window_for_seq", &[&[cache.clone()][..], &window].concat()).unwrap();
    let free = |cache: &Value| call("attention_kv_cache_get_num_available_pages", std::slice::from_ref(cache)).unwrap();
    let before = free(&cache).as_int().unwrap();
    for _ in 0..200 {
        step(&cache, &mut naive, &[(0, 1)], &mut random).unwrap();
        assert!(before - free(&cache).as_int().unwrap() <= 4);
    }
    assert!(
        call("kv_state_popn", &[cache.clone(), Value::Int(0), Value::Int(5)]).is_err(),
        "the window has dropped them"
    );
}

#[test]
fn keys_are_stored_rotated_and_values_as_they_are() {
    let cache = cache_of(8, 1, DataType::F16).unwrap();
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    begin(&cache, &[0], &[2]).unwrap();
    let width = (QUERY + 2 * KV) as i64;
    let ones = Tensor::from_vec(&[2, width, 6], vec![tilewright_tensor::f16::ONE; 96]).unwrap();
    let out = Tensor::zeros(DataType::F16, &[2, QUERY as i64, 6]).unwrap();
    let args =
        |layer: i64| [cache.clone(), Value::Int(layer), Value::Float(1.0), ones.clone().into(), out.clone().into()];
    call("attention_kv_cache_attention_with_fused_qkv", &args(1)).unwrap();
    assert!(call("attention_kv_cache_attention_with_fused_qkv", &args(2)).is_err());
    assert!(out.to_vec::<tilewright_tensor::f16>().unwrap().iter().all(|value| value.to_f32() == 1.0));
    end(&cache);
    let held = || Tensor::zeros(DataType::F16, &[LAYERS as i64, 1, KV as i64, 6]).unwrap();
    let (keys, values) = (held(), held());
    let args =
        [&[cache.clone()][..], &[0, 1, 2].map(Value::Int), &[keys.clone().into(), values.clone().into()]].concat();
    call("attention_kv_cache_debug_get_kv", &args).unwrap();
    let angles = [1.0f64, 0.1];
    let rotated = angles.map(|a| a.cos() - a.sin()).into_iter().chain(angles.map(|a| a.cos() + a.sin()));
    let expected: Vec<f64> = rotated.chain([1.0, 1.0]).collect();
    let keys = keys.to_vec::<tilewright_tensor::f16>().unwrap();
    for (found, expected) in keys[2 * 6..].iter().zip(expected.iter().cycle()) {
        assert!((found.to_f64() - expected).abs() < 1e-3, "{found} {expected}");
    }
    assert!(keys[..12].iter().all(|value| value.to_f32() == 0.0), "layer 0 has stored nothing");
}

#[test]
fn bad_arguments_of_a_cache_are_said() {
    assert!(cache_of(8, 3, DataType::F32).unwrap_err().to_string().contains("RoPE"));
    assert!(cache_of(8, 1, DataType::I32).unwrap_err().to_string().contains("float16"));
    assert!(cache_of(0, 1, DataType::F32).unwrap_err().to_string().contains("tokens"));
    assert!(cache_of(i64::MAX, 1, DataType::F32).is_err());
    assert!(call("kv_state_clear", &[Value::Int(1)]).unwrap_err().to_string().contains("a state of sequences"));
    let recurrent = rnn(2);
    assert!(call("attention_kv_cache_empty", &[recurrent]).unwrap_err().to_string().contains("recurrent"));
}

/// A state of 1 layer with the states [0, 0] and 5.
fn rnn(history: i64) -> Value {
    let first = [Tensor::from_vec(&[2], vec![0.0f32; 2]).unwrap().into(), Tensor::scalar(5.0f32).into()];
    call("rnn_state_create", &[Value::Int(1), Value::Int(4), Value::Int(history), Value::None, Value::tuple(first)])
        .unwrap()
}

/// A step that adds 1 to the first state of each sequence: what it was before.
fn count(state: &Value, ids: &[i64], length: i64) -> Vec<f32> {
    begin(state, ids, &vec![length; ids.len()]).unwrap();
    let out = Tensor::zeros(DataType::F32, &[ids.len() as i64, 2]).unwrap();
    call("rnn_state_get", &[state.clone(), Value::Int(0), Value::Int(0), out.clone().into()]).unwrap();
    let before: Vec<f32> = out.to_vec().unwrap();
    let after = Tensor::from_vec(&[ids.len() as i64, 2], before.iter().map(|value| value + 1.0).collect()).unwrap();
    call("rnn_state_set", &[state.clone(), Value::Int(0), Value::Int(0), after.into()]).unwrap();
    end(state);
    before
}

#[test]
fn recurrent_states_go_on_from_step_to_step_and_back() {
    let state = rnn(3);
    for id in [0, 1] {
        call("kv_state_add_sequence", &[state.clone(), Value::Int(id)]).unwrap();
    }
    assert_eq!(count(&state, &[0, 1], 4), [0.0; 4]);
    assert_eq!(count(&state, &[1], 1), [1.0; 2]);
    assert_eq!(count(&state, &[1, 0], 1), [2.0, 2.0, 1.0, 1.0]);
    call("kv_state_fork_sequence", &[&[state.clone()][..], &[1, 2].map(Value::Int)].concat()).unwrap();
    call("kv_state_popn", &[state.clone(), Value::Int(1), Value::Int(2)]).unwrap();
    assert!(call("kv_state_popn", &[state.clone(), Value::Int(1), Value::Int(1)]).is_err(), "4 tokens at once stay");
    assert_eq!(count(&state, &[2, 1, 0], 1), [3.0, 3.0, 1.0, 1.0, 2.0, 2.0]);
    let five = call("rnn_state_debug_get", &[&[state.clone()][..], &[0, 1, 2].map(Value::Int)].concat()).unwrap();
    assert_eq!(five.as_tensor().unwrap().to_vec::<f32>().unwrap(), [5.0]);
}

/// A cache without RoPE, of sequence 0: query heads, heads of keys and values, elements of a head, tokens of a page.
fn plain_cache(heads: [usize; 4], dtype: DataType, settings: &str) -> Result<Value> {
    let [query, kv, size, page] = heads.map(|size| Value::Int(size as i64));
    let cache = registry::get("mlc.create_paged_kv_cache_generic")?(&[
        Value::tuple([Value::Int(1), Value::Int(4096), Value::Int(64), page, Value::Int(0)]),
        Value::None,
        Value::Int(1),
        query,
        kv,
        size.clone(),
        Value::Int(0),
        Value::Float(1.0),
        Value::Float(1.0),
        Value::Str(settings.into()),
        Value::Int(0),
        size,
        Value::DataType(dtype),
    ])?;
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)])?;
    Ok(cache)
}

/// A step of sequence 0: `rows` is `[tokens, query + 2 kv, size]`.
fn plain_step([query, kv, size, _]: [usize; 4], cache: &Value, rows: &[f32], dtype: DataType) -> Vec<f32> {
    let tokens = rows.len() / ((query + 2 * kv) * size);
    begin(cache, &[0], &[tokens as i64]).unwrap();
    let shape = [tokens, query + 2 * kv, size].map(|dim| dim as i64);
    let half = |value: &f32| tilewright_tensor::f16::from_f32(*value);
    let qkv = match dtype {
        DataType::F16 => Tensor::from_vec(&shape, rows.iter().map(half).collect()).unwrap(),
        DataType::BF16 => {
            let short = |value: &f32| tilewright_tensor::bf16::from_f32(*value);
            Tensor::from_vec(&shape, rows.iter().map(short).collect()).unwrap()
        }
        _ => Tensor::from_vec(&shape, rows.to_vec()).unwrap(),
    };
    let out = Tensor::zeros(dtype, &[tokens as i64, query as i64, size as i64]).unwrap();
    let args = [cache.clone(), Value::Int(0), Value::Float(1.0), qkv.into(), out.clone().into()];
    call("attention_kv_cache_attention_with_fused_qkv", &args).unwrap();
    end(cache);
    match dtype {
        DataType::F16 => out.to_vec::<tilewright_tensor::f16>().unwrap().iter().map(|value| value.to_f32()).collect(),
        DataType::BF16 => out.to_vec::<tilewright_tensor::bf16>().unwrap().iter().map(|value| value.to_f32()).collect(),
        _ => out.to_vec().unwrap(),
    }
}

/// Causal attention of whole sequences, in float64.
fn plain_attention([query, kv, size, _]: [usize; 4], rows: &[f32], cap: Option<f64>) -> Vec<f64> {
    let width = (query + 2 * kv) * size;
    let head = |row: usize, head: usize| &rows[row * width + head * size..][..size];
    let mut out = Vec::new();
    for (row, own) in (0..rows.len() / width).flat_map(|row| (0..query).map(move |own| (row, own))) {
        let shared = own / (query / kv);
        let weights = (0..=row).map(|slot| {
            let products = head(row, own).iter().zip(head(slot, query + shared));
            let score: f64 = products.map(|(q, k)| f64::from(*q) * f64::from(*k)).sum::<f64>() / (size as f64).sqrt();
            cap.map_or(score, |cap| cap * (score / cap).tanh()).exp()
        });
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        let value = |slot: usize, at: usize| f64::from(head(slot, query + kv + shared)[at]);
        out.extend((0..size).map(|at| weights.iter().enumerate().map(|(s, w)| w * value(s, at)).sum::<f64>() / total));
    }
    out
}

#[test]
fn heads_and_pages_of_any_size_give_what_a_naive_model_gives() {
    let sizes = [
        [2, 2, 64, 16],
        [6, 2, 80, 16],
        [8, 2, 96, 32],
        [8, 1, 128, 16],
        [4, 1, 256, 48],
        [3, 1, 5, 7],
        [10, 2, 24, 24],
        [1, 1, 16, 256],
    ];
    for heads in sizes {
        for (dtype, tolerance) in [(DataType::F32, 2e-5), (DataType::F16, 1e-3), (DataType::BF16, 8e-3)] {
            let mut random = Random(17);
            // Quarters, which all types hold.
            let width = (heads[0] + 2 * heads[1]) * heads[2];
            let rows: Vec<f32> = (0..83 * width).map(|_| random.below(9) as f32 / 4.0 - 1.0).collect();
            let whole = plain_step(heads, &plain_cache(heads, dtype, "").unwrap(), &rows, dtype);
            for (found, expected) in whole.iter().zip(plain_attention(heads, &rows, None)) {
                assert!((f64::from(*found) - expected).abs() < tolerance, "{heads:?} {dtype}: {found} {expected}");
            }
            let cache = plain_cache(heads, dtype, "").unwrap();
            let mut parts = Vec::new();
            for part in [&rows[..66 * width], &rows[66 * width..67 * width], &rows[67 * width..]] {
                parts.extend(plain_step(heads, &cache, part, dtype));
            }
            assert_eq!(parts, whole, "{heads:?} {dtype}");
        }
    }
}

#[test]
fn a_long_context_gives_the_same_bits_in_parts() {
    let heads = [2, 1, 16, 16];
    let mut random = Random(5);
    let rows: Vec<f32> = (0..2100 * 4 * 16).map(|_| random.value()).collect();
    let whole = plain_step(heads, &plain_cache(heads, DataType::F32, "").unwrap(), &rows, DataType::F32);
    let cache = plain_cache(heads, DataType::F32, "").unwrap();
    let (first, last) = rows.split_at(2099 * 64);
    plain_step(heads, &cache, first, DataType::F32);
    assert_eq!(plain_step(heads, &cache, last, DataType::F32), whole[2099 * 32..]);
    let expected = plain_attention(heads, &rows, None);
    close(&whole[2099 * 32..], &expected[2099 * 32..]);
}

#[test]
fn values_that_are_not_finite_reach_only_rows_that_see_them() {
    let heads = [2, 1, 16, 16];
    let mut random = Random(5);
    let mut rows: Vec<f32> = (0..20 * 64).map(|_| random.value()).collect();
    let clean = plain_step(heads, &plain_cache(heads, DataType::F32, "").unwrap(), &rows, DataType::F32);
    rows[10 * 64 + 48] = f32::INFINITY;
    rows[15 * 64 + 32] = f32::NAN;
    let found = plain_step(heads, &plain_cache(heads, DataType::F32, "").unwrap(), &rows, DataType::F32);
    assert_eq!(found[..10 * 32], clean[..10 * 32]);
    assert!((10..15).all(|row| found[row * 32] == f32::INFINITY && found[row * 32 + 1] == clean[row * 32 + 1]));
    assert!(found[15 * 32..].iter().all(|value| value.is_nan()));
}

#[test]
fn scores_can_have_a_soft_cap() {
    let heads = [2, 1, 16, 16];
    let mut random = Random(9);
    let rows: Vec<f32> = (0..70 * 64).map(|_| 3.0 * random.value()).collect();
    let cache = plain_cache(heads, DataType::F32, r#"{"attn_logit_softcapping": 2.5}"#).unwrap();
    let expected = plain_attention(heads, &rows, Some(2.5));
    close(&plain_step(heads, &cache, &rows, DataType::F32), &expected);
    let refused = plain_cache(heads, DataType::F32, r#"{"attn_logit_softcapping": -1}"#).unwrap_err().to_string();
    assert!(refused.contains("attn_logit_softcapping"), "{refused}");
}

#[test]
fn settings_of_scores_are_checked() {
    for (settings, said) in [
        (r#"{"sliding_windows": [1, 2, 3]}"#, "2 entries or 1"),
        (r#"{"sliding_windows": [0]}"#, "numbers of tokens from 1 on"),
        (r#"{"sliding_windows": 4}"#, "sliding_windows"),
        (r#"{"alibi_slopes": [1, "x", 1, 1]}"#, "alibi_slopes"),
        ("[", "an object of JSON"),
    ] {
        let error = cache_with(8, 0, DataType::F32, settings).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let cache = ALIBI.cache(8);
    call("kv_state_add_sequence", &[cache.clone(), Value::Int(0)]).unwrap();
    let tree = [cache.clone(), Value::shape(&[0]), Value::shape(&[1]), Value::shape(&[-1])];
    assert!(call("kv_state_begin_forward", &tree).unwrap_err().to_string().contains("ALiBi"));
    begin(&cache, &[0], &[1]).unwrap();
    let tokens = [random_token(&mut Random(1))];
    let out = |dtype| -> Value { Tensor::zeros(dtype, &[1, QUERY as i64, SIZE as i64]).unwrap().into() };
    let args = |rest: &[Value]| [&[cache.clone(), Value::Int(0), Value::Float(1.0), qkv(0, &tokens)], rest].concat();
    let few = Tensor::zeros(DataType::F32, &[QUERY as i64 - 1]).unwrap().into();
    for (rest, said) in [(vec![few, out(DataType::F32)], "4 query heads"), (vec![out(DataType::F16)], "the result")] {
        let error = call("attention_kv_cache_attention_with_fused_qkv", &args(&rest)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_cache_has_a_type_of_its_own() {
    let heads = [6, 2, 64, 16];
    let mut random = Random(3);
    // Quarters, which all types hold.
    let rows: Vec<f32> = (0..150 * 10 * 64).map(|_| random.below(9) as f32 / 4.0 - 1.0).collect();
    let whole = plain_step(heads, &plain_cache(heads, DataType::F32, "").unwrap(), &rows, DataType::F32);
    for dtype in [DataType::F16, DataType::BF16] {
        let cache = plain_cache(heads, dtype, "").unwrap();
        let (first, last) = rows.split_at(149 * 10 * 64);
        let mut found = plain_step(heads, &cache, first, DataType::F32);
        found.extend(plain_step(heads, &cache, last, DataType::F32));
        assert_eq!(found, whole, "{dtype}");
    }
}
