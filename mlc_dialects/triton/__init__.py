"""The dialect `mlc_triton`: one op per Triton statement."""
