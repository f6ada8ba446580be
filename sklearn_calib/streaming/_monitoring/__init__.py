"""What a monitor is made of: keys, sums of likelihood ratios, evidence and sentences."""
