//! import: `torch/` (recorded graphs), `onnx/`, `safetensors`, `npz`, safe pickle: → IRModule and parameters
