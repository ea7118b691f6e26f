"""From a kernel of tile ops to agents: what is loaded ahead, by whom, and when dots run."""
