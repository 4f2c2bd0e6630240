# cmake -DIN=page.html -DOUT=page.c -DNAME=page -P embed.cmake: the bytes of IN as a C array NAME, with
# a final zero. (A string literal of that length is beyond what ISO C promises.)
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
  "\n    \\1" bytes "${bytes}")
get_filename_component(source ${IN} NAME)
file(WRITE ${OUT} "// made from ${source}\nextern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes} 0};\n")
