"""Looking at many papers side by side: tables, comparisons, neighbours, a map, and ways out for all of them."""
