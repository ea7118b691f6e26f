"""
Layouts of level 2: who decides them, and how they spread.

| file | has |
| --- | --- |
| `bodies` | tiles moved out of the bodies of reductions and scans |
| `rules` | how the layouts of an op's operands and results hang together |
| `inference` | the layout that every value gets |
| `rewriting` | the same function with layouts, and conversions where they disagree |
| `memory_anchors`, `dot_anchors` | layouts that accesses and products ask for |

`tileas-assign-dot-layouts` and `tileas-assign-load-store-layouts` put what anchors ask for into
attributes; the latter gives every tensor a layout, `tileas-remove-layout-conversions` does so
again with fewer conversions.
"""
