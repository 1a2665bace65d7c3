"""`python -m hakari`."""

from hakari.cli import main

main()
