# Code generated at build time from our own schemas.
