"""``python -m attack.at_size``; the work is in `attack.at_size.run`, which worker processes can import."""

import sys

from attack.at_size.run import main

if __name__ == "__main__":
    sys.exit(main())
