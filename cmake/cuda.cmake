# The CUDA backend: built where the toolkit is found, absent elsewhere.
