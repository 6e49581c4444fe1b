The third command prints other lines and another exit code; the two after it do not run.

$ echo fine
> fine
$ true
$ printf '%s\n' one two three four five six seven eight nine; echo oops >&2; exit 4
> one
> two
> three
> FOUR
> five
> six
> seven
> eight
> ni[...]
> ten
? 3
$ echo "never run"
> something else
$ echo "never run"
> something else
