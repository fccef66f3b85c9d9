"""Cache the encoders that spaCy's serializer looks up for each message.

srsly lists its encoders for each message that it packs or unpacks. For that, catalogue iterates
over all registered functions and entry points, which takes 0.2 ms. A Doc with two span groups is
four messages. In `nlp.pipe(n_process=2)`, a worker packs each Doc and the parent unpacks it. So the
lookups took longer than finding the sentences of a short text.
"""

from typing import Any

import catalogue
import srsly


class RememberedList:
    """Replacement of `Registry.get_all` that caches the list until the registry changes."""

    def __init__(self, registry: catalogue.Registry) -> None:
        self._list = registry.get_all
        self._known: tuple[list[Any], dict[str, Any]] = [], {}

    def __call__(self) -> dict[str, Any]:
        """List the registered functions by name."""
        # Entry points do not change while a process runs. Comparing lists by identity takes 4 us.
        registered: list[Any] = [*catalogue.REGISTRY, *catalogue.REGISTRY.values()]
        known, found = self._known
        if registered != known:
            found = self._list()
            self._known = registered, found
        return dict(found)


def remember_encoders() -> None:
    """Make srsly cache its encoders and decoders in this process; later calls do nothing."""
    for registry in (srsly.msgpack_encoders, srsly.msgpack_decoders):
        if not isinstance(registry.get_all, RememberedList):
            registry.get_all = RememberedList(registry)
