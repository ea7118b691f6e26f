"""
Layouts of `nv_tileas` tensors: which ops are anchors, and how layouts propagate from them.

`tileas-assign-dot-layouts` and `tileas-assign-load-store-layouts` put anchor layouts into
attributes; the latter gives every tensor a layout, `tileas-remove-layout-conversions` propagates
them again, with fewer conversions.

Modules:

    dot_layouts: The layouts of dots: by `mma.sync` and FMAs, by WGMMA, and by `tcgen05`
    inference: Layout propagation: the layout of every value of a kernel; `None` if it is flexible
    memory_layouts: The layouts of memory accesses
    rewriting: Rewrites a kernel with a layout on every tensor
"""
