//! The cost model: boosted regression stumps, learned from the measurements of one task.
//!
//! Friedman's gradient boosting for squared error: each round fits the residuals with the one split of one feature that
//! leaves the least squared error, and adds a part of it to the prediction. With a few hundred measurements and as many
//! features, a fit takes milliseconds.

use crate::features::Features;

/// Splits of a model at most, and the part of each that counts.
const ROUNDS: usize = 80;
const SHRINKAGE: f64 = 0.3;
/// A split that lowers the squared error by less than this share of the whole is none.
const MIN_GAIN: f64 = 1e-6;

/// One split: values above the threshold, and all others.
#[derive(Clone, Debug)]
struct Stump {
    feature: u64,
    threshold: f64,
    above: f64,
    below: f64,
}

/// Predicts the logarithm of a time from features.
#[derive(Clone, Debug, Default)]
pub struct Model {
    mean: f64,
    stumps: Vec<Stump>,
}

impl Model {
    /// Learns from features and the numbers that belong to them.
    pub(crate) fn fit(samples: &[(Features, f64)]) -> Self {
        let count = samples.len().max(1) as f64;
        let mean = samples.iter().map(|(_, value)| value).sum::<f64>() / count;
        let mut model = Self { mean, stumps: Vec::new() };
        let mut left: Vec<f64> = samples.iter().map(|(_, value)| value - mean).collect();
        let whole: f64 = left.iter().map(|value| value * value).sum();
        let columns = columns(samples);
        for _ in 0..ROUNDS {
            let Some((gain, mut stump)) = best_split(&columns, &left) else { break };
            if gain <= MIN_GAIN * whole {
                break;
            }
            stump.above *= SHRINKAGE;
            stump.below *= SHRINKAGE;
            for ((features, _), left) in samples.iter().zip(&mut left) {
                *left -= stump.of(features);
            }
            model.stumps.push(stump);
        }
        model
    }

    pub(crate) fn predict(&self, features: &Features) -> f64 {
        self.mean + self.stumps.iter().map(|stump| stump.of(features)).sum::<f64>()
    }
}

impl Stump {
    fn of(&self, features: &Features) -> f64 {
        let value = features.get(&self.feature).copied().unwrap_or(0.0);
        if value > self.threshold { self.above } else { self.below }
    }
}

/// The features with their values, each as (value, sample) in rising order; those of one value only are left out.
fn columns(samples: &[(Features, f64)]) -> Vec<(u64, Vec<(f64, usize)>)> {
    let mut keys: Vec<u64> = samples.iter().flat_map(|(features, _)| features.keys().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    let column = |key: u64| {
        let value = |(at, (features, _)): (usize, &(Features, f64))| (features.get(&key).copied().unwrap_or(0.0), at);
        let mut values: Vec<(f64, usize)> = samples.iter().enumerate().map(value).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        (key, values)
    };
    let varies = |(_, values): &(u64, Vec<(f64, usize)>)| values.first().map(|v| v.0) != values.last().map(|v| v.0);
    keys.into_iter().map(column).filter(varies).collect()
}

/// The split that lowers the squared error most, and by how much.
fn best_split(columns: &[(u64, Vec<(f64, usize)>)], left: &[f64]) -> Option<(f64, Stump)> {
    let total: f64 = left.iter().sum();
    let count = left.len() as f64;
    let mut best: Option<(f64, Stump)> = None;
    for (feature, values) in columns {
        let mut below = 0.0;
        for (at, pair) in values.windows(2).enumerate() {
            below += left[pair[0].1];
            if pair[0].0 == pair[1].0 {
                continue;
            }
            let (n_below, above) = (at as f64 + 1.0, total - below);
            let n_above = count - n_below;
            let gain = below * below / n_below + above * above / n_above - total * total / count;
            if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                let threshold = f64::midpoint(pair[0].0, pair[1].0);
                let stump = Stump { feature: *feature, threshold, above: above / n_above, below: below / n_below };
                best = Some((gain, stump));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_steps_is_learned() {
        let value = |a: f64, b: f64| (if a > 2.0 { 1.0 } else { -1.0 }) + (if b > 4.0 { 0.5 } else { 0.0 });
        let point = |a: f64, b: f64| Features::from([(1, a), (2, b)]);
        let all = (0..64).map(|at| (f64::from(at % 8), f64::from(at / 8)));
        let samples: Vec<_> = all.map(|(a, b)| (point(a, b), value(a, b))).collect();
        let model = Model::fit(&samples);
        for (features, value) in &samples {
            let found = model.predict(features);
            assert!((found - value).abs() < 0.05, "{features:?}: {found} for {value}");
        }
        assert_eq!(Model::fit(&[]).predict(&point(1.0, 2.0)), 0.0);
    }
}
