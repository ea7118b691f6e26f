"""
The text form of `cuda_tile`: reading it, and writing what the public tools write.

Modules:

    parser: The text front end
"""
