"""Nano sets made ready for a hub: their files in one form, their card, and the push."""
