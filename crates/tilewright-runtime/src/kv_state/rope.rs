//! Rotary position embedding (RoPE) of halves: element `i` of the first half and element `i` of the second half of the
//! rotated dimensions are a point of the plane, which is rotated by an angle that grows with the position.
//!
//! The angle is `position * scale * frequency(i)`, with `frequency(i) = theta^(-2i / rotated)`, which a scaling
//! changes:
//!
//! * `linear`: divided by `factor`;
//! * `llama3` (Llama 3.1): wavelengths `2π / frequency` of more than `original / low_freq_factor` positions are
//!   stretched by `factor`, those of less than `original / high_freq_factor` stay, and between them both are mixed, by
//!   `(original / wavelength - low) / (high - low)`;
//! * `longrope` (Phi-3): each is divided by its own factor, and rotated vectors are longer by
//!   `sqrt(1 + ln(max / original) / ln(original))`.
//!
//! Angles are computed in float64: a position of 100,000 leaves float32 no digits after the point.

use std::f64::consts::TAU;

use serde_json::Value as Json;

use crate::builtins::refused;
use crate::error::Result;

/// Which scalings there are, for messages.
const KNOWN: &str = "default, linear, llama3, longrope";

#[derive(Debug)]
pub(super) struct Rope {
    /// Radians a position, for each point.
    frequencies: Box<[f64]>,
    magnitude: f64,
}

/// What a model says of its embedding.
pub(super) struct RopeConfig<'a> {
    /// Dimensions of a head that are rotated: the first ones.
    pub(super) rotated: usize,
    pub(super) theta: f64,
    pub(super) scale: f64,
    /// A JSON object with `rope_type` (or `type`) and the numbers that it needs; empty for none.
    pub(super) scaling: &'a str,
    /// For `longrope`: a factor for each point.
    pub(super) factors: &'a [f64],
}

impl Rope {
    pub(super) fn new(config: &RopeConfig<'_>) -> Result<Self> {
        if !config.rotated.is_multiple_of(2) {
            return Err(refused(format!("RoPE rotates an even number of dimensions, found {}", config.rotated)));
        }
        if !(config.theta > 0.0 && config.theta.is_finite() && config.scale.is_finite()) {
            let (theta, scale) = (config.theta, config.scale);
            return Err(refused(format!("RoPE has a base above 0 and a scale, found {theta} and {scale}")));
        }
        let base = |i: usize| config.scale * config.theta.powf(-2.0 * i as f64 / config.rotated as f64);
        let mut rope = Self { frequencies: (0..config.rotated / 2).map(base).collect(), magnitude: 1.0 };
        let scaling = Scaling::parse(config.scaling)?;
        match scaling.kind() {
            "default" | "none" => {}
            "linear" => {
                let factor = scaling.positive("factor")?;
                rope.frequencies.iter_mut().for_each(|frequency| *frequency /= factor);
            }
            "llama3" => rope.stretch_long_waves(&scaling)?,
            "longrope" | "su" => rope.apply_factors(&scaling, config.factors)?,
            other => return Err(refused(format!("unknown RoPE scaling \"{other}\": expected one of {KNOWN}"))),
        }
        Ok(rope)
    }

    fn stretch_long_waves(&mut self, scaling: &Scaling) -> Result<()> {
        let (factor, original) = (scaling.positive("factor")?, scaling.positive("original_max_position_embeddings")?);
        let (low, high) = (scaling.positive("low_freq_factor")?, scaling.positive("high_freq_factor")?);
        if high <= low {
            return Err(refused(format!("llama3: high_freq_factor {high} is not above low_freq_factor {low}")));
        }
        for frequency in &mut self.frequencies {
            let kept = ((original * *frequency / TAU - low) / (high - low)).clamp(0.0, 1.0);
            *frequency *= kept + (1.0 - kept) / factor;
        }
        Ok(())
    }

    fn apply_factors(&mut self, scaling: &Scaling, given: &[f64]) -> Result<()> {
        let named = scaling.numbers("long_factor");
        let factors = if given.is_empty() { &named } else { given };
        if factors.len() != self.frequencies.len() || factors.iter().any(|&factor| factor.is_nan() || factor <= 0.0) {
            let (needed, found) = (self.frequencies.len(), factors.len());
            return Err(refused(format!("longrope: expected {needed} factors above 0, found {found}")));
        }
        for (frequency, factor) in self.frequencies.iter_mut().zip(factors) {
            *frequency /= factor;
        }
        let original = scaling.positive("original_max_position_embeddings")?;
        let ratio = match scaling.number("max_position_embeddings") {
            Some(longest) => longest / original,
            None => scaling.positive("factor")?,
        };
        self.magnitude = if ratio > 1.0 && original > 1.0 { (1.0 + ratio.ln() / original.ln()).sqrt() } else { 1.0 };
        Ok(())
    }

    /// Appends the row for a position.
    pub(super) fn push_row(&self, position: usize, table: &mut Vec<f32>) {
        let angle = |frequency: &f64| frequency * position as f64;
        table.extend(self.frequencies.iter().map(|frequency| (self.magnitude * angle(frequency).cos()) as f32));
        table.extend(self.frequencies.iter().map(|frequency| (self.magnitude * angle(frequency).sin()) as f32));
    }
}

/// Rotates the first dimensions of a head by a row of the table.
pub(super) fn rotate(head: &mut [f32], row: &[f32]) {
    let points = row.len() / 2;
    let (cosines, sines) = row.split_at(points);
    let (first, second) = head[..2 * points].split_at_mut(points);
    for (((x, y), cosine), sine) in first.iter_mut().zip(second).zip(cosines).zip(sines) {
        (*x, *y) = (*x * cosine - *y * sine, *y * cosine + *x * sine);
    }
}

/// The object of a model's configuration.
struct Scaling(Json);

impl Scaling {
    fn parse(text: &str) -> Result<Self> {
        let parsed = if text.trim().is_empty() { Ok(Json::Null) } else { serde_json::from_str(text) };
        match parsed {
            Ok(value @ (Json::Null | Json::Object(_))) => {
                let named = ["rope_type", "type"].iter().find_map(|name| value.get(name));
                match named.is_none_or(Json::is_string) {
                    true => Ok(Self(value)),
                    false => Err(refused(format!("expected a kind of RoPE scaling as a text, found {text:?}"))),
                }
            }
            _ => Err(refused(format!("expected a RoPE scaling as an object of JSON, found {text:?}"))),
        }
    }

    fn kind(&self) -> &str {
        let named = |name| self.0.get(name).and_then(Json::as_str);
        named("rope_type").or_else(|| named("type")).unwrap_or("default")
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Json::as_f64)
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        let listed = self.0.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        listed.iter().filter_map(Json::as_f64).collect()
    }

    fn positive(&self, name: &str) -> Result<f64> {
        let found = self.number(name).filter(|&value| value > 0.0 && value.is_finite());
        found.ok_or_else(|| refused(format!("RoPE scaling \"{}\" needs `{name}`, a number above 0", self.kind())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rope(scaling: &str, factors: &[f64]) -> Result<Rope> {
        Rope::new(&RopeConfig { rotated: 8, theta: 10_000.0, scale: 1.0, scaling, factors })
    }

    #[test]
    fn frequencies_are_powers_of_the_base() {
        let rope = rope("", &[]).unwrap();
        let expected = [1.0, 0.1, 0.01, 0.001];
        assert!(rope.frequencies.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
    }

    #[test]
    fn llama3_keeps_short_waves_and_stretches_long_ones() {
        let text = r#"{"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
                       "original_max_position_embeddings": 1000}"#;
        let rope = rope(text, &[]).unwrap();
        // Wavelengths 6, 63, 628 and 6283: kept up to 250, stretched from 1000 on.
        let mixed = (1000.0 * 0.01 / TAU - 1.0) / 3.0;
        let expected = [1.0, 0.1, 0.01 * (mixed + (1.0 - mixed) / 8.0), 0.001 / 8.0];
        assert!(rope.frequencies.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
    }

    #[test]
    fn longrope_has_a_factor_for_each_point_and_longer_vectors() {
        let text = r#"{"type": "longrope", "max_position_embeddings": 4096, "original_max_position_embeddings": 64}"#;
        let rope = rope(text, &[1.0, 2.0, 4.0, 5.0]).unwrap();
        let expected = [1.0, 0.05, 0.0025, 0.0002];
        assert!(rope.frequencies.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
        assert!((rope.magnitude - 2.0f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_rotation_turns_points_of_both_halves() {
        let mut head = [1.0, 2.0, 3.0, 4.0, 9.0];
        // A quarter turn for the first point, half a turn for the second; the last dimension is not rotated.
        rotate(&mut head, &[0.0, -1.0, 1.0, 0.0]);
        assert_eq!(head, [-3.0, -2.0, 1.0, -4.0, 9.0]);
    }

    #[test]
    fn missing_and_unknown_settings_are_said() {
        for (text, said) in [
            (r#"{"rope_type": "yarn"}"#, "yarn"),
            (r#"{"rope_type": "linear"}"#, "`factor`"),
            ("[1]", "an object of JSON"),
            (r#"{"rope_type": 5}"#, "as a text"),
            (r#"{"rope_type": "longrope", "long_factor": [1]}"#, "expected 4 factors"),
        ] {
            let error = rope(text, &[]).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
