//! Ops whose result is as large as the elements say: only a run knows its shape, and `R.match_cast` names it.

family! {
    nonzero,
    unique,
}
