"""What a terminal needs: the screen, a pager, progress, questions."""
