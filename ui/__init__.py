"""The page: a Gradio chat over a library of abstracts.

    question -> library.stream -> Exchange -> HTML (render) -> chat and source panel (app)

`inline` turns untrusted text into safe HTML, `render` lays it out, `conversation` is what a visitor's session holds,
`streaming` runs and stops an answer, `app` builds and serves the page.
"""

import os

# Gradio and its hub client read these when they are imported: the page tells nobody that it runs.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
