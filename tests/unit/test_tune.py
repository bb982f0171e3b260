"""Tuning: which schedules are tried, how one is chosen and remembered, and that none of it needs a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i1, i8, i64

from lowering.fx_to_tensor import import_callable
from lowering.tensor_to_loop.lower import TensorToLoopPass
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_compiler.tuning import measuring
from mlc_compiler.tuning.candidates import candidates
from mlc_compiler.tuning.measuring import Trial, launch_of
from mlc_compiler.tuning.tune import TuneFormsPass, TunePass
from mlc_dialects.common.buffers import buffer_element, buffer_type
from mlc_dialects.loop.dialect import KernelOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer
from passes.common.launches import anonymous
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.schedule.forms import FormPass
from passes.loop.schedule.partition import PartitionRowsPass
from passes.loop.schedule.schedule import SchedulePass

INPUTS = [torch.randn(256, 4096)]


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


@cache
def _softmax_loops() -> ModuleOp:
    return loops(lambda x: softmax(x))


def loops(function: object = softmax, name: str = "main", dynamic: object = None) -> ModuleOp:
    """A module of unscheduled kernels."""
    if function is softmax and name == "main" and dynamic is None:
        return _softmax_loops().clone()
    module = import_callable(function, INPUTS, name=name, dynamic=dynamic).module  # type: ignore[arg-type]
    lower_to(module, "fused")
    TensorToLoopPass().apply(Context(), module)
    LinearizeAxesPass().apply(Context(), module)
    return module


def kernels(module: ModuleOp) -> list[KernelOp]:
    return [op for op in module.ops if isinstance(op, KernelOp)]


def schedules(most: int) -> list[KernelOp]:
    """Those of the one kernel of softmax."""
    (found,) = candidates(loops(), most).values()
    return [candidate.kernel for candidate in found]


class Measured:
    """Gives each schedule a time by its place, and counts how often it is asked."""

    def __init__(self, *trials: Trial):
        self.trials, self.calls = trials, 0

    def __call__(self, asked: Sequence[Sequence[Sequence[KernelOp]]]) -> list[list[Trial]]:
        self.calls += 1
        return [[self.trials[min(k, len(self.trials) - 1)] for k in range(len(s))] for s in asked]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))


def test_candidates_differ_and_begin_with_the_default() -> None:
    module = loops()
    (found,) = candidates(module, 12).values()
    texts = [anonymous(c.kernel) for c in found]
    assert len(found) == 12 and len(set(texts)) == len(texts) and kernels(module)[0].warps is None
    SchedulePass().apply(Context(), module)
    assert texts[0] == anonymous(kernels(module)[0])
    assert [anonymous(k) for k in schedules(2)] == texts[:2]
    assert not candidates(module, 2), "what has a schedule has no choice"


def test_candidates_come_in_the_order_of_their_predicted_times() -> None:
    (found,) = candidates(loops(), 12).values()
    times = [c.predicted_us for c in found]
    assert times[1:] == sorted(times[1:]) and all(t > 0 for t in times)


def test_the_fastest_is_taken_and_remembered() -> None:
    measured = Measured(Trial(3.0), Trial(1.0), Trial(2.0))
    module, again = loops(), loops(name="other")
    wanted = anonymous(schedules(3)[1])
    TunePass(3, measured).apply(Context(), module)
    assert anonymous(kernels(module)[0]) == wanted and measured.calls == 1
    TunePass(3, measured).apply(Context(), again)
    assert anonymous(kernels(again)[0]) == wanted and measured.calls == 1, "equal kernels of other names are one"
    TunePass(2, measured).apply(Context(), loops())
    assert measured.calls == 2, "other choices are another question"


def test_a_schedule_that_spills_is_not_taken() -> None:
    module = loops()
    TunePass(3, Measured(Trial(3.0), Trial(1.0, spills=8), Trial(2.0))).apply(Context(), module)
    assert anonymous(kernels(module)[0]) == anonymous(schedules(3)[2])


def test_what_could_not_run_is_not_remembered(tmp_path: Path) -> None:
    module, measured = loops(), Measured(Trial(float("inf")))
    TunePass(3, measured).apply(Context(), module)
    assert anonymous(kernels(module)[0]) == anonymous(schedules(1)[0])
    assert not list(tmp_path.glob("tuned_*"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"fastest": 99}', '{"fastest": -1}', '{"fastest": "x"}', "\x00"]
)
def test_a_damaged_file_is_measured_anew(text: str, tmp_path: Path) -> None:
    measured = Measured(Trial(3.0), Trial(1.0), Trial(2.0))
    TunePass(3, measured).apply(Context(), loops())
    (file,) = tmp_path.glob("tuned_*")
    whole = file.read_text()
    file.write_text(text)
    module = loops()
    TunePass(3, measured).apply(Context(), module)
    assert measured.calls == 2 and file.read_text() == whole
    assert anonymous(kernels(module)[0]) == anonymous(schedules(3)[1])


def test_without_a_place_to_write_schedules_are_still_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "file" / "below"))
    module = loops()
    with pytest.warns(UserWarning, match=r"keeps nothing in .*below: Not a directory. MLC_CACHE_DIR"):
        TunePass(3, Measured(Trial(3.0), Trial(1.0), Trial(2.0))).apply(Context(), module)
    assert anonymous(kernels(module)[0]) == anonymous(schedules(3)[1])


@pytest.mark.parametrize("candidates", [1, 12])
def test_without_a_gpu_or_a_choice_nothing_happens(candidates: int) -> None:
    module = loops()
    if candidates > 1 and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    TunePass(candidates).apply(Context(), module)
    assert kernels(module)[0].warps is None


def test_kernels_of_unknown_size_are_left_alone() -> None:
    module, measured = loops(dynamic=[{0: "N"}]), Measured(Trial(1.0))
    TunePass(3, measured).apply(Context(), module)
    assert measured.calls == 0 and kernels(module)[0].warps is None


def test_every_choice_can_be_launched() -> None:
    """Each becomes Triton source with a grid of numbers."""
    for kernel in schedules(4):
        launch = launch_of(kernel, "h200")
        assert all(isinstance(n, int) and n > 0 for n in launch.grid) and launch.kernel.entry.options["num_warps"] >= 1


def test_what_is_timed_is_what_will_run() -> None:
    """The untuned schedule's source is that of the compiled program."""
    launch = launch_of(schedules(1)[0], "h200")
    text = str(lower_to(import_callable(softmax, INPUTS, name="main").module, "source"))
    body = text.partition("\n@triton.jit\n")[2]
    assert (
        body
        and Path(launch.kernel.function.fn.__code__.co_filename).read_text().partition("\n@triton.jit\n")[2] == body
    )


def test_schedules_are_timed_with_the_hints_of_their_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a later kernel reads as well has none, neither when it is timed nor when it runs."""
    timed: list[str] = []

    def last_is_fastest(asked: Sequence[Sequence[Sequence[KernelOp]]]) -> list[list[Trial]]:
        timed.extend(str(kernel) for group in asked for program in group for kernel in program)
        return [[Trial(float(len(group) - k)) for k in range(len(group))] for group in asked]

    monkeypatch.setattr("mlc_compiler.tuning.tune.TunePass", partial(TunePass, measure=last_is_fastest))
    inputs = [torch.empty(1 << 14, 1 << 12), torch.empty(1 << 12, 1 << 12)]
    module = import_callable(lambda x, w: x.tanh() @ w + x, inputs, name="main").module
    lower_to(module, "loop", CompilerOptions(mode="max-autotune"))
    found = [str(kernel) for kernel in kernels(module)]
    assert set(found) < set(timed)
    assert ["evict" in text for text in found] == [False, True]


def test_buffers_may_be_broadcast(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a schedule is timed on has the strides of the kernel's buffers, 0 among them, and no zeros."""
    monkeypatch.setattr(measuring, "DEVICE", "cpu")
    state = torch.get_rng_state()
    kinds = (((64, 8), (0, 1)), ((64, 8), (8, 1)), ((4, 8), (1, 4)), ((0, 8), (8, 1)))
    for shape, strides in kinds:
        type_ = buffer_type([integer(n) for n in shape], f32, [integer(n) for n in strides])
        made = measuring._buffer(type_, measuring.NO_INDEX, torch.float32)
        assert made.shape == shape and made.stride() == strides and bool((made != 0).all())
    words = measuring._buffer(buffer_type([integer(500)], i64), 7, torch.int64)
    assert set(words.tolist()) == set(range(7))
    assert measuring._buffer(buffer_type([integer(500)], i64), 0, torch.int64).tolist() == [0] * 500
    small = measuring._buffer(buffer_type([integer(5000)], i8), 1000, torch.int8)
    assert int(small.min()) >= 0 and int(small.max()) == 127
    assert set(measuring._buffer(buffer_type([integer(500)], i1), 2, torch.bool).tolist()) == {False, True}
    assert bool((torch.get_rng_state() == state).all())


def test_indices_lead_anywhere() -> None:
    """Gathers are timed on rows all over the table: those that all read the first one would find it in a cache."""
    table, words, flags = torch.randn(50, 8), torch.randint(0, 50, (300,)), torch.rand(300, 1) < 0.5
    found = import_callable(lambda t, w, f: torch.where(f, t[w], t[(w + 1) % 30]), (table, words, flags), name="main")
    module = found.module
    lower_to(module, "loop")
    (kernel,) = kernels(module)
    limits = measuring.limits_of(kernel)
    assert [(buffer_element(value.type), limit) for value, limit in limits.items()] == [(i64, 50)]


def test_modes_are_those_of_torch_compile() -> None:
    compiled = torch.compile(softmax, backend=compile_graph_module, mode="max-autotune-no-cudagraphs")
    torch.testing.assert_close(compiled(INPUTS[0]), softmax(INPUTS[0]))
    assert CompilerOptions(mode="max-autotune").candidates > CompilerOptions().candidates
    with pytest.raises(MlcError, match="no mode 'fast'"):
        CompilerOptions(mode="fast")


@pytest.mark.gpu
def test_on_a_gpu_a_schedule_is_measured(tmp_path: Path) -> None:
    x = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    compiled = torch.compile(softmax, backend=compile_graph_module, mode="max-autotune-no-cudagraphs", dynamic=False)
    torch.testing.assert_close(compiled(x), softmax(x))
    assert list(tmp_path.glob("tuned_*"))


@pytest.mark.parametrize(
    ("forms", "function", "fields"),
    [
        (TileTransposePass(), lambda x: torch.relu(x.t().contiguous()), {"tile"}),
        (PersistentRowsPass(), lambda x: (x.sum(1), x.sum(0)), {"programs", "block"}),
        (PartitionRowsPass(), lambda x: x.sum(), {"part"}),
    ],
)
def test_forms_are_timed(forms: FormPass, function: object, fields: set[str]) -> None:
    """Of those that the model ranks the fastest is taken, here the last; each runs as the kernels that it leads to."""
    module, tried = loops(function), list[int]()

    def last(asked: Sequence[Sequence[Sequence[KernelOp]]]) -> list[list[Trial]]:
        (group,) = asked
        assert all(kernel.warps is not None for program in group for kernel in program)
        tried.append(len(group))
        return [[Trial(1.0 / (place + 1)) for place in range(len(group))]]

    (kernel, *_) = (k for k in kernels(module) if forms.is_open(k))
    ranked = forms.ranked(kernel)
    TuneFormsPass(3, last, forms=forms).apply(Context(), module)
    assert tried == [min(3, len(ranked))]
    assert kernel.schedule == ranked[tried[0] - 1][1]
    assert kernel.schedule is not None and fields <= set(kernel.schedule.values)
