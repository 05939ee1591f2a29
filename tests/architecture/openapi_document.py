"""Prints the OpenAPI document of the server, from which the web application gets its types."""

import json
import sys

from tradewind.api.app import make_app

if __name__ == "__main__":
    json.dump(make_app(None).openapi(), sys.stdout)  # type: ignore[arg-type]
