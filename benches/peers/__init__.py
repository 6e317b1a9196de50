"""Tilewright against other compilers and libraries, in one run on one machine.

    make bench-peers ROWS='matmul-*' THREADS=1,2 ROUNDS=7 PEERS=torch,onnxruntime

Reading order: `rows` (what is measured: one line for a row), `row` (what a line says), `layers` and `models` (the
computations, as modules of PyTorch), `backends` (one file for each library), `worker` (the process that a library runs
in), `fleet` (the processes, from outside), `bench` (a row from beginning to end), `table` (what is printed).

Every library runs in a process of its own, one for each number of threads. All of them are stopped by a signal but the
one whose turn it is, so that no pool of threads that spins takes a core while another is timed. Turns are interleaved:
in a round, every library is timed once. Before anything is timed, each library's results are compared with those of the
same module of PyTorch in float64.
"""
