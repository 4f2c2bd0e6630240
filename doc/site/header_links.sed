# A page that the comment of a header names, as a link to it; Doxygen hands every header through this.
s,\bdoc/\([a-z_-]*\)\.md,<a href="page_\1.html">\1</a>,g
