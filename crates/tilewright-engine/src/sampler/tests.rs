//! The judge of truncation is a full sort in the naive form of the definitions; of draws, their frequencies.

use super::*;

fn sampler(config: SamplerConfig) -> Sampler {
    Sampler::new(config).unwrap()
}

fn greedy() -> SamplerConfig {
    SamplerConfig { temperature: 0.0, ..SamplerConfig::default() }
}

/// The tokens that the steps of `config` leave, with their probabilities, by the definitions and a full sort.
fn naive(config: &SamplerConfig, logits: &[f32]) -> Vec<(u32, f64)> {
    let mut all: Vec<(u32, f64)> =
        (0u32..).zip(logits).map(|(id, logit)| (id, f64::from(*logit) / f64::from(config.temperature))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    if config.top_k > 0 {
        all.truncate(config.top_k);
    }
    let normalise = |all: &mut Vec<(u32, f64)>| {
        let sum: f64 = all.iter().map(|(_, p)| p).sum();
        all.iter_mut().for_each(|(_, p)| *p /= sum);
    };
    let highest = all[0].1;
    all.iter_mut().for_each(|(_, p)| *p = (*p - highest).exp());
    normalise(&mut all);
    let mut sum = 0.0;
    let mut kept = all.iter().take_while(|(_, p)| {
        let more = sum < f64::from(config.top_p);
        sum += p;
        more
    });
    let count = kept.by_ref().count().max(1);
    if config.top_p < 1.0 {
        all.truncate(count);
    }
    normalise(&mut all);
    let highest = all[0].1;
    all.retain(|(_, p)| *p >= f64::from(config.min_p) * highest);
    normalise(&mut all);
    all
}

#[test]
fn zero_temperature_takes_the_first_highest_logit() {
    let choice = sampler(greedy()).sample(&[0.5, 2.0, 2.0, -1.0], None).unwrap();
    assert_eq!(choice.token, 1);
    // ln(e^2 / (e^0.5 + 2 e^2 + e^-1))
    let expected = 2.0 - (0.5f64.exp() + 2.0 * 2.0f64.exp() + (-1.0f64).exp()).ln();
    assert!((f64::from(choice.logprob) - expected).abs() < 1e-6);
    assert_eq!(choice.top, []);
}

#[test]
fn log_probabilities_are_the_models_own() {
    let config = SamplerConfig { top_logprobs: 2, top_k: 1, logit_bias: vec![(0, 100.0)], ..SamplerConfig::default() };
    let choice = sampler(config).sample(&[0.0, 1.0, 3.0], None).unwrap();
    let sum = (1.0 + 1.0f64.exp() + 3.0f64.exp()).ln() as f32;
    assert_eq!(choice.token, 0);
    assert!((choice.logprob + sum).abs() < 1e-6);
    assert_eq!(choice.top.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [2, 1]);
    assert!((choice.top[0].1 - (3.0 - sum)).abs() < 1e-6);
}

#[test]
fn masks_biases_and_penalties_come_in_their_order() {
    let logits = [4.0, 3.0, 2.0, 1.0];
    let mut masked = sampler(greedy());
    assert_eq!(masked.sample(&logits, Some(&[0b1100])).unwrap().token, 2);
    // A bias cannot bring back what the mask excludes.
    let mut biased = sampler(SamplerConfig { logit_bias: vec![(0, 50.0), (3, 1.5)], ..greedy() });
    assert_eq!(biased.sample(&logits, Some(&[0b1100])).unwrap().token, 3);
    let mut repeated = sampler(SamplerConfig { repetition_penalty: 2.0, ..greedy() });
    repeated.see_prompt(&[0]);
    assert_eq!(repeated.sample(&logits, None).unwrap().token, 1);
    assert_eq!(repeated.sample(&[-1.0, -1.5, -9.0, -9.0], None).unwrap().token, 1);
    let mut present = sampler(SamplerConfig { presence_penalty: 0.5, frequency_penalty: 0.6, ..greedy() });
    // Tokens of the prompt are not penalised; 4 - 0.5 - 0.6 is the highest's end.
    present.see_prompt(&[0]);
    assert_eq!(present.sample(&logits, None).unwrap().token, 0);
    present.accept(0);
    assert_eq!(present.sample(&logits, None).unwrap().token, 1);
    present.accept(1);
    assert_eq!(present.sample(&logits, None).unwrap().token, 0);
}

#[test]
fn bad_logits_and_settings_say_what_is_wrong() {
    let mut plain = sampler(greedy());
    let error = plain.sample(&[0.0, f32::NAN], None).unwrap_err();
    assert_eq!(error.to_string(), "the logit of token 1 is NaN: the model's computation failed");
    assert!(matches!(plain.sample(&[f32::INFINITY], None), Err(SamplerError::BadLogit { token: 0, .. })));
    assert_eq!(plain.sample(&[], None), Err(SamplerError::NothingAllowed));
    assert_eq!(plain.sample(&[f32::NEG_INFINITY; 3], None), Err(SamplerError::NothingAllowed));
    assert_eq!(plain.sample(&[1.0; 40], Some(&[0, 0])), Err(SamplerError::NothingAllowed));
    assert_eq!(plain.sample(&[1.0; 40], Some(&[0])), Err(SamplerError::NothingAllowed));
    assert!(matches!(plain.sample(&[1.0; 40], Some(&[])), Err(SamplerError::MaskTooShort { .. })));
    let mut biased = sampler(SamplerConfig { logit_bias: vec![(9, 1.0)], ..greedy() });
    assert_eq!(biased.sample(&[1.0], None), Err(SamplerError::UnknownToken { token: 9, vocab_size: 1 }));
    let mut all = sampler(SamplerConfig { logit_bias: vec![(0, f32::NEG_INFINITY)], ..SamplerConfig::default() });
    assert_eq!(all.sample(&[1.0], None), Err(SamplerError::NothingAllowed));
    let bad = |config: SamplerConfig| Sampler::new(config).unwrap_err().to_string();
    let default = SamplerConfig::default;
    assert_eq!(bad(SamplerConfig { top_p: 1.5, ..default() }), "top_p is 1.5, expected 0 to 1");
    assert!(bad(SamplerConfig { temperature: -1.0, ..default() }).contains("temperature"));
    assert!(bad(SamplerConfig { temperature: f32::NAN, ..default() }).contains("temperature is NaN"));
    assert!(bad(SamplerConfig { repetition_penalty: 0.0, ..default() }).contains("positive"));
    assert!(bad(SamplerConfig { logit_bias: vec![(0, f32::INFINITY)], ..default() }).contains("logit_bias"));
}

#[test]
fn frequencies_of_draws_are_the_probabilities() {
    let logits: Vec<f32> = (0..6).map(|i| (f32::from(i as u8) * 1.7).sin() * 2.0).collect();
    for (top_k, top_p, min_p) in [(0, 1.0, 0.0), (4, 1.0, 0.0), (0, 0.7, 0.0), (0, 1.0, 0.3), (5, 0.9, 0.2)] {
        let config = SamplerConfig { temperature: 0.8, top_k, top_p, min_p, seed: 11, ..SamplerConfig::default() };
        let expected = naive(&config, &logits);
        let mut sampler = sampler(config);
        let mut counts = [0u32; 6];
        let draws = 20_000;
        for _ in 0..draws {
            counts[sampler.sample(&logits, None).unwrap().token as usize] += 1;
        }
        for id in 0..6 {
            let p = expected.iter().find(|(kept, _)| *kept == id).map_or(0.0, |(_, p)| *p);
            let deviation = (p * (1.0 - p) * f64::from(draws)).sqrt();
            let error = (f64::from(counts[id as usize]) - p * f64::from(draws)).abs();
            // Five standard deviations: a fair draw is outside once in two million.
            assert!(error <= 5.0 * deviation, "{top_k} {top_p} {min_p}: token {id} {counts:?} {expected:?}");
        }
    }
}

#[test]
fn a_seed_decides_the_tokens() {
    let logits: Vec<f32> = (0..1000).map(|i| ((i * 37) % 101) as f32 / 25.0).collect();
    let draw = |seed| {
        let mut sampler = sampler(SamplerConfig { seed, top_p: 0.95, ..SamplerConfig::default() });
        (0..32).map(|_| sampler.sample(&logits, None).unwrap().token).collect::<Vec<_>>()
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

proptest::proptest! {
    // Sets that selection keeps are those of a full sort, ties included.
    #[test]
    fn selection_keeps_what_a_full_sort_keeps(
        steps in proptest::collection::vec(0u8..12, 1..400),
        top_k in 0usize..300,
        top_p in 0.05f32..1.0,
    ) {
        let logits: Vec<f32> = steps.iter().map(|step| f32::from(*step) * 0.37).collect();
        let config = SamplerConfig { top_k, top_p, ..SamplerConfig::default() };
        let mut ids: Vec<u32> = (0..u32::try_from(logits.len()).unwrap()).collect();
        if top_k > 0 {
            keep_top(&mut ids, &logits, top_k);
        }
        let highest = logits.iter().copied().fold(f32::MIN, f32::max);
        keep_probability(&mut ids, &logits, f64::from(top_p), |id| f64::exp(f64::from(logits[id as usize] - highest)));
        let expected: Vec<u32> = naive(&config, &logits).into_iter().map(|(id, _)| id).collect();
        // Sums in another order may differ in the last digit, and with them one token at the edge.
        let common = ids.len().min(expected.len());
        proptest::prop_assert!(ids.len().abs_diff(expected.len()) <= 1);
        proptest::prop_assert_eq!(&ids[..common], &expected[..common]);
    }

    #[test]
    fn masked_tokens_are_never_drawn(mask in proptest::collection::vec(proptest::num::u32::ANY, 3), seed: u64) {
        let logits: Vec<f32> = (0..96).map(|i| (i % 13) as f32).collect();
        let config = SamplerConfig { seed, ..SamplerConfig::default() };
        match sampler(config).sample(&logits, Some(&mask)) {
            Ok(choice) => proptest::prop_assert!(mask[choice.token as usize / 32] >> (choice.token % 32) & 1 == 1),
            Err(error) => {
                proptest::prop_assert_eq!(error, SamplerError::NothingAllowed);
                proptest::prop_assert!(mask.iter().all(|word| *word == 0));
            }
        }
    }
}
