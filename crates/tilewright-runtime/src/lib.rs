//! runtime: devices, packed functions, worker pool, image loader, VM; **no compiler crate**
