"""``python -m attack``; the work is in `attack.run`, which worker processes can import."""

import sys

from attack.run import main

if __name__ == "__main__":
    sys.exit(main())
