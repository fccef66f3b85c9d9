"""Print texts with their units, tables and help, through a pager if they are long.

Input: units, tables and texts. Output: lines that fit the terminal.
Read in this order: printing, layout, pager, help.
"""
