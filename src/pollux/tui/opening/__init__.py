"""The first screen: it is on the terminal before Textual, which takes longer to import than all the rest, is there."""
