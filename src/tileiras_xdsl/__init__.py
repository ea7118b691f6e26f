"""An open Tile IR compiler on xDSL; importing the package imports nothing else."""

__version__: str


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tileiras-xdsl")
    except PackageNotFoundError:
        return "0+unknown"
