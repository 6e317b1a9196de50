//! interp: the reference interpreter of both levels; packed functions come in its context
