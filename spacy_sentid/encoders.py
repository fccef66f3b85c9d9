"""Remember the encoders that spaCy's serializer looks up for each message.

For each message that srsly packs or unpacks, it lists its encoders, and catalogue goes through all
registered functions and entry points for that: 0.2 ms. A Doc with two span groups is four messages.
In `nlp.pipe(n_process=2)` each Doc is packed by a worker and unpacked by the parent, and these
lookups took longer than finding the sentences of a short text.
"""

from typing import Any

import catalogue
import srsly


class RememberedList:
    """Lists what is registered, as `Registry.get_all` does, and again only after a change."""

    def __init__(self, registry: catalogue.Registry) -> None:
        self._list = registry.get_all
        self._known: tuple[list[Any], dict[str, Any]] = [], {}

    def __call__(self) -> dict[str, Any]:
        """List the functions by name."""
        # Entry points do not change while a process runs. Lists are compared by identity: 4 us.
        registered: list[Any] = [*catalogue.REGISTRY, *catalogue.REGISTRY.values()]
        known, found = self._known
        if registered != known:
            found = self._list()
            self._known = registered, found
        return dict(found)


def remember_encoders() -> None:
    """Remember srsly's encoders and decoders in this process; calls after the first do nothing."""
    for registry in (srsly.msgpack_encoders, srsly.msgpack_decoders):
        if not isinstance(registry.get_all, RememberedList):
            registry.get_all = RememberedList(registry)
