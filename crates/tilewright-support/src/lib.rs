//! support: source files, spans, diagnostics and their rendering; deterministic maps; entity maps; stack guard
