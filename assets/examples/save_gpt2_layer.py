"""Saves the attention of one layer of a Hugging Face GPT-2 for Headlight: run python3 save_gpt2_layer.py, then
headlight gpt2-layer.npz, and set 12 heads in the chooser. Needs the packages torch, transformers and numpy."""
import numpy as np, torch
from transformers import GPT2Model, GPT2TokenizerFast

layer, text = 5, "Your journey starts with one step"
tokenizer, model = GPT2TokenizerFast.from_pretrained("gpt2"), GPT2Model.from_pretrained("gpt2").eval()
ids, block = tokenizer(text).input_ids, model.h[layer]
with torch.no_grad():
    hidden = model(torch.tensor([ids]), output_hidden_states=True).hidden_states[layer]
    arrays = {"embeddings": block.ln_1(hidden)[0], "mask": torch.ones(len(ids), len(ids)).tril()}
arrays |= {name: value.detach() for name, value in block.attn.named_parameters()}  # c_attn and c_proj
tokens = "\0".join(tokenizer.decode(i) for i in ids).encode()  # as bytes, separated by a byte 0
np.savez("gpt2-layer.npz", tokens=np.frombuffer(tokens, np.uint8), **{n: a.numpy() for n, a in arrays.items()})
