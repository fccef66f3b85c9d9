"""Batch jobs over many files: resumable, on one machine or on a cluster.

inputs -> sources -> documents -> batches -> workers -> shards -> one output

`listing` and `sources` find and open the files, `readers` and `tables` read documents from them.
Local processes and Ray get the same batches, so they write the same output.
"""
