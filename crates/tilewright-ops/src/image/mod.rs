//! Ops of images.

mod interpolation;
mod resized;

family! {
    grid_sample,
    non_max_suppression,
    resize2d,
}
