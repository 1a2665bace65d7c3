"""Candidates of a nano set: made by the published protocol, described, and checked before publishing."""
