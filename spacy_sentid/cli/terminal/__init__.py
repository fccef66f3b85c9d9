"""What the commands print: texts with their units, tables, help, and a pager.

In: units, tables and texts. Out: lines that fit the terminal.
Read in this order: printing, columns, layout, pager, standard_output, help.
"""
