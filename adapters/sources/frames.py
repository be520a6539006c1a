"""What the two ends of the parsing process say to each other.

A frame is two lengths (4 bytes each, big-endian), then a JSON object, then bytes. A job's object is {"kind", "limits"}
and its bytes the file; an answer's is {"error", "advice"} - both empty where it went well - and its bytes the Markdown.
"""

from __future__ import annotations

import struct

LENGTHS = struct.Struct(">II")
OUT_OF_MEMORY = "It needs more memory than a document may take."
OUT_OF_MEMORY_STATUS = 77
"""The exit status where not even that could be said."""
TOO_DEEP = "It is nested too deeply."
