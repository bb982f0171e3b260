"""Loop to Triton: scheduled loops become statements on blocks."""
