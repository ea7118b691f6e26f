"""
Plans: what a kernel could be instead, what each would cost, and which is best.

Rules propose plans, each in a file of its own below `rules`; the cost model ranks them for a
launch. `Exploration.plans` shows the table, `Exploration.with_plan` and the pass `tileas-plan` take
one of them.

Modules:

    candidates: The plans that rules propose for a kernel
    ranking: What each plan of a kernel would cost, by the model
    rules: Ideas for plans, a file for each
"""
