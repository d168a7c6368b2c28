"""How the networks in `models/` are made. Needs PyTorch (see `models/README.md`); nothing at run time imports this."""
