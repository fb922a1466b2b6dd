"""What the language server can do, feature by feature: each package that has some declares it in its `feature.py`.

In: the packages that are there.  Out: declarations.  What carries a feature out is named in them and not imported, so
that the answer to `initialize` waits for none of it; of a package that is not there nothing is announced.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Method:
    """How a feature answers an LSP method.

    `by` is the `module:function` that is called with the server and the request's parameters; where it is empty, a
    module of the feature registers the handler itself.  `when` says of the same two whether the feature has anything
    to say, before it is imported.  `options` are what `initialize` answers of the method; of some methods it answers
    nothing where they are None.
    """

    by: str = ""
    when: Callable[[Any, Any], bool] | None = None
    options: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature as its package declares it; places are written `module:attribute`.

    `commands` has the names of a module's `COMMANDS`.  `pages` are documents that editors show as `palimpsest:/KIND/…`,
    each read by a function of the server and the rest of the path.  `extends` has what another feature asks this one,
    by a name that both know.  `programs` are the commands that programs beside the editor may call.  `modules` have a
    `register` that is called with the server.  `begin` is called with the server and its session, once it is imported.

    `is_late`: it is imported when a person first uses it, not behind the answer to `initialize`.
    """

    name: str
    commands: Mapping[str, Sequence[str]]
    methods: Mapping[str, Method] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    extends: Mapping[str, str] = field(default_factory=dict)
    programs: Sequence[str] = ()
    modules: Sequence[str] = ()
    begin: str = ""
    is_late: bool = False

    @property
    def imported(self) -> list[str]:
        """All modules that it names."""
        places = [*self.pages.values(), *self.extends.values(), self.begin, *(one.by for one in self.methods.values())]
        named = [*self.modules, *self.commands, *(place.partition(":")[0] for place in places)]
        return list(dict.fromkeys(filter(None, named)))


@cache
def features() -> tuple[Feature, ...]:
    """Those of the packages that are there, in order of the packages' names, the late ones last."""
    packages = sorted(path.parent.name for path in Path(__file__).parent.glob("*/feature.py"))
    found: list[Feature] = [import_module(f"palimpsest.{name}.feature").FEATURE for name in packages]
    return tuple(sorted(found, key=lambda feature: feature.is_late))
