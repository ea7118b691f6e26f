"""
Layouts of `nv_tileas` tensors: which ops are anchors, and how layouts propagate from them.

| file | has |
| --- | --- |
| `bodies` | tiles moved out of the bodies of reductions and scans |
| `../kernel_model/layout_rules` | how the layouts of an op's operands and results relate |
| `inference` | the layout that every value gets |
| `rewriting` | the same function with layouts, and conversions where they disagree |
| `memory_anchors`, `dot_anchors`, `wgmma_layouts` | layouts of accesses and dots |

`tileas-assign-dot-layouts` and `tileas-assign-load-store-layouts` put anchor layouts into
attributes; the latter gives every tensor a layout, `tileas-remove-layout-conversions` propagates
them again, with fewer conversions.
"""
