"""Every kind of block against numbers measured in the engines it comes from."""
