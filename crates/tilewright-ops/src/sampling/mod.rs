//! Ops that draw from distributions, by uniform numbers that the caller gives.

family! {
    multinomial_from_uniform,
}
