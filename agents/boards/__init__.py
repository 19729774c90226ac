"""The boards: tables and plots made from results files and from nothing else."""
