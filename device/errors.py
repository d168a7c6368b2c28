"""What a person is told when something they gave is wrong."""


class UserError(Exception):
    """One clear line for a person: what is wrong, where, and what to do. The command ends with exit code 2."""
