"""Pure rules: no clock, no input or output, no chance."""
