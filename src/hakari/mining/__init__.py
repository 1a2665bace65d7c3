"""Training data: pairs from sources that are not evaluation data, and hard negatives of told kinds."""
