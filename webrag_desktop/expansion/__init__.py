"""Following links to answer a question: how far evidence covers it, which links are worth following, what was visited.

Pure: nothing here fetches, stores or asks a model. The loop over it is in :mod:`webrag_desktop.library.expansion`.
"""
