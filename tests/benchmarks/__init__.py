"""How fast dpbi is, beside the libraries people use today: `python tests/benchmarks` from the top level.

The peers are installed for this only: `pip install -r tests/benchmarks/requirements.txt`. Nothing here is a test: what
is measured depends on the machine and on what else runs on it, so ratios are formed from times taken in one run, in
alternation, and a row is the median of several repetitions. A limit too is a ratio: to a peer, or to a yardstick (a
loop of Python, a bare page of Streamlit) that is measured in the same run.
"""
