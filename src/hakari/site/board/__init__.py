"""The leaderboard: a page, a program for the browser, and the data that it selects from.

board/index.html      the table of all tasks, readable without JavaScript
board/board.js        the program, compiled from `web/`
board/data/*.js       numbers and texts, as classic scripts that are read when they are needed
"""

from hakari.site.board.write import Board, Scribe, Taken, write_board

__all__ = ["Board", "Scribe", "Taken", "write_board"]
