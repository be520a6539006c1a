"""`python -m bot`: the command line."""

import gc
import sys

if __name__ == "__main__":
    try:
        from bot.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    code = main()
    gc.freeze()  # else the interpreter looks through all that was imported once more before it ends
    sys.exit(code)
