"""Weigh retrievers."""
