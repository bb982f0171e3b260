"""The dialect `mlc_tensor`: pure ops on values, and the elementwise table."""
