"""How the null distribution of a statistic is drawn."""
