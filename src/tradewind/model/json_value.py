"""What JSON can say: the type of everything whose shape is the author's own."""

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
