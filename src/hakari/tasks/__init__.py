"""Tasks by name or folder: found, loaded, checked and described."""
