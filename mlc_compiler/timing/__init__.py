"""Programs by the clock: each in a process of its own, on the same numbers, beside what mlc computes.

`clock` is how a call is timed, `results` whether two programs compute the same, `built` what mlc runs for a strategy.
The workers (`mlc_worker`, `inductor_worker`, `xla_worker`) each build one program for a request and time it.
"""
