"""Where parts of the CUDA toolkit may be: PyPI packages, $CUDA_HOME, and what the user names."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from tileiras_xdsl.backend.errors import MissingToolError


def environment_path(variable: str) -> Path | None:
    """The file that an environment variable names; a variable that names none is an error."""
    value = os.environ.get(variable)
    if not value:
        return None
    path = Path(value)
    if not path.is_file():
        raise MissingToolError(f"{variable} is {value}, which is not a file")
    return path


def nvidia_package_folders() -> Iterator[Path]:
    """The toolkits that NVIDIA's PyPI packages are put together to: `nvidia/cu13`, newest first."""
    spec = importlib.util.find_spec("nvidia")
    roots = () if spec is None else spec.submodule_search_locations or ()
    for root in roots:
        folders = Path(root).glob("cu[0-9]*")
        yield from sorted(folders, key=lambda folder: (len(folder.name), folder.name), reverse=True)
        # Until CUDA 12 every package had a folder of its own.
        yield from (Path(root, name) for name in ("cuda_nvcc",))


def cuda_home_folders() -> Iterator[Path]:
    """The toolkit that $CUDA_HOME names."""
    if home := os.environ.get("CUDA_HOME"):
        yield Path(home)


def program_folders() -> Iterator[str]:
    """Where programs of the toolkit may be: in packages, in $CUDA_HOME, on the PATH."""
    for root in (*nvidia_package_folders(), *cuda_home_folders()):
        yield str(root / "bin")
    yield os.environ.get("PATH", os.defpath)
