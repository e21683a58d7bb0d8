"""``python -m attack.command_line``; the work is in `attack.command_line.run`, which worker processes can import."""

import sys

from attack.command_line.run import main

if __name__ == "__main__":
    sys.exit(main())
