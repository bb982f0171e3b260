"""One level to the next: FX to tensor, tensor to loop, loop to Triton, Triton to source."""
