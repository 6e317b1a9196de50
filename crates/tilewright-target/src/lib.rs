//! target: what a machine is: features, limits, presets, host detection, preferred layouts
