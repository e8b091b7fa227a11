"""What we need of the machine: compiled code, threads, files of our own."""
