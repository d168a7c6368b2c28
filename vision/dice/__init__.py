"""Dice: found on any table, their upper faces read, their throws counted."""

from vision.dice.dice import SIX, Die, find_dice, find_on_table
from vision.dice.throws import Throw, ThrowWatch
from vision.dice.track import DiceTracker, TrackedDie

__all__ = ["SIX", "DiceTracker", "Die", "Throw", "ThrowWatch", "TrackedDie", "find_dice", "find_on_table"]
