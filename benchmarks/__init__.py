"""Side-by-side runs of treewright and its peers; see README.md in this folder."""
