"""Five invented abstracts that the tests of questions and conversations ask."""

from __future__ import annotations

TIDEWEAVE = (
    "TIDEWEAVE forecasts harbour water levels from sparse gauges. It fuses satellite altimetry with gauge "
    "series through a recurrent filter, because gauges alone miss storm surges. On the SALTMARSH benchmark it "
    "lowers the mean error by 18.4% against the best earlier forecaster. Training needs only 40 gauges. Code "
    "is at https://example.org/tide_weave."
)
GRAINLOC = (
    "GRAINLOC locates grain boundaries in microscope images without any labels. It contrasts rotated copies of "
    "each patch instead of relying on annotated masks. GRAINLOC finds 91.2% of the boundaries and runs 6× "
    "faster than supervised segmentation. It reduces memory use by half."
)
DIALECTS = (
    "We record nine dialects of one alpine valley. The corpus holds 300 hours of speech from 120 speakers. "
    "Speakers older than seventy keep vowels that younger ones have lost."
)
HIVEPLAN = (
    "Existing planners for bee-inspired robot swarms rely on a central map and fail when radio contact is "
    "lost. We propose HIVEPLAN, a planner that lets each robot keep a private map and trade short messages. "
    "With 50 robots, HIVEPLAN covers a field 2.3 times faster than a central planner."
)
CHOIRS = (
    "Choir singers drift in pitch over long pieces. This paper measures the drift of 14 choirs and finds that "
    "it follows the bass section. Rehearsing with a drone tone cuts the drift by 60%."
)
ALL = (TIDEWEAVE, GRAINLOC, DIALECTS, HIVEPLAN, CHOIRS)
