"""
Pictures of what the compiler does: SVG for notebooks and pages, text for terminals.

    from tileiras_xdsl import visual

    visual.layout_picture(type_of_a_tile).save("layout.svg")
    print(visual.token_graph(module))

Modules:

    collection: Which pictures there are to see after a pass of the pipeline
    graph: Graphs in layers: nodes that may hold other nodes, and edges that point down
    layouts: The layout of a tile as a colour map: which warp, lane and register hold which element
    memory: The shared memory of a kernel, and the live ranges of its buffers
    picture: Pictures, and the canvas that they are drawn on
    roofline: A roofline
    timeline: The schedule of a kernel as a picture: which agent does what, and when
"""

from .collection import collect
from .graph import control_flow, token_graph
from .layouts import layout_picture, shared_picture
from .memory import shared_memory_over_time, tensor_memory_over_time, tensor_memory_picture
from .picture import Picture
from .roofline import roofline
from .timeline import schedule_timeline

__all__ = [
    "Picture",
    "collect",
    "control_flow",
    "layout_picture",
    "roofline",
    "schedule_timeline",
    "shared_memory_over_time",
    "shared_picture",
    "tensor_memory_over_time",
    "tensor_memory_picture",
    "token_graph",
]
