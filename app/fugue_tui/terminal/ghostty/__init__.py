"""The default engine: libghostty-vt through pyghostty's native library."""
