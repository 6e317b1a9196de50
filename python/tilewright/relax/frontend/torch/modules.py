"""The modules of `torch.nn` as operators of ATen: the name, and the module's attributes that are its arguments.

An attribute that has another name than the argument is written `argument:attribute`.
"""

from __future__ import annotations

_CONVOLUTION = "weight bias stride padding dilation groups padding_mode"
_TRANSPOSED = "weight bias stride padding output_padding groups dilation padding_mode"
_AVERAGE = "kernel_size stride padding ceil_mode count_include_pad"
_LARGEST = "kernel_size stride padding dilation ceil_mode return_indices"
_BATCH = "running_mean running_var weight bias momentum eps"
_INSTANCE = "running_mean running_var weight bias use_input_stats:training momentum eps"

#: By the names of the classes.
MODULES: dict[str, tuple[str, str]] = {
    "AdaptiveAvgPool1d": ("adaptive_avg_pool1d", "output_size"),
    "AdaptiveAvgPool2d": ("adaptive_avg_pool2d", "output_size"),
    "AdaptiveAvgPool3d": ("adaptive_avg_pool3d", "output_size"),
    "AdaptiveMaxPool1d": ("adaptive_max_pool1d", "output_size return_indices"),
    "AdaptiveMaxPool2d": ("adaptive_max_pool2d", "output_size return_indices"),
    "AdaptiveMaxPool3d": ("adaptive_max_pool3d", "output_size return_indices"),
    "AlphaDropout": ("alpha_dropout", "p inplace"),
    "AvgPool1d": ("avg_pool1d", _AVERAGE),
    "AvgPool2d": ("avg_pool2d", _AVERAGE + " divisor_override"),
    "AvgPool3d": ("avg_pool3d", _AVERAGE + " divisor_override"),
    "BatchNorm1d": ("batch_norm", _BATCH),
    "BatchNorm2d": ("batch_norm", _BATCH),
    "BatchNorm3d": ("batch_norm", _BATCH),
    "Bilinear": ("bilinear", "weight bias"),
    "CELU": ("celu", "alpha inplace"),
    "ChannelShuffle": ("channel_shuffle", "groups"),
    "ConstantPad1d": ("pad", "pad:padding value"),
    "ConstantPad2d": ("pad", "pad:padding value"),
    "ConstantPad3d": ("pad", "pad:padding value"),
    "Conv1d": ("conv1d", _CONVOLUTION),
    "Conv2d": ("conv2d", _CONVOLUTION),
    "Conv3d": ("conv3d", _CONVOLUTION),
    "ConvTranspose1d": ("conv_transpose1d", _TRANSPOSED),
    "ConvTranspose2d": ("conv_transpose2d", _TRANSPOSED),
    "ConvTranspose3d": ("conv_transpose3d", _TRANSPOSED),
    "CrossEntropyLoss": ("cross_entropy", "weight ignore_index reduction label_smoothing"),
    "Dropout": ("dropout", "p inplace"),
    "Dropout1d": ("dropout", "p inplace"),
    "Dropout2d": ("dropout", "p inplace"),
    "Dropout3d": ("dropout", "p inplace"),
    "ELU": ("elu", "alpha inplace"),
    "Embedding": ("embedding", "weight padding_idx max_norm"),
    "FeatureAlphaDropout": ("dropout", "p inplace"),
    "Flatten": ("flatten", "start_dim end_dim"),
    "GELU": ("gelu", "approximate"),
    "GLU": ("glu", "dim"),
    "GroupNorm": ("group_norm", "num_groups weight bias eps"),
    "Hardshrink": ("hardshrink", "lambd"),
    "Hardsigmoid": ("hardsigmoid", "inplace"),
    "Hardswish": ("hardswish", "inplace"),
    "Hardtanh": ("hardtanh", "min_val max_val inplace"),
    "Identity": ("identity", ""),
    "InstanceNorm1d": ("instance_norm", _INSTANCE),
    "InstanceNorm2d": ("instance_norm", _INSTANCE),
    "InstanceNorm3d": ("instance_norm", _INSTANCE),
    "L1Loss": ("l1_loss", "reduction"),
    "LayerNorm": ("layer_norm", "normalized_shape weight bias eps"),
    "LeakyReLU": ("leaky_relu", "negative_slope inplace"),
    "Linear": ("linear", "weight bias"),
    "LogSigmoid": ("logsigmoid", ""),
    "LogSoftmax": ("log_softmax", "dim"),
    "MSELoss": ("mse_loss", "reduction"),
    "MaxPool1d": ("max_pool1d", _LARGEST),
    "MaxPool2d": ("max_pool2d", _LARGEST),
    "MaxPool3d": ("max_pool3d", _LARGEST),
    "Mish": ("mish", "inplace"),
    "MultiheadAttention": (
        "multi_head_attention",
        "in_proj_weight in_proj_bias out_weight:out_proj.weight out_bias:out_proj.bias num_heads batch_first bias_k "
        "add_zero_attn",
    ),
    "NLLLoss": ("nll_loss", "weight ignore_index reduction"),
    "NonDynamicallyQuantizableLinear": ("linear", "weight bias"),
    "PReLU": ("prelu", "weight"),
    "PixelShuffle": ("pixel_shuffle", "upscale_factor"),
    "PixelUnshuffle": ("pixel_unshuffle", "downscale_factor"),
    "RMSNorm": ("rms_norm", "normalized_shape weight eps"),
    "ReLU": ("relu", "inplace"),
    "ReLU6": ("relu6", "inplace"),
    "SELU": ("selu", "inplace"),
    "SiLU": ("silu", "inplace"),
    "Sigmoid": ("sigmoid", ""),
    "Softmax": ("softmax", "dim"),
    "Softmin": ("softmin", "dim"),
    "Softplus": ("softplus", "beta threshold"),
    "Softshrink": ("softshrink", "lambd"),
    "Softsign": ("softsign", ""),
    "StochasticDepth": ("stochastic_depth", ""),
    "Tanh": ("tanh", ""),
    "Tanhshrink": ("tanhshrink", ""),
    "Threshold": ("threshold", "threshold value inplace"),
    "Unflatten": ("unflatten", "dim sizes:unflattened_size"),
    "Upsample": ("interpolate", "size scale_factor mode align_corners recompute_scale_factor"),
    "UpsamplingBilinear2d": ("interpolate", "size scale_factor mode align_corners"),
    "UpsamplingNearest2d": ("interpolate", "size scale_factor mode"),
    "ZeroPad1d": ("pad", "pad:padding"),
    "ZeroPad2d": ("pad", "pad:padding"),
    "ZeroPad3d": ("pad", "pad:padding"),
}

#: Modules whose class says more than their attributes do.
SAID_BY_CLASS: dict[str, dict[str, object]] = {
    "ReflectionPad1d": {"mode": "reflect"},
    "ReflectionPad2d": {"mode": "reflect"},
    "ReflectionPad3d": {"mode": "reflect"},
    "ReplicationPad1d": {"mode": "replicate"},
    "ReplicationPad2d": {"mode": "replicate"},
    "ReplicationPad3d": {"mode": "replicate"},
    "CircularPad1d": {"mode": "circular"},
    "CircularPad2d": {"mode": "circular"},
    "CircularPad3d": {"mode": "circular"},
}
MODULES.update(dict.fromkeys(SAID_BY_CLASS, ("pad", "pad:padding")))
