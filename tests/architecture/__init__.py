"""Tests of the shape of the tree: import contracts, sizes, layout. They read the sources, they run none."""
