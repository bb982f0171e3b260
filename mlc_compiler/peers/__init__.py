"""What XLA, TVM and TorchInductor make of a program: the real compilers, on a machine without a GPU.

    PEERS["xla"].real_plan(module, "h200")

Their interfaces are private and change: whatever depends on a version of theirs stands in the worker
of that peer, which runs in a process of its own. One that is missing, fails or crashes is an answer
(`Failure`), never an exception.
"""
