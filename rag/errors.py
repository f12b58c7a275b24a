"""What can go wrong, by what the caller will do about it.

RagError                    base; the message is one sentence for people
├── InputError              what was given can't be used: mend it and try again      (exit 2)
│   └── ConfigError         a setting is unknown, malformed or missing               (exit 2)
├── NothingIndexed          a source gave no record that could be stored             (exit 1)
├── LibraryError            a library can't be opened, is held, or does not fit      (exit 2)
│   └── VectorsAway         its vectors can't be reached or read                     (exit 2)
└── ModelError              a model or embedding service failed or refused           (exit 2)
    └── ModelInterrupted    the reply broke off; part of it had arrived
"""

from __future__ import annotations


class RagError(Exception):
    """Base of the errors that are for people; `exit_code` is what `rag` ends with."""

    exit_code = 2


class InputError(RagError):
    """Report input that can't be used."""


class ConfigError(InputError):
    """Report a setting that is unknown, malformed or missing."""


class NothingIndexed(RagError):
    """Report that a source gave nothing to store."""

    exit_code = 1


class LibraryError(RagError):
    """Report a library that can't be opened, is held by another process, or does not fit the settings."""


class VectorsAway(LibraryError):
    """Report vectors on a server that is away, or in a folder that is damaged; words can still be searched."""


class ModelError(RagError):
    """Report a model or embedding service that failed; the message never holds a key."""


class ModelInterrupted(ModelError):
    """Report a reply that broke off in the middle."""
