"""What the real compilers ask of a GPU, as data: none of them needs the device itself."""

from __future__ import annotations

from mlc_support.errors import MlcError
from passes.common.device import DEVICES, Device, device_named

GPUS = tuple(name for name in DEVICES if name != "generic")
"""The devices that they can be told of."""


def gpu_named(name: str) -> Device:
    """The device of that name. MlcError names those that real compilers can be told of."""
    if name not in GPUS:
        raise MlcError(f"the real compilers know no device {name!r}", hint=f"devices are {', '.join(GPUS)}")
    return device_named(name)


def xla_target(gpu: Device) -> str:
    """The GPU as XLA's `GpuTargetConfigProto` in text, in fields that its plug-ins of 0.10 and later all read."""
    threads = gpu.lanes * gpu.warps_per_block
    fields = {
        "threads_per_block_limit": threads,
        "threads_per_warp": gpu.lanes,
        "shared_memory_per_block": gpu.shared_static,
        "shared_memory_per_core": gpu.shared_per_multiprocessor,
        "threads_per_core_limit": gpu.lanes_per_multiprocessor,
        "core_count": gpu.multiprocessors,
        "fpus_per_core": gpu.float32_units,
        "block_dim_limit_x": gpu.grid_limits[0],
        "block_dim_limit_y": gpu.grid_limits[1],
        "block_dim_limit_z": gpu.grid_limits[2],
        "memory_bandwidth": int(gpu.peak_bandwidth),
        "l2_cache_size": gpu.l2_bytes,
        "clock_rate_ghz": gpu.clock_ghz,
        "device_memory_size": gpu.memory_bytes,
        "shared_memory_per_block_optin": gpu.shared_per_block,
        "registers_per_core_limit": gpu.registers_per_multiprocessor,
        "registers_per_block_limit": gpu.registers_per_multiprocessor,
        "thread_dim_limit_x": threads,
        "thread_dim_limit_y": threads,
        "thread_dim_limit_z": 64,
    }
    major, minor = gpu.capability
    capability = f"major: {major}" + (f" minor: {minor}" if minor else "")
    lines = [*(f"  {key}: {value}" for key, value in fields.items()), f"  cuda_compute_capability {{ {capability} }}"]
    rest = 'platform_name: "CUDA"\ndnn_version_info { major: 9 minor: 10 patch: 0 }'
    return "gpu_device_info {\n" + "\n".join(lines) + f'\n}}\n{rest}\ndevice_description_str: "{gpu.name}"\n'


def torch_properties(gpu: Device) -> dict[str, object]:
    """The GPU as `torch.cuda.get_device_properties` would tell of it."""
    return {
        "name": gpu.name,
        "major": gpu.capability[0],
        "minor": gpu.capability[1],
        "multi_processor_count": gpu.multiprocessors,
        "total_memory": gpu.memory_bytes,
        "regs_per_multiprocessor": gpu.registers_per_multiprocessor,
        "max_threads_per_multi_processor": gpu.lanes_per_multiprocessor,
        "max_threads_per_block": gpu.lanes * gpu.warps_per_block,
        "warp_size": gpu.lanes,
        "shared_memory_per_block": gpu.shared_static,
        "shared_memory_per_block_optin": gpu.shared_per_block,
        "shared_memory_per_multiprocessor": gpu.shared_per_multiprocessor,
        "L2_cache_size": gpu.l2_bytes,
        "gcnArchName": "",
        "clock_rate": int(gpu.clock_ghz * 1e6),
    }
