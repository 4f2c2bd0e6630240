# A page or a section of the theory that the comment of a header names, as a link to it; Doxygen hands
# every header through this. Titles of groups cannot hold links.
/@name/b
s,\bdoc/\([a-z_-]*\)\.md,<a href="page_\1.html">\1</a>,g
s,\btheory \([0-9][0-9]*\)\.\([0-9][0-9]*\),<a href="page_theory.html#page_theory_\1_\2">&</a>,g
s,\btheory \([0-9][0-9]*\)\([^0-9.]\|\.$\|\. \|$\),<a href="page_theory.html#page_theory_\1">theory \1</a>\2,g
