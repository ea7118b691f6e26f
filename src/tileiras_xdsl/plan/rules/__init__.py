"""
Ideas for plans, a file for each.

A rule is a function of a kernel that gives plans: the chosen one, changed in what the idea is
about. Passes find out whether a plan is legal, the cost model whether it pays, so a rule has no
thresholds. A file in this folder that has a function `propose` is a rule.

Modules:

    buffering: Deeper and shallower multi-stage buffers
    clusters: CTAs of a cluster that multicast what they share
    persistence: Persistent kernels, and kernels of one tile block per CTA
    ping_pong: Warpgroups that multiply alternately
    residency: More and fewer CTAs per SM
    splitting: As many threads of an SM, in twice as many CTAs
    width: More and fewer warps per CTA
"""
