"""Frozen records for modules that must import quickly: `dataclasses` costs more than all else that a client imports."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as record  # pyright: ignore[reportUnusedImport]
    from typing import Any
else:

    def record(*, frozen, slots):
        """Make the annotated names of a class the fields of a record; the class must be a `Record`."""

        def declare(cls):
            cls.fields = {name: getattr(cls, name) for name in cls.__annotations__}
            return cls

        return declare


class Record:
    """A frozen value; every field has a default."""

    fields: "dict[str, Any]"

    def __init__(self, *values: object, **given: object) -> None:
        given |= zip(self.fields, values, strict=False)
        if len(values) > len(self.fields) or not given.keys() <= self.fields.keys():
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(self.fields)}")
        self.__dict__.update(self.fields | given)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"
