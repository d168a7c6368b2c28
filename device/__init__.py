"""Cameras, footage, journal, screen and the `kibitz` command: the only room that does I/O."""
