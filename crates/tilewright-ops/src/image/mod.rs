//! Ops of images.

mod interpolation;

family! {
    grid_sample,
    resize2d,
}
