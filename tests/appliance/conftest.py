"""What the tests of an appliance share with those of the device room."""

from tests.device.conftest import clip, fake_game, home, recording

__all__ = ["clip", "fake_game", "home", "recording"]
