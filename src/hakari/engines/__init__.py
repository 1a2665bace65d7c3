"""Where work runs: this process, or a cluster."""
