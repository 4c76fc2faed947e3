"""Figures: from a result of the numbers floor to a plotly figure, which is plain data until a page draws it."""
