"""An example of a plug-in of mlc: everything that a package may add, in a file each."""
