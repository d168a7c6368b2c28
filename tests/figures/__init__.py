"""How well tables and games that nobody tuned to are seen and ruled: `python -m tests.figures`.

Seeds 0 to 199 were looked at while the seeing was being tuned; figures that are told to others use seeds from 1000.
"""

from tests.figures.summary import wilson
from tests.figures.tables import TableFigures, deck_of, judge_table

__all__ = ["TableFigures", "deck_of", "judge_table", "wilson"]
