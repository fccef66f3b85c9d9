"""The output of the commands: texts with their units, tables, help, and a pager.

Input: units, tables and texts. Output: lines that fit the terminal.
Read in this order: printing, columns, layout, pager, standard_output, help.
"""
