"""Big jobs: files in, files out, resumable, on one machine or a cluster.

inputs -> sources -> splits -> documents -> workers -> shards -> one output

`sources` finds and opens the inputs, `plan` cuts them into splits, `reading` makes documents of a
split. The same splits go through local processes and through Ray, so the output is the same.
"""
