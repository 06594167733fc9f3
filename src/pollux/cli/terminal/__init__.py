"""What a terminal needs: widths, colours, tables, a pager, progress."""
