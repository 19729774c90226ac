"""What `benchmarks/throughput.py` is made of."""
