//! KV caches: keys or values of past tokens, as rows that are appended from one call to the next.
//!
//! A cache holds rows of one shape and data type, of which the first *filled* ones count. It lies in memory for more
//! rows than that, which doubles when it is full, so that appending a row costs what copying it does. A view of the
//! rows shares that memory. Appending writes after the rows of any view, or to new memory, so that views stay unchanged
//! until rows are dropped and overwritten.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tilewright_tensor::{DataType, Layout, Tensor};

use crate::builtins::{Builtin, refused, wrong_arguments};
use crate::error::Result;
use crate::value::Value;

pub(crate) const ALL: [(&str, Builtin); 5] = [
    ("vm.builtin.attention_kv_cache_create", create),
    ("vm.builtin.attention_kv_cache_append", append),
    ("vm.builtin.attention_kv_cache_view", view),
    ("vm.builtin.attention_kv_cache_array_popn", pop),
    ("vm.builtin.attention_kv_cache_array_clear", clear),
];

/// A cache. It is passed as an object, and changed in place.
struct Cache(Mutex<Rows>);

struct Rows {
    /// Memory for as many rows as its first dimension says.
    memory: Tensor,
    filled: i64,
}

impl Cache {
    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows {
    fn capacity(&self) -> i64 {
        self.memory.shape().first().copied().unwrap_or(0)
    }

    fn unit(&self) -> &[i64] {
        self.memory.shape().get(1..).unwrap_or_default()
    }

    /// The rows from one up to and without another.
    fn between(&self, begin: i64, end: i64) -> Result<Tensor> {
        let layout = Layout::compact(self.memory.dtype(), &with_rows(end - begin, self.unit()))?;
        let row = Layout::compact(self.memory.dtype(), self.unit())?.num_bytes();
        Ok(self.memory.view_as(layout.into(), begin.saturating_mul(row as i64))?)
    }

    /// Makes memory for this many rows.
    fn reserve(&mut self, rows: i64) -> Result<()> {
        let capacity = self.capacity();
        if rows <= capacity {
            return Ok(());
        }
        let grown = rows.max(capacity.saturating_mul(2));
        let memory = Tensor::zeros(self.memory.dtype(), &with_rows(grown, self.unit()))?;
        let larger = Self { memory, filled: self.filled };
        larger.between(0, self.filled)?.overwrite(self.between(0, self.filled)?.as_bytes()?)?;
        *self = larger;
        Ok(())
    }
}

fn with_rows(rows: i64, unit: &[i64]) -> Vec<i64> {
    std::iter::once(rows).chain(unit.iter().copied()).collect()
}

fn cache_of(value: &Value) -> Result<&Cache> {
    let found = match value {
        Value::Object(object) => object.downcast_ref::<Cache>(),
        _ => None,
    };
    found.ok_or_else(|| wrong_arguments("a cache of keys or values", std::slice::from_ref(value)))
}

/// Rows as a cache can hold them, one after the other.
fn rows_of(tensor: &Tensor) -> Result<(i64, Tensor)> {
    if tensor.dtype().is_packed() {
        return Err(refused(format!("a cache holds no elements of {}, which are less than a byte", tensor.dtype())));
    }
    match tensor.shape().first() {
        Some(&rows) => Ok((rows, tensor.to_contiguous()?)),
        None => Err(refused("a cache holds rows, and a scalar has none")),
    }
}

fn fits(what: &str, unit: &[i64], dtype: DataType, rows: &Rows) -> Result<()> {
    if unit == rows.unit() && dtype == rows.memory.dtype() {
        return Ok(());
    }
    let (own, held) = (rows.unit(), rows.memory.dtype());
    Err(refused(format!("{what} of shape {unit:?} and type {dtype} are none of a cache of {own:?} and {held}")))
}

/// `(rows, shape, filled)`: a cache with memory for `shape`, which holds the first `filled` of these rows, all where it
/// is negative.
fn create(args: &[Value]) -> Result<Value> {
    let [Value::Tensor(data), Value::Shape(shape), Value::Int(filled)] = args else {
        return Err(wrong_arguments("a tensor, a shape and an int", args));
    };
    let (rows, data) = rows_of(data)?;
    let filled = if *filled < 0 { rows } else { *filled };
    if filled > rows {
        return Err(refused(format!("a cache cannot begin with {filled} rows of {rows}")));
    }
    let mut made = Rows { memory: Tensor::zeros(data.dtype(), shape)?, filled: 0 };
    let Some(unit) = data.shape().get(1..).filter(|_| !shape.is_empty()) else {
        return Err(refused("a cache has a shape of at least 1 dimension"));
    };
    fits("rows", unit, data.dtype(), &made)?;
    made.reserve(filled)?;
    let given = Rows { memory: data, filled };
    made.between(0, filled)?.overwrite(given.between(0, filled)?.as_bytes()?)?;
    made.filled = filled;
    Ok(Value::Object(std::sync::Arc::new(Cache(Mutex::new(made)))))
}

/// `(cache, rows)`: the cache with these rows appended.
fn append(args: &[Value]) -> Result<Value> {
    let [cache, Value::Tensor(data)] = args else { return Err(wrong_arguments("a cache and a tensor", args)) };
    let (count, data) = rows_of(data)?;
    let mut rows = cache_of(cache)?.lock();
    fits("rows", data.shape().get(1..).unwrap_or_default(), data.dtype(), &rows)?;
    let filled = rows.filled.checked_add(count).ok_or_else(|| refused("a cache has too many rows"))?;
    rows.reserve(filled)?;
    rows.between(rows.filled, filled)?.overwrite(data.as_bytes()?)?;
    rows.filled = filled;
    Ok(cache.clone())
}

/// `(cache, shape)`: all rows, whose shape the caller knows.
fn view(args: &[Value]) -> Result<Value> {
    let [cache, Value::Shape(shape)] = args else { return Err(wrong_arguments("a cache and a shape", args)) };
    let rows = cache_of(cache)?.lock();
    let held = with_rows(rows.filled, rows.unit());
    if **shape != *held {
        return Err(refused(format!("expected a view of shape {held:?} as the cache holds it, found {shape:?}")));
    }
    Ok(rows.between(0, rows.filled)?.into())
}

/// `(caches, count)`: each of a tuple of caches, or the only one, loses its last rows; none does where one has too few.
fn pop(args: &[Value]) -> Result<Value> {
    let [caches, Value::Int(count)] = args else { return Err(wrong_arguments("caches and an int", args)) };
    let left = |rows: &Rows| match *count >= 0 && *count <= rows.filled {
        true => Ok(rows.filled - count),
        false => Err(refused(format!("{count} rows cannot be taken from a cache of {}", rows.filled))),
    };
    let caches = each(caches)?;
    for cache in &caches {
        left(&cache.lock())?;
    }
    for cache in caches {
        let mut rows = cache.lock();
        rows.filled = left(&rows)?;
    }
    Ok(Value::None)
}

/// `(caches)`: each of a tuple of caches, or the only one, loses all rows.
fn clear(args: &[Value]) -> Result<Value> {
    let [caches] = args else { return Err(wrong_arguments("caches", args)) };
    each(caches)?.into_iter().for_each(|cache| cache.lock().filled = 0);
    Ok(Value::None)
}

fn each(caches: &Value) -> Result<Vec<&Cache>> {
    match caches {
        Value::Tuple(items) => items.iter().map(cache_of).collect(),
        one => Ok(vec![cache_of(one)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn run(name: &str, args: &[Value]) -> Result<Value> {
        registry::get(&format!("vm.builtin.attention_kv_cache_{name}"))?(args)
    }

    fn rows(first: f32, count: i64) -> Value {
        let values = (0..count * 3).map(|i| first + i as f32).collect();
        Tensor::from_vec(&[count, 3], values).unwrap().into()
    }

    fn held(cache: &Value, count: i64) -> Vec<f32> {
        let view = run("view", &[cache.clone(), Value::shape(&[count, 3])]).unwrap();
        view.as_tensor().unwrap().to_vec().unwrap()
    }

    fn cache_for(capacity: i64) -> Value {
        run("create", &[rows(0.0, capacity), Value::shape(&[capacity, 3]), Value::Int(0)]).unwrap()
    }

    #[test]
    fn rows_come_back_in_order_whatever_the_memory_was() {
        for capacity in [0, 1, 2, 5] {
            let cache = cache_for(capacity);
            let mut expected: Vec<f32> = Vec::new();
            for count in [1, 0, 3, 2, 7] {
                let first = 100.0 * count as f32;
                run("append", &[cache.clone(), rows(first, count)]).unwrap();
                expected.extend((0..count * 3).map(|i| first + i as f32));
                assert_eq!(held(&cache, expected.len() as i64 / 3), expected, "capacity {capacity}");
            }
        }
    }

    #[test]
    fn a_view_stays_what_it_was_when_rows_follow() {
        let cache = cache_for(2);
        run("append", &[cache.clone(), rows(1.0, 1)]).unwrap();
        let view = run("view", &[cache.clone(), Value::shape(&[1, 3])]).unwrap();
        for _ in 0..5 {
            run("append", &[cache.clone(), rows(50.0, 1)]).unwrap();
        }
        assert_eq!(view.as_tensor().unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn rows_that_a_cache_begins_with_count() {
        let all = run("create", &[rows(1.0, 2), Value::shape(&[4, 3]), Value::Int(-1)]).unwrap();
        assert_eq!(held(&all, 2), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let one = run("create", &[rows(1.0, 2), Value::shape(&[0, 3]), Value::Int(1)]).unwrap();
        assert_eq!(held(&one, 1), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn rows_are_dropped_from_the_end() {
        let cache = cache_for(4);
        run("append", &[cache.clone(), rows(1.0, 3)]).unwrap();
        run("array_popn", &[Value::tuple([cache.clone()]), Value::Int(2)]).unwrap();
        run("append", &[cache.clone(), rows(9.0, 1)]).unwrap();
        assert_eq!(held(&cache, 2), [1.0, 2.0, 3.0, 9.0, 10.0, 11.0]);
        run("array_clear", std::slice::from_ref(&cache)).unwrap();
        assert!(held(&cache, 0).is_empty());
    }

    #[test]
    fn rows_of_another_shape_are_refused_and_change_nothing() {
        let cache = cache_for(1);
        run("append", &[cache.clone(), rows(1.0, 1)]).unwrap();
        let wide: Value = Tensor::zeros(DataType::F32, &[1, 4]).unwrap().into();
        let whole: Value = Tensor::zeros(DataType::I32, &[1, 3]).unwrap().into();
        for args in [[cache.clone(), wide], [cache.clone(), whole], [cache.clone(), Tensor::scalar(1.0f32).into()]] {
            assert!(run("append", &args).is_err());
        }
        let error = run("view", &[cache.clone(), Value::shape(&[2, 3])]).unwrap_err();
        assert!(error.to_string().contains("[2, 3]") && error.to_string().contains("[1, 3]"), "{error}");
        for count in [-1, 2] {
            assert!(run("array_popn", &[cache.clone(), Value::Int(count)]).is_err());
        }
        assert!(run("append", &[Value::None, rows(1.0, 1)]).is_err());
        let full = cache_for(4);
        run("append", &[full.clone(), rows(1.0, 4)]).unwrap();
        assert!(run("array_popn", &[Value::tuple([full.clone(), cache.clone()]), Value::Int(2)]).is_err());
        assert!(run("array_clear", &[Value::tuple([full.clone(), Value::None])]).is_err());
        assert_eq!(held(&full, 4).len(), 12);
        assert_eq!(held(&cache, 1), [1.0, 2.0, 3.0]);
    }
}
