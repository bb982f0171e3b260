"""The points that one kernel visits for a group of tensor ops, and whether one kernel can."""
