"""Descriptors: long texts that a model reads in pages."""
