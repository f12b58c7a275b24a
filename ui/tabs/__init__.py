"""The tabs of the page, one module each: components, and what their events do."""
