//! arith: simplifier, bounds, integer sets, affine maps, proofs about symbolic shapes
