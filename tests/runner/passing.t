$ echo "line by line"; echo problem >&2; exit 2
> line [...] line
! problem
? 2
