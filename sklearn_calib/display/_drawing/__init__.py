"""Draw reliability diagrams: curves, scales, panels and legends."""
