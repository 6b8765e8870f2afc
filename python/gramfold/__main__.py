"""`python -m gramfold` is the command-line program."""

import sys


def main() -> int:
    """Run the program with the arguments of this process; the exit code."""
    raise NotImplementedError


if __name__ == "__main__":
    sys.exit(main())
