"""`python -m bot`: the command line."""

import sys

if __name__ == "__main__":
    try:
        from bot.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(main())
