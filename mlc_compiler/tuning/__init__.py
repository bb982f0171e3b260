"""Schedules measured on the GPU: candidates, timing, what is remembered."""
