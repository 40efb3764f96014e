"""``python -m penstock`` is the command line."""

import sys

from penstock.cli.arguments import main

if __name__ == "__main__":
    sys.exit(main())
