"""How reductions are computed: in one pass, in parts, by several programs together."""
