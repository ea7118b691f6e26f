"""
From a kernel of tile ops to agents: warp specialization and software pipelining.

Modules:

    agents: Warp specialization: a kernel as two agents
    consumer: The agent of the consumer warps, which computes: what it waits for and when
    ping_pong: Ping-pong scheduling, where consumer warpgroups issue WGMMAs alternately
    producer_tiles: Tiles of producer threads: addresses and masks of what they copy by `cp.async`
    software_pipelining: Software pipelining
    stages: Assigns pipeline stages to the ops of a loop
"""
