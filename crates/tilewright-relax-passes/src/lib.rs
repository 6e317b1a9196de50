//! relax-passes: graph passes: binding, folding, legalisation, fusion, layout, memory planning
