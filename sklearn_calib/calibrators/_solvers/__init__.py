"""Fits of penalised likelihoods, shared by the calibrators."""
