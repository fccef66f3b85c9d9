"""Reports: the JSON files of evaluations and studies as one page of tables and charts.

files -> sources -> sections by kind -> page, figure files
"""
