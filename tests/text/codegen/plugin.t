Plugins: what is said where there is none, or none that can be used.

$ codegen $EXAMPLES/digits/digits.onnx -p contxt
! codegen: unknown plugin "contxt" (did you mean "context"?)
! hint: quern codegen --list-plugins names them; libcontxt-gen.so is looked for in [...]quern/codegen
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p ./libnone-gen.so
! codegen: there is no plugin "./libnone-gen.so"
? 2
$ echo 'not a library' > libtext-gen.so && codegen $EXAMPLES/digits/digits.onnx -p ./libtext-gen.so
! codegen: plugin "text": cannot be loaded: ./libtext-gen.so: [...]
? 4
$ QUERN_CODEGEN_PATH=$PWD codegen --list-plugins | grep -A1 ^text
> text        cannot be used: plugin "text": cannot be loaded: [...]
>             is [...]/libtext-gen.so
$ cat > one.c <<'END'
+ struct table { unsigned size, abi; const char *name; } table = {16, 7, "one"};
+ void *quern_codegen_entry(unsigned abi) { return &table; }
+ END
$ cc -shared -fPIC one.c -o libone-gen.so && QUERN_CODEGEN_PATH=$PWD codegen $EXAMPLES/digits/digits.onnx -p one
! codegen: plugin "one": is for version 7 of the codegen plugin interface, this program has version 1
? 4
