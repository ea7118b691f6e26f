"""
From a kernel of tile ops to agents: warp specialization and software pipelining.

Modules:

    agents: Warp specialization: a kernel as two agents
    clusters: Tiles that the CTAs of a cluster multicast to each other
    joined_loops: Software pipelining across two loops, such as those of causal attention
    loads_ahead: Loads by consumer warps, some iterations ahead of their use
    mma_agent: The MMA agent: one warp that issues the dots by `tcgen05`
    producer_tiles: Tiles of producer threads: addresses and masks of what they copy by `cp.async`
    software_pipelining: Software pipelining
    staged_conversions: Layout conversions of what is computed from a tile in a buffer stage
    stages: Assigns pipeline stages to the ops of a loop
    turns: Consumer warpgroups that issue WGMMAs in turns
"""
