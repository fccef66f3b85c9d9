"""Print texts with their units, tables and help, through a pager if they are long.

In: units, tables and texts. Out: lines that fit the terminal.
Read in this order: printing, layout, pager, standard_output, help.
"""
