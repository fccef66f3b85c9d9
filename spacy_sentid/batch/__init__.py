"""Big jobs: files in, files out, resumable, on one machine or a cluster.

inputs -> sources -> splits -> documents -> batches -> workers -> shards -> one output

`inputs` finds and opens the files, `split` cuts them into splits, `readers` and `tables` make
documents of a split. The same batches go through local processes and through Ray, so that the
output is the same.
"""
