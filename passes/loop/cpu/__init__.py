"""Schedules of loops for CPUs: what LLVM's vectoriser and a few threads need."""
