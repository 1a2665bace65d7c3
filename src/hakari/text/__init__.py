"""From texts to terms: scanning for words, and tokenizers by name."""
