"""The part of the catalogue that is asked: the sessions under some roots, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.catalogue.columns import Columns
from pollux.marks.store import MarkState

BEST_FIRST = "{0}kind='prompts', {0}moment DESC, {0}key DESC, {0}messages DESC, {0}root DESC"
WORST_FIRST = "{0}kind='prompts' DESC, {0}moment, {0}key, {0}messages, {0}root"
"""The order of copies of one session under several roots: a conversation before typed lines, then the last one used.

Of two copies with the same time the longer one comes first: the other was cut.
"""


class CatalogueScope:
    """The sessions under some roots.

    `unread_ids` are those of sessions that are not read yet, in order. Without `is_complete`, there may be more.
    `columns` keeps what was read for earlier questions.
    """

    def __init__(  # noqa: PLR0913
        self,
        catalogue: Catalogue,
        roots: Iterable[tuple[str, str]],
        marks: Callable[[], MarkState] = MarkState,
        *,
        unread_ids: Sequence[str] = (),
        is_complete: bool = True,
        columns: Columns | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.columns = columns if columns is not None else Columns()
        self.marks = marks
        self._unread_ids = unread_ids
        self.is_complete = is_complete
        self._roots = [number for agent, path in roots if (number := catalogue.root(agent, path)[0])]
        # In a query by id, `+` prevents SQLite from scanning whole roots instead.
        self.here = f"root IN ({', '.join(map(str, self._roots))})"
        order = "({0}.kind != 'prompts', COALESCE({0}.moment, -1 << 62), {0}.messages, {0}.root)"
        better = f"o.id=s.id AND o.key=s.key AND +o.{self.here} AND {order.format('o')} > {order.format('s')}"
        # Chooses one of the rows `s` of a session under several roots.
        self.preferred = f"+s.{self.here} AND NOT EXISTS (SELECT 1 FROM sessions o WHERE {better})"
