//! Ops that reduce dimensions, and those that accumulate along one.

mod extreme;
mod scan;

family! {
    argmax,
    argmin,
    cumprod,
    cumsum,
    max,
    mean,
    median,
    min,
    prod,
    std,
    sum,
    variance,
}
