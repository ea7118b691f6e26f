"""From a kernel of tile ops to agents: warp specialization and software pipelining."""
