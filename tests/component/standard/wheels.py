"""A wheel written by hand, so that tests install something without an index."""

import zipfile
from pathlib import Path


def write_wheel(folder: Path, name: str = "tidewater", version: str = "1.0") -> Path:
    """A package with one module that has a `VERSION`."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    files = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{each},,\n" for each in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as wheel:
        for each, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(each, text)
    return path
