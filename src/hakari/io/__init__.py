"""Files to types and back: the nano layout, BEIR folders, TREC runs and judgements, candidate rankings."""
