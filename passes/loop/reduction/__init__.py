"""How reductions are computed: in one pass, in parts, or by several programs together."""
