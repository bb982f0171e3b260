"""What becomes of a scheduled kernel, whether a program is compiled or a schedule timed."""

from __future__ import annotations

from xdsl.passes import ModulePass

from lowering.loop_to_triton.lower import LoopToTritonPass
from passes.common.cse import CsePass
from passes.common.dce import DcePass
from passes.loop.byte_floats import ByteFloatsPass
from passes.loop.contract import ContractPass
from passes.loop.locality.cache_hints import CacheHintsPass
from passes.loop.locality.program_swizzle import ProgramSwizzlePass
from passes.loop.locality.tile_layout import TileLayoutPass
from passes.loop.narrow_integers import NarrowIntegersPass
from passes.loop.reduction.reload_stored import ReloadStoredPass
from passes.loop.reduction.shifted_variance import ShiftedVariancePass
from passes.triton.early_checks import EarlyChecksPass
from passes.triton.lane_order import LaneOrderPass
from passes.triton.licm import TritonLicmPass
from passes.triton.masked_loads import MaskedLoadsPass
from passes.triton.rounded_casts import RoundedCastsPass
from passes.triton.shared_divisors import SharedDivisorsPass
from passes.triton.sink_repeats import SinkRepeatsPass
from passes.triton.split_loops import SplitLoopsPass
from passes.triton.transposed_loads import TransposedLoadsPass


def after_schedule(device: str) -> tuple[ModulePass, ...]:
    """What is left to do to loops, each kernel by itself but for hints."""
    return (
        ShiftedVariancePass(),  # after schedule, which decides what rows are looped over
        ProgramSwizzlePass(device=device),  # after schedule, which decides the blocks
        TileLayoutPass(device=device),  # after schedule, which decides how many warps share a tile
        ReloadStoredPass(),  # before contract, which makes equal values differ, and cache-hints, which counts loads
        ContractPass(),  # behind what looks for sums, products and exponentials
        CacheHintsPass(device=device),  # after all that adds loads: which run in steps, and what has a hint, is decided
        NarrowIntegersPass(),  # last: what reads masks and counts, or adds conditions of its own, does so in 64 bits
        ByteFloatsPass(device=device),  # last: what is predicted or moved is one cast until then
    )


def to_triton(device: str) -> tuple[ModulePass, ...]:
    """From loops to Triton, each kernel by itself."""
    return (
        LoopToTritonPass(),
        SinkRepeatsPass(),  # first: fewer elements for all that follow
        CsePass(),  # before shared-divisors, which asks what a divisor is made of: a row is one in every loop over it
        LaneOrderPass(),  # before shared-divisors and licm, which take indices apart
        SharedDivisorsPass(),  # before licm and cse: loops and quotients share its reciprocals
        TritonLicmPass(),  # before cse: what has moved in front of a loop is seen behind it as well
        CsePass(),  # what is in front of loops now, or a reciprocal, may be there twice
        MaskedLoadsPass(),  # equal masks are one by then
        TransposedLoadsPass(),  # behind licm and masked-loads: loads are where they stay, with the masks they keep
        EarlyChecksPass(),  # behind masked-loads: the loads have the masks that they keep
        SplitLoopsPass(),  # behind what looks at one loop: there are several then
        DcePass(),
        RoundedCastsPass(device=device),  # on the casts that are left
    )
