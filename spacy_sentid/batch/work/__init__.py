"""Run a task on documents: in this process, in others, or on a Ray cluster.

Input: documents. Output: the results in the same order, or an error for a document.
Read in this order: work_settings, worker, processes, local, ray_engine, ray_dataset.
"""
