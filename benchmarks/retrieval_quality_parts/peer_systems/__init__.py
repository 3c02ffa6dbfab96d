"""Other retrieval systems, run by an interpreter of their own: nothing here imports WebRAG.

``__main__.py`` answers jobs on its standard input; vectors are asked for on its standard output, so that every
system is given those of the same model.
"""
