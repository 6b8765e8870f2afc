"""`python -m gramfold` is the command-line program."""

import sys

from gramfold import _gramfold


def main() -> int:
    """Run the program with the arguments of this process; the exit code."""
    return _gramfold.main(*sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
