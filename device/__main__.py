"""`python -m device` is the `kibitz` command."""

from device.cli import main

main()
