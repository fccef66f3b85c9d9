"""Big jobs: files in, files out, resumable, on one machine or a cluster.

inputs -> sources -> documents -> batches -> workers -> shards -> one output

`listing` and `sources` find and open the files, `readers` and `tables` make documents of them. The
same batches go through local processes and through Ray, so that the output is the same.
"""
