"""llama.cpp's logits of models as an .npz, an array a file, [positions, vocabulary]. Caches are float32 and attention is computed in parts, so that
nothing is rounded. usage: llama_logits.py OUT.npz CONTEXT TURNS FILE.gguf ..., where TURNS is JSON: [{"tokens": [...], "from": 0, "keep": [0, 4]}, ...]; a
turn begins at position "from", and what lies behind that is forgotten."""
import json
import sys

import numpy as np
from llama_cpp import llama_cpp as c

quiet = c.llama_log_callback(lambda *a: None)
c.llama_log_set(quiet, None)
c.llama_backend_init()


def logits(path, length, turns):
    model = c.llama_model_load_from_file(path.encode(), c.llama_model_default_params())
    if not model:
        sys.exit(f"llama.cpp does not load {path}")
    how = c.llama_context_default_params()
    how.n_ctx = length
    how.n_threads = how.n_threads_batch = 1
    how.type_k = how.type_v = 0  # float32
    how.flash_attn_type = 0
    how.swa_full = True
    context = c.llama_init_from_model(model, how)
    count = c.llama_vocab_n_tokens(c.llama_model_get_vocab(model))
    rows = []
    for turn in turns:
        c.llama_memory_seq_rm(c.llama_get_memory(context), 0, turn["from"], -1)
        batch = c.llama_batch_init(len(turn["tokens"]), 0, 1)
        batch.n_tokens = len(turn["tokens"])
        for i, token in enumerate(turn["tokens"]):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, turn["from"] + i, 1, 1
            batch.seq_id[i][0] = 0
        if c.llama_decode(context, batch):
            sys.exit(f"llama.cpp does not run {path}")
        rows += [np.ctypeslib.as_array(c.llama_get_logits_ith(context, i), (count,)).copy() for i in turn["keep"]]
        c.llama_batch_free(batch)
    c.llama_free(context)
    c.llama_model_free(model)
    return np.stack(rows)


out, length, turns = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
np.savez_compressed(out, **{path.rpartition("/")[2].removesuffix(".gguf"): logits(path, length, turns) for path in sys.argv[4:]})
