"""Shows attention in Headlight's window, or as a figure in a notebook, and runs whole models. Needs NumPy only.

    import headlight
    headlight.show(attentions, tokens)               weights: Tq x Tk, H x Tq x Tk or B x H x Tq x Tk; a list: layers
    headlight.show(q=q, k=k, v=v, tokens=tokens)     T x d, H x T x d or B x H x T x d; k and v may have fewer heads
    headlight.show(outputs.attentions, tokens)       also of generate(): its steps are joined to one matrix per layer
    headlight.show(multihead_attention, x)           a torch.nn.MultiheadAttention and its input
    headlight.show("attentions.npy")                 a file that the program opens
    headlight.figure(attentions, tokens)             an SVG or PNG, which a notebook shows

    with headlight.capture(model) as captured:       any PyTorch model
        model(inputs)
    headlight.show(captured, tokens, layer=3)

    m = headlight.Model("gpt2/")                     a whole model, in a process that stays
    m.run("The cat sat")["logits"]                   also residual, weights, context, mlp
    m.ask("lens", text="The cat sat").tables         the questions of `headlight ask`
    m.patches("The cat sat", from_="The dog sat")    attribution patching; m.gradients(text)

Arrays may be NumPy's, PyTorch's, or lists. The program `headlight` is the one that the environment variable HEADLIGHT
names; otherwise it is searched on PATH, then relative to this file: in bin/ of its installation, in the build folders
of its source. Input that it refuses raises HeadlightError, whose short name is Error.
"""
import collections
import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref

import numpy as np

__all__ = ["show", "figure", "capture", "Model", "Result", "Table", "Arrays", "Error", "HeadlightError"]


class HeadlightError(Exception):
    """The input is no attention, or the program refuses it; the message is then the program's. what, where and hint:
    its parts, if it is about a model; where and hint may be empty."""

    def __init__(self, what, where="", hint=""):
        self.what, self.where, self.hint = what, where, hint
        super().__init__((f"{where}: " if where else "") + what + (f" ({hint})" if hint else ""))


Error = HeadlightError


# ---- the program

def program():
    """The path of the program. Raises HeadlightError if there is none."""
    named = os.environ.get("HEADLIGHT")
    if named:
        if os.access(named, os.X_OK) and os.path.isfile(named):
            return os.path.abspath(named)  # absolute, because the window starts in another folder
        raise HeadlightError(f"HEADLIGHT is {named}, which is no program")
    found = shutil.which("headlight")
    if found:
        return found
    folder = pathlib.Path(__file__).resolve().parent
    places = [folder.parents[2] / "bin"] if len(folder.parents) > 2 else []
    places += [folder.parents[1] / "build" / kind / "app" for kind in ("release", "ci", "debug")]
    for place in places:
        if os.access(place / "headlight", os.X_OK):
            return str(place / "headlight")
    raise HeadlightError("the program headlight is not on PATH: install it, or set HEADLIGHT to where it is")


def _run(command, path, *arguments):
    arguments = [command, path, *arguments]
    done = subprocess.run([program(), *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0 and command == "print":  # so that notes on the input appear once
        for line in done.stderr.replace(f"{path}: ", "").strip().splitlines():
            print(line, file=sys.stderr)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        said = lines[-1].removeprefix("headlight: ").replace(f"{path}: ", "") if lines else "it ended without a word"
        raise HeadlightError(said)


# ---- sessions

def _array(value):
    """The value as a float32 array of NumPy; PyTorch's tensors may be on any device."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    try:
        return np.ascontiguousarray(value, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise HeadlightError(f"a {type(value).__name__} is no array of numbers: {error}") from None


def _finite(array, name):
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise HeadlightError(f"{name}[{', '.join(map(str, place))}] is {array[place]}: every number must be finite")
    return array


def _ranked(array):
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def _four_axes(value, name, may_be_nan=False):
    """The value with four axes, all finite. may_be_nan: whole rows of NaN are allowed, the softmax of masked rows."""
    array = _array(value)
    if not 2 <= array.ndim <= 4:
        raise HeadlightError(f"{name} has the shape {array.shape}: expected 2 to 4 axes, B x H x rows x columns")
    rows = np.isnan(array).all(-1, keepdims=True) if may_be_nan else False
    _finite(np.where(rows, 0, array), name)
    return _ranked(array)


def _say(note):
    print(f"headlight: {note}", file=sys.stderr)


# The axes of an array by layout, in the order B, H, T, d (or H, T, d).
_LAYOUTS = {"bhtd": (0, 1, 2, 3), "bthd": (0, 2, 1, 3), "htd": (0, 1, 2), "thd": (1, 0, 2)}


def _rearranged(arrays, layout):
    """q, k and v, all of this layout, as B x H x T x d."""
    if layout not in _LAYOUTS:
        raise HeadlightError(f"layout={layout!r} is none of {', '.join(_LAYOUTS)}")
    for array, name in zip(arrays, "qkv"):
        if array.ndim != len(layout):
            raise HeadlightError(f"{name} has the shape {array.shape}, and layout={layout!r} names {len(layout)} axes")
    return [_ranked(array.transpose(_LAYOUTS[layout])) for array in arrays]


def _agree(arrays, token_counts):
    """Whether q, k and v (B x H x T x d) fit together, and have these numbers of queries and keys (None: any)."""
    q, k, v = arrays
    return (q.shape[1] % k.shape[1] == 0 and k.shape[1] == v.shape[1] and k.shape[2] == v.shape[2]
            and q.shape[3] == k.shape[3]
            and all(count is None or count == array.shape[2] for count, array in zip(token_counts, (q, k))))


def _arranged(q, k, v, layout, token_counts):
    """q, k and v as B x H x T x d. Raises if heads may be before or after tokens and `layout` does not say which."""
    arrays = [_finite(_array(value), name) for value, name in ((q, "q"), (k, "k"), (v, "v"))]
    if layout is not None:
        return _rearranged(arrays, layout)
    first = [_four_axes(array, name) for array, name in zip(arrays, "qkv")]
    axes = arrays[0].ndim
    if axes == 2 or any(array.ndim != axes for array in arrays):
        return first
    usual, other = ("bhtd", "bthd") if axes == 4 else ("htd", "thd")
    swapped = _rearranged(arrays, other)
    if not _agree(swapped, token_counts):
        return first
    # Three axes are documented as H x T x d, and are ambiguous only if the numbers of tokens contradict this.
    if (axes == 4 and first[0].shape[1:3] != (1, 1)) or not _agree(first, token_counts):
        raise HeadlightError(f"q has the shape {arrays[0].shape}, which may be {' x '.join(usual)} or {' x '.join(other)}: "
                             f"say layout={usual!r} or layout={other!r}")
    return first


# ---- masks

def _looks_reversed(allowed):
    """Whether a mask (.. x Tq x Tk of bool) allows mostly later keys: then True probably means forbidden."""
    rows, columns = allowed.shape[-2:]
    if rows < 2 or (allowed == allowed[..., :1, :]).all():
        return False  # equal for every query: a padding mask
    behind = np.arange(columns) > np.arange(rows)[:, None] + max(columns - rows, 0)
    return (allowed & behind).sum() > (allowed & ~behind).sum()


def _mask_axes(array, name, sizes):
    """A mask or bias with four axes, each 1 or of the size B, H, Tq, Tk. B x Tk is padding; (B H) x Tq x Tk is a
    format of torch.nn."""
    batch, heads, queries, keys = sizes
    as_pairs, as_padding = array.shape == (queries, keys), array.shape == (batch, keys)
    if as_pairs and as_padding and batch > 1:
        raise HeadlightError(f"{name} has the shape {array.shape}, which is queries x keys and sequences x keys: give it "
                             "four axes, [None, None] or [:, None, None]")
    if array.ndim == 2 and as_padding and not as_pairs:
        return array[:, None, None]
    if array.ndim == 3 and batch > 1 and array.shape[0] == batch * heads:
        return array.reshape((batch, heads) + array.shape[1:])
    if array.ndim == 3 and batch > 1 and array.shape[0] == batch and heads != batch:
        return array[:, None]
    four = _ranked(array) if array.ndim <= 4 else array
    if array.ndim > 4 or any(one not in (1, size) for one, size in zip(four.shape, sizes)):
        raise HeadlightError(f"{name} has the shape {array.shape}: expected queries x keys, which is {queries} x {keys}, "
                             f"sequences x keys, {batch} x {keys}, or B x H x Tq x Tk, {batch} x {heads} x {queries} x {keys}")
    return four


def _plain(value):
    """The value as an array of NumPy with its own type."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value.float() if value.is_floating_point() else value).numpy()
    return np.asarray(value)


def _mask_or_bias(mask, mask_true, sizes):
    """(allowed pairs, added scores), one of them None. In bools and in 0 and 1 True means allowed, unless mask_true is
    "forbidden". Other floats are added to the scores."""
    array = _plain(mask)
    if array.dtype.kind not in "buif":
        raise HeadlightError(f"mask holds {array.dtype}: expected bools, 0 and 1, or numbers that are added to the scores")
    if mask_true not in (None, "allowed", "forbidden"):
        raise HeadlightError(f"mask_true={mask_true!r} is neither 'allowed' nor 'forbidden'")
    array = _mask_axes(array, "mask", sizes)
    is_choice = array.dtype.kind == "b" or bool(((array == 0) | (array == 1)).all())
    if array.dtype.kind == "f" and not array.any():
        is_choice = False  # floats of 0 only: a bias without effect
    if not is_choice:
        if np.isnan(array).any() or (array == np.inf).any():
            raise HeadlightError("mask holds NaN or infinity: expected bools, 0 and 1, or numbers that are added to the scores")
        if array.dtype.kind != "f" or mask_true is not None:
            raise HeadlightError("mask holds other numbers than 0 and 1: what is added to the scores is given as floats, "
                                 "without mask_true")
        return None, array.astype(np.float32)
    allowed = array.astype(bool)
    if mask_true == "forbidden":
        allowed = ~allowed
    elif mask_true is None and not allowed.any():
        raise HeadlightError("mask has no True, with which no query may attend to anything; if True means forbidden, say "
                             "mask_true='forbidden'")
    elif mask_true is None and _looks_reversed(allowed):
        raise HeadlightError("mask has its True where a query would see what comes and not what was; here True means that a "
                             "query may attend, in torch.nn that it may not: say mask_true='forbidden' or mask_true='allowed'")
    return allowed, None


def _causal_mask(queries, keys, offset):
    """The session's causal mask. offset: keys before the first query; by default the queries are the last tokens."""
    if offset is None:
        offset = max(keys - queries, 0)
    offset = np.asarray(offset).tolist()
    return {"causal": True, "offset": offset} if offset != 0 else "causal"


class _Rules:
    """Options beside queries and keys, or beside a layer: causal, offset, scale, mask, mask_true, bias."""

    def __init__(self, causal=False, offset=None, scale=None, mask=None, mask_true=None, bias=None):
        self.causal, self.offset, self.scale = causal, offset, scale
        self.mask, self.mask_true, self.bias = mask, mask_true, bias

    def given(self):
        return [name for name, value in vars(self).items() if value is not None and value is not False]

    def counts(self):
        """The numbers of queries and keys in the shape of the mask or the bias; None if it has none."""
        for value in (self.mask, self.bias):
            shape = np.shape(value) if value is not None and not hasattr(value, "detach") else getattr(value, "shape", ())
            if len(shape) >= 2:
                pairs = [None if one == 1 else int(one) for one in shape[-2:]]
                return (pairs if len(shape) > 2 else (None, pairs[1]))
        return (None, None)

    def settings(self, sizes):
        """The settings of a session, with arrays in place of files. sizes: B, H, Tq, Tk."""
        if self.offset is not None and not self.causal:
            raise HeadlightError("offset says where the queries of a causal mask stand: give causal=True with it")
        if self.mask_true is not None and self.mask is None:
            raise HeadlightError("mask_true says what True means in a mask: give mask=... with it")
        settings, added = {}, None
        rules = _causal_mask(sizes[2], sizes[3], self.offset) if self.causal else None
        if self.mask is not None:
            allowed, added = _mask_or_bias(self.mask, self.mask_true, sizes)
            if allowed is not None:
                rules = {**({"causal": True} if rules == "causal" else rules or {}), "allowed": allowed.astype(np.uint8)}
        if rules is not None:
            settings["mask"] = rules
        if self.bias is not None:
            bias = _mask_axes(_array(self.bias), "bias", sizes)
            if np.isnan(bias).any() or (bias == np.inf).any():
                raise HeadlightError("bias holds NaN or infinity: only -inf may stand in it")
            added = bias if added is None else added + bias
        if added is not None:
            settings["bias"] = added
        if self.scale is not None:
            settings["scale"] = self.scale
        return settings


def _labels(tokens, count, letter):
    if tokens is None:
        return [f"{letter}{i}" for i in range(count)]
    return [str(token) for token in tokens]


class _Session:
    """A session and the arrays that it refers to."""

    def __init__(self, title):
        self.arrays = {}
        self.fields = {"format": "headlight-session", "version": 1, "title": title}

        self.layers = None  # the weights of all layers for switching in the window; the session itself has the first

    def file(self, name, array):
        self.arrays[name] = array
        return {"file": "arrays.npz", "name": name}

    def placed(self, settings):
        """The settings with their arrays as references to files."""
        settings = dict(settings)
        if "bias" in settings:
            settings["bias"] = self.file("bias", settings["bias"])
        if isinstance(settings.get("mask"), dict) and "allowed" in settings["mask"]:
            settings["mask"] = {**settings["mask"], "allowed": self.file("allowed", settings["mask"]["allowed"])}
        return settings

    def label(self, queries, keys, tokens, key_tokens):
        self.fields["tokens"] = _labels(tokens, queries, "")
        if key_tokens is not None or keys != queries:
            self.fields["key_tokens"] = _labels(key_tokens, keys, "k")

    def save(self, folder):
        """Writes both, lets the program compute a stage, which raises errors, and returns the session's path."""
        np.savez(folder / "arrays.npz", **self.arrays)
        path = folder / "session.headlight"
        path.write_text(json.dumps(self.fields), encoding="utf-8")
        attention = self.fields["attention"]
        few = attention["projection"] != "weights" or "value" in self.fields["given"]
        _run("print", path, "--stage", "context" if few else "weights", "--head", 0)
        return path

    def opened(self, folder):
        """The arguments of the program that open the session in a window."""
        path = self.save(folder)
        if self.layers is None:
            return [path]
        np.savez(folder / "layers.npz", attentions=self.layers)
        return ["--apply", path, folder / "layers.npz"]


_EAGER = ("the model has kept its weights to itself: load it with attn_implementation=\"eager\" and call it with "
          "output_attentions=True")


def _is_averaged(weights):
    """Whether autograd's graph shows a mean over heads, as torch.nn.MultiheadAttention returns it."""
    made = getattr(weights, "grad_fn", None)
    names = [type(made).__name__] + [type(one).__name__ for one, _ in getattr(made, "next_functions", ()) if one is not None]
    return names[0].startswith("MeanBackward") or (names[0] == "DivBackward0" and names[1:2] == ["SumBackward1"])


def _weight_axes(weights, layout):
    """The weights as B x H x Tq x Tk. Three axes are H x Tq x Tk ("hqk"), or B x Tq x Tk with layout="bqk"."""
    if layout not in (None, "hqk", "bqk"):
        raise HeadlightError(f"layout={layout!r} is none of weights: hqk, or bqk for one matrix of each sequence")
    array = _four_axes(weights, "the weights", may_be_nan=True)
    if getattr(weights, "ndim", 0) != 3:
        if layout is not None:
            raise HeadlightError(f"layout={layout!r} names 3 axes, the weights have the shape {tuple(np.shape(weights))}")
        return array
    averaged = "averaged over the heads, as torch.nn.MultiheadAttention returns them without average_attn_weights=False"
    if layout is None and array.shape[1] > 1 and _is_averaged(weights):
        raise HeadlightError(f"the weights are {averaged}: their first axis is the sequences', layout='bqk'; "
                             "layout='hqk' takes it for heads all the same")
    if layout is None and array.shape[1] > 1:
        _say(f"{array.shape[1]} x {array.shape[2]} x {array.shape[3]} is taken as {array.shape[1]} heads; weights that are "
             f"{averaged}, are layout='bqk'")
    return array.transpose(1, 0, 2, 3) if layout == "bqk" else array


def _weights_session(weights, values, tokens, key_tokens, title, layout=None):
    weights = _weight_axes(weights, layout)
    session = _Session(title)
    session.label(weights.shape[2], weights.shape[3], tokens, key_tokens)
    session.fields["attention"] = {"projection": "weights", "num_heads": weights.shape[1]}
    session.fields["given"] = {"weights": session.file("weights", weights)}
    if values is not None:
        session.fields["given"]["value"] = session.file("value", _values_beside(weights, values))
    return session


def _values_beside(weights, values):
    v, keys = _four_axes(values, "v"), weights.shape[3]
    if v.shape[2] != keys and v.shape[1] == keys:
        raise HeadlightError(f"v has the shape {tuple(np.shape(values))}, and the weights have {keys} keys: its heads come "
                             "first, v.transpose(-3, -2)")
    return v


def _qkv_session(q, k, v, tokens, key_tokens, title, settings):
    """A session of q, k and v (B x H x T x d). settings: further fields of its "attention"."""
    session = _Session(title)
    session.label(q.shape[2], k.shape[2], tokens, key_tokens)
    heads, groups = q.shape[1], k.shape[1]
    attention = {"projection": "none", "num_heads": heads, "num_kv_heads": groups, "d_k": q.shape[3], "d_v": v.shape[3],
                 "d_out": heads * v.shape[3], **session.placed(settings)}
    session.fields["attention"] = attention
    session.fields["given"] = {name: session.file(name, array) for name, array in (("query", q), ("key", k), ("value", v))}
    return session


def _given_session(q, k, v, tokens, key_tokens, title, rules, layout):
    if q is None and k is None and v is None:
        raise HeadlightError(f"there are no weights, it is None: {_EAGER}; or give all of q, k and v")
    if q is None or k is None or v is None:
        raise HeadlightError("give all of q, k and v")
    counts = [len(told) if told is not None else said for told, said in zip((tokens, key_tokens), rules.counts())]
    q, k, v = _arranged(q, k, v, layout, counts)
    settings = rules.settings((q.shape[0], q.shape[1], q.shape[2], k.shape[2]))
    return _qkv_session(q, k, v, tokens, key_tokens, title, settings)


def _is_layer(value):
    return hasattr(value, "in_proj_weight") and hasattr(value, "out_proj") and hasattr(value, "num_heads")


def _sequences(x, layer):
    """The input x of a torch.nn.MultiheadAttention as B x T x d."""
    x = _array(x)
    if x.ndim == 2:
        return x[None]
    if x.ndim != 3:
        raise HeadlightError(f"the layer's input has the shape {x.shape}: expected T x d or B x T x d")
    return x if layer.batch_first else np.ascontiguousarray(x.swapaxes(0, 1))


def _layer_session(layer, x, keys, tokens, key_tokens, title, rules):
    if x is None:
        raise HeadlightError("give the layer's input too: show(layer, x)")
    if layer.bias_k is not None or layer.add_zero_attn:
        raise HeadlightError("layers with bias_k or add_zero_attn have a key that is no token: show their weights instead")
    x, y = _sequences(x, layer), None if keys is None else _sequences(keys, layer)
    session = _Session(title)
    keys_count = (x if y is None else y).shape[1]
    settings = rules.settings((x.shape[0], layer.num_heads, x.shape[1], keys_count))
    session.label(x.shape[1], keys_count, tokens, key_tokens if y is not None else None)
    if y is not None and "key_tokens" not in session.fields:
        session.fields["key_tokens"] = _labels(None, y.shape[1], "k")
    width = layer.embed_dim
    parts = [layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight]
    if layer.in_proj_weight is not None:
        parts = np.split(_array(layer.in_proj_weight), 3)
    has_bias = layer.in_proj_bias is not None
    session.fields["attention"] = {"projection": "linear", "d_out": width, "num_heads": layer.num_heads,
                                   "qkv_bias": has_bias, "output_projection": True, **session.placed(settings)}
    session.fields["embeddings"] = session.file("embeddings", x)
    if y is not None:
        session.fields["key_embeddings"] = session.file("key_embeddings", y)
    weights = session.fields["weights"] = {"layout": "out_in"}
    for name, part in zip(("query", "key", "value"), parts):
        weights[name] = session.file("W_" + name, _array(part))
    if has_bias:
        for name, part in zip(("query", "key", "value"), np.split(_array(layer.in_proj_bias), 3)):
            weights[name + "_bias"] = part.tolist()
    weights["output"] = session.file("W_output", _array(layer.out_proj.weight))
    bias = layer.out_proj.bias
    weights["output_bias"] = [0.0] * width if bias is None else _array(bias).tolist()
    return session


def _joined_steps(steps):
    """The result of generate(), a tuple of layers for each step, as one array per layer: each step adds its queries."""
    if len({len(step) for step in steps}) != 1:
        raise HeadlightError("the steps of generate() have different numbers of layers: show one of them")
    return [_joined_layer([_array(step[at]) for step in steps], at) for at in range(len(steps[0]))]


def _joined_layer(parts, at):
    if any(part.ndim != 4 or part.shape[:2] != parts[0].shape[:2] for part in parts):
        raise HeadlightError(f"the steps of generate() differ in layer {at}: "
                             + ", ".join(str(part.shape) for part in parts[:4]) + ": expected B x H x Tq x Tk of the same B and H")
    rows = np.cumsum([part.shape[2] for part in parts])
    widths = [part.shape[3] for part in parts]
    grows = all(width == widths[0] - parts[0].shape[2] + end for width, end in zip(widths, rows))
    if not grows and len(set(widths)) != 1:
        step = next(i for i, width in enumerate(widths) if width != widths[0] - parts[0].shape[2] + rows[i])
        raise HeadlightError(f"step {step} of generate() has {widths[step]} keys in layer {at}, expected "
                             f"{widths[0] - parts[0].shape[2] + rows[step]}: a cache that forgets keys cannot be joined; show one step")
    joined = np.zeros((*parts[0].shape[:2], rows[-1], max(widths)), np.float32)
    for part, end in zip(parts, rows):
        joined[:, :, end - part.shape[2]:end, :part.shape[3]] = part
    return joined


def _require_kept(layers):
    """Raises if layers, or layers of steps, are None: fused kernels return no weights."""
    for at, one in enumerate(layers):
        inner = list(one) if isinstance(one, (list, tuple)) else [one]
        if any(value is None for value in inner):
            raise HeadlightError(f"the weights at {at} of {len(layers)} are None: {_EAGER}")


def _is_steps(what):
    return isinstance(what, (list, tuple)) and bool(what) and all(
        isinstance(step, (list, tuple)) and step and getattr(step[0], "ndim", 0) == 4 for step in what)


def _layers_of(what):
    """The list of layers in the argument of show(); None if it is a single one."""
    if isinstance(what, _Captured):
        if not what.layers:
            raise HeadlightError("nothing was captured: call the model inside of `with headlight.capture(model)`, "
                                 "with output_attentions=True where it has that")
        return what.layers
    if isinstance(what, (list, tuple)) and what:
        _require_kept(what)
        if _is_steps(what):
            return _joined_steps(what)
        if getattr(what[0], "ndim", 0) >= 3:
            return list(what)
    if getattr(what, "ndim", 0) == 5:
        return list(what)
    return None


def _all_layers(layers, layout):
    """The weights of all layers as L x B x H x Tq x Tk; None if their shapes differ or a layer has no weights."""
    refused = [one for one in layers if isinstance(one, CapturedLayer) and one.refused]
    if refused:
        shown = [at for at, one in enumerate(layers) if one not in refused]
        raise HeadlightError(f"{refused[0].reason()}" + (f"; layer={shown[0]} can be shown" if shown else ""))
    weights = [one.weights if isinstance(one, CapturedLayer) else one for one in layers]
    if any(one is None for one in weights):
        return None
    weights = [_weight_axes(one, layout) for one in weights]
    return np.stack(weights) if len({one.shape for one in weights}) == 1 else None


def _layered_session(layers, tokens, key_tokens, title, layout):
    """A session with the weights of several layers for switching; None if only one layer can be shown."""
    weights = _all_layers(layers, layout)
    # With as many keys as queries, separate labels of keys would be lost when the file's arrays are applied.
    if weights is None or (key_tokens is not None and weights.shape[3] == weights.shape[4]):
        return None
    session = _weights_session(weights[0], None, tokens, key_tokens, title or f"Attention weights of {len(layers)} layers")
    session.layers = weights
    return session


def _session(attentions, tokens, *, x=None, keys=None, q=None, k=None, v=None, key_tokens=None, layer=None, layout=None,
             title=None, switched=False, **rules):
    rules = _Rules(**rules)
    if hasattr(attentions, "attentions"):  # the output of a model of Hugging Face
        attentions = attentions.attentions
    elif hasattr(attentions, "cross_attentions"):
        raise HeadlightError("an encoder-decoder has three attentions: show outputs.encoder_attentions, "
                             "outputs.decoder_attentions or outputs.cross_attentions")
    if attentions is None:
        return _given_session(q, k, v, tokens, key_tokens, title or "From Python", rules, layout)
    if _is_layer(attentions):
        return _layer_session(attentions, x, keys, tokens, key_tokens, title or "torch.nn.MultiheadAttention", rules)
    if rules.given():
        raise HeadlightError(f"weights are shown as they are: {', '.join(rules.given())} go with q, k and v, as causal and "
                             "scale do")
    layers = _layers_of(attentions)
    if layers is None:
        return _weights_session(attentions, v, tokens, key_tokens, title or "Attention weights", layout)
    if _is_steps(attentions) and tokens is not None and len(tokens) == layers[0].shape[3] + 1:
        _say(f"{tokens[-1]!r} was generated last and has asked for nothing: it has no row")
        tokens = tokens[:-1]
    at = 0 if layer is None else layer
    if not 0 <= at < len(layers):
        raise HeadlightError(f"there is no layer {at}: there are {len(layers)}, counted from 0")
    one = layers[at]
    if switched and layer is None and len(layers) > 1 and v is None:
        session = _layered_session(layers, tokens, key_tokens, title, layout)
        if session is not None:
            return session
    if layer is None and len(layers) > 1:
        _say(f"this is layer 0 of {len(layers)}; layer=... shows another, up to {len(layers) - 1}")
    if isinstance(one, CapturedLayer):
        return one._session(tokens, key_tokens, title or f"Layer {at}: {one.name}")
    return _weights_session(one, v, tokens, key_tokens, title or f"Attention weights of layer {at}", layout)


class _File:
    """A file that the program opens directly."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()

    def save(self, folder):
        _run("print", self.path, "--stage", "weights", "--head", 0)
        return self.path

    def opened(self, folder):
        return [self.save(folder)]


def _arguments(attentions, tokens, more):
    """The session or file of the arguments of show(). After a layer the second argument is its input."""
    if isinstance(attentions, (str, os.PathLike)):
        named = {**more, **({} if tokens is None else {"tokens": tokens})}
        more = [name for name in named if name != "switched"]
        if more:
            raise HeadlightError(f"a file says itself what it holds: {', '.join(more)} go with arrays; "
                                 "options=[...] has words of the command line")
        return _File(attentions)
    if attentions is not None and _is_layer(attentions) and "x" not in more:
        more["x"], tokens = tokens, more.pop("tokens_of_x", None)
    return _session(attentions, tokens, **more)


# ---- the window and figures

class Window:
    """A window that show() has opened."""

    def __init__(self, process, folder):
        self.process, self.folder, self.tidied = process, folder, threading.Event()
        threading.Thread(target=self._tidy, daemon=True).start()

    def _tidy(self):  # only after its end: saving the session reads the files
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.tidied.set()

    def wait(self):
        """Waits until the window is closed, and returns the program's exit status."""
        return self.process.wait()

    def close(self):
        self.process.terminate()


def show(attentions=None, tokens=None, *, options=(), **more):
    """Opens a window and returns at once.

    attentions: weights, a list of weights (layers), the result of generate() or capture(), or a
        torch.nn.MultiheadAttention; then the second argument is its input, tokens_of_x=[...] are the labels, and keys=y
        is the input of the keys for cross-attention. The path of a file is opened by the program.
    q, k, v: queries, keys and values instead of weights; v also with weights.
    layout: the axes of q, k and v, "bhtd", "bthd", "htd" or "thd"; required if heads may be before or after tokens.
        For weights with three axes: "hqk" (heads) or "bqk" (sequences).
    tokens, key_tokens: labels of queries and keys; by default numbers.
    layer: one of several layers, from 0. By default the window has all layers if they are weights of one shape.
    For q, k, v and for a torch.nn.MultiheadAttention:
    causal: a query attends to its own position and earlier ones. Fewer queries than keys are the last positions, unless
        offset is given: the number of keys before the first query, one number or one per sequence.
    mask: bools, or 0 and 1, where True means that a query may attend; mask_true="forbidden" for the meaning in
        torch.nn. Other numbers are added to the scores. Tq x Tk, B x Tk, or four axes B, H, Tq, Tk, each of which may
        be 1.
    bias: added to the scores; may contain -inf.  scale: the factor of the scores; by default 1/sqrt(d).
    title: the title of the session.
    options: further arguments of the program.
    """
    folder = pathlib.Path(tempfile.mkdtemp(prefix="headlight-"))
    try:
        words = _arguments(attentions, tokens, {**more, "switched": True}).opened(folder)
        if sys.platform.startswith("linux") and "--screenshot" not in options:
            if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
                raise HeadlightError("there is no display here: headlight.figure() draws without one")
        process = subprocess.Popen([program(), *map(str, options), *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Window(process, folder)


class Figure:
    """A figure as bytes, which a notebook shows."""

    def __init__(self, data, format):
        self.data, self.format = data, format

    def save(self, path):
        pathlib.Path(path).write_bytes(self.data)

    def _repr_svg_(self):
        return self.data.decode() if self.format == "svg" else None

    def _repr_png_(self):
        return self.data if self.format == "png" else None


def figure(attentions=None, tokens=None, *, stage="weights", head="all", sequence=0, format="svg", options=(), **more):
    """A figure of a stage as SVG, PNG or PDF. Takes the arguments of show(), and options of `headlight export`:
    figure(a, tokens, head=0, options=["--colormap", "cividis"])."""
    if format not in ("svg", "png", "pdf"):
        raise HeadlightError(f"{format} is no format of figures: svg, png or pdf")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="headlight-"))
    try:
        path, made = _arguments(attentions, tokens, more).save(folder), folder / f"figure.{format}"
        _run("export", path, "--stage", stage, "--head", head, "--sequence", sequence, "-o", made, *options)
        return Figure(made.read_bytes(), format)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- capturing the layers of a PyTorch model

class CapturedLayer:
    """One call of an attention layer: its name in the model, and its weights (B x H x Tq x Tk), or queries, keys and
    values (B x heads x T x d) with the settings of a session that computes the same weights. If the settings have a
    position, q and k are those before rotary positions; otherwise they are those of the product. refused: the reason if
    there is neither."""

    def __init__(self, name, weights=None, q=None, k=None, v=None, settings=None, refused=None):
        self.name, self.weights, self.q, self.k, self.v, self.settings = name, weights, q, k, v, settings or {}
        self.refused = refused

    def reason(self):
        return f"{self.name or 'the layer'}: {self.refused}"

    def _session(self, tokens, key_tokens, title):
        if self.refused:
            raise HeadlightError(self.reason())
        if self.weights is not None:
            return _weights_session(self.weights, self.v, tokens, key_tokens, title)
        return _qkv_session(self.q, self.k, self.v, tokens, key_tokens, title, self.settings)


class _Captured:
    def __init__(self):
        self.layers = []

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, at):
        return self.layers[at]


# The names of projections: three for q, k and v, or one for all ("rows": q, k, v side by side; "heads": by head).
_APART = [("q_proj", "k_proj", "v_proj"), ("query", "key", "value"), ("q", "k", "v")]
_FUSED = {"c_attn": "rows", "query_key_value": "heads"}
# Features that scale, mask and rotary positions cannot express; they are named in messages.
_UNUSUAL = ("relative_attention_bias", "has_relative_attention_bias", "distance_embedding", "rel_pos", "q_norm", "k_norm",
            "qk_norm", "query_layernorm", "query_norm", "q_layernorm", "alibi", "slopes", "sinks", "rope_scaling",
            "rope_parameters", "attn_logit_softcapping", "sliding_window", "gate", "head_mask")


def _projections(module):
    children = dict(module.named_children())
    for names in _APART:
        if all(name in children for name in names):
            return names
    for name in _FUSED:
        if name in children:
            return (name,)
    return None


def _setting(module, *names):
    for owner in (module, getattr(module, "config", None)):
        for name in names:
            value = getattr(owner, name, None)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return value
    return None


def _by_heads(array, heads):
    batch, tokens, width = array.shape if array.ndim == 3 else (1, *array.shape)
    return array.reshape(batch, tokens, heads, width // heads).transpose(0, 2, 1, 3)


def _head_count(module):
    return _setting(module, "num_heads", "num_attention_heads", "n_heads", "n_head")


def _heads(module, parts):
    """q, k, v as B x H x T x d from the outputs of the projections; None if the number of heads is not known."""
    count = _head_count(module)
    if count is None:
        return None
    if len(parts) == 3:
        q, k, v = (_array(parts[name]) for name in _projections(module))
        width = q.shape[-1] // count
        groups = k.shape[-1] // width
        return _by_heads(q, count), _by_heads(k, groups), _by_heads(v, groups)
    (name, fused), = parts.items()
    fused = _array(fused)
    if _FUSED[name] == "rows":
        return tuple(_by_heads(part, count) for part in np.split(fused, 3, axis=-1))
    return tuple(np.split(_by_heads(fused, count), 3, axis=-1))


# ---- candidate settings of a layer, which are accepted if they compute the weights that the layer used

def _turned(x, position):
    """x with rotary positions, by the session's field `position`."""
    dims, x = position["dims"], x.copy()
    speed = position["theta"] ** -(np.arange(0, dims, 2) / dims)
    if "scaling" in position:
        told = position["scaling"]
        share = told["positions"] * speed / (2 * np.pi)  # full turns within the trained number of positions
        smooth = np.clip((share - told["low"]) / (told["high"] - told["low"]), 0, 1)
        speed = speed * ((1 - smooth) / told["factor"] + smooth)
    angle = np.arange(x.shape[2])[:, None] * speed
    if position.get("pairs") == "neighbours":
        first, second = slice(0, dims, 2), slice(1, dims, 2)
    else:
        first, second = slice(0, dims // 2), slice(dims // 2, dims)
    a, b = x[..., first].copy(), x[..., second].copy()
    x[..., first], x[..., second] = a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)
    return x


def _open_pairs(mask, rows, keys):
    """The allowed pairs, B or 1 x H or 1 x rows x keys of bool. rows: the indices of the queries."""
    mask = {"causal": True} if mask == "causal" else mask if isinstance(mask, dict) else {}
    at = rows[:, None] + mask.get("offset", 0) - np.arange(keys)  # the distance of the key before the query
    is_open = np.ones(at.shape, bool)
    if mask.get("causal"):
        is_open &= at >= 0
    if "window" in mask:
        is_open &= at <= mask["window"][0]
    if "allowed" in mask:
        allowed = _ranked(mask["allowed"]) != 0
        is_open = is_open & (allowed[:, :, rows] if allowed.shape[2] > 1 else allowed)
    return _ranked(is_open)


def _weights_of(q, k, settings, rows):
    """The weights of the queries `rows`, computed as the program does for a session with these settings."""
    if "position" in settings:
        q, k = _turned(q, settings["position"]), _turned(k, settings["position"])
    scale = settings.get("scale", q.shape[3] ** -0.5)
    k = np.repeat(k, q.shape[1] // k.shape[1], 1)
    scores = q[:, :, rows].astype(np.float64) @ k.swapaxes(-2, -1) * scale
    if "softcap" in settings:
        scores = settings["softcap"] * np.tanh(scores / settings["softcap"])
    if "bias" in settings:
        bias = _ranked(settings["bias"])
        scores = scores + (bias[:, :, rows] if bias.shape[2] > 1 else bias)
    scores = np.where(_open_pairs(settings.get("mask"), rows, k.shape[2]), scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    parts = np.exp(scores - np.where(np.isfinite(top), top, 0))
    sums = parts.sum(-1, keepdims=True)
    return parts / np.where(sums == 0, 1, sums)


def _some_rows(count):
    """The indices of at most 64 queries, for which two computations are compared."""
    return np.unique(np.linspace(0, count - 1, min(count, 64)).astype(int))


def _closeness(*tensors):
    """The tolerances for the rounding of these tensors: of float32, or of types of 16 bits."""
    few = any(getattr(one, "element_size", lambda: 4)() < 4 for one in tensors)
    return {"atol": 4e-3, "rtol": 4e-2} if few else {"atol": 1e-6, "rtol": 1e-4}


def _rotary(module, head_width):
    """The candidate rotary positions of the layer, from its configuration; empty if it has none."""
    config = getattr(module, "config", None)
    told = [getattr(config, name, None) for name in ("rope_parameters", "rope_scaling")]
    told = {name: value for one in told if isinstance(one, dict) for name, value in one.items()}
    dims = _setting(module, "rotary_dim", "rotary_ndims")
    theta = _setting(module, "rope_theta", "rotary_emb_base") or told.get("rope_theta")
    share = _setting(module, "partial_rotary_factor", "rotary_pct") or told.get("partial_rotary_factor") or 1
    if theta is None and dims is None and not any("rotary" in name for name, _ in module.named_modules()):
        return []
    dims = int(dims or head_width * share) // 2 * 2
    plain = {"kind": "rope", "theta": theta or 10000.0, "dims": min(dims, head_width // 2 * 2)}
    ways = [plain, {**plain, "pairs": "neighbours"}]
    if told.get("rope_type", told.get("type")) == "llama3":
        scaling = {ours: told.get(theirs) for ours, theirs in (
            ("factor", "factor"), ("low", "low_freq_factor"), ("high", "high_freq_factor"),
            ("positions", "original_max_position_embeddings"))}
        if all(scaling.values()):
            ways = [{**way, "scaling": scaling} for way in ways] + ways
    return [way for way in ways if way["dims"] > 0]


def _masks(module, queries, keys, closed, arguments):
    """The candidate masks of the layer. If the scores are known: the shortest form of exactly their masked pairs."""
    offset = max(keys - queries, 0)
    causal = _causal_mask(queries, keys, offset)
    window = _setting(module, "sliding_window", "window_size")
    simple = [None, causal]
    if window:
        simple.append({"causal": True, **({"offset": offset} if offset else {}), "window": [int(window) - 1, None]})
    rows = np.arange(queries)
    if closed is not None:
        simple = [mask for mask in simple if (np.broadcast_to(~_open_pairs(mask, rows, keys), closed.shape) == closed).all()]
        return simple[:1] or [{"allowed": _without_repeats(~closed)}]
    declared = getattr(module, "is_causal", False) or getattr(getattr(module, "config", None), "is_decoder", False)
    simple = simple[::-1] if declared else simple
    given = []
    for array in arguments:  # arguments with the shape of a mask
        if array.ndim == 2 and array.shape[1] == keys:
            array = array[:, None, None]
        if array.ndim == 4 and array.shape[2] in (1, queries) and array.shape[3] == keys:
            allowed = array > -1e3 if array.min() < 0 else array != 0
            given.append(allowed)
    both = []
    for allowed in given:
        both += [{"allowed": allowed.astype(np.uint8)}, {"causal": True, "offset": offset, "allowed": allowed.astype(np.uint8)}]
    return both + simple if given else simple


def _without_repeats(allowed):
    """The mask with axes of sequences and heads reduced to 1 if all entries along them are equal."""
    for axis in (0, 1):
        if (allowed == allowed.take([0], axis)).all():
            allowed = allowed.take([0], axis)
    return allowed.astype(np.uint8)


def _ways(module, q, k, masks):
    """The candidate settings of the layer, the most probable first."""
    scaling, softcap = _setting(module, "scaling", "scale", "softmax_scale"), _setting(module, "attn_logit_softcapping")
    usual = q.shape[-1] ** -0.5
    scales = list(dict.fromkeys([usual if scaling is None else float(scaling), usual, 1.0]))
    for softcap in dict.fromkeys([softcap, None]):
        for position in [*_rotary(module, q.shape[-1]), None]:
            for scale in scales:
                for mask in masks:
                    way = {} if mask is None else {"mask": mask}
                    if not np.isclose(scale, usual, rtol=1e-6):
                        way["scale"] = scale
                    if softcap is not None:
                        way["softcap"] = float(softcap)
                    if position is not None:
                        way["position"] = position
                    yield way


class _Call:
    """One call of a module, and the calls of functions within it."""

    def __init__(self, module, names):
        self.module, self.names = module, names
        self.parts = {}  # the outputs of its projections
        self.arguments, self.inner = [], []  # its tensor arguments, and the inputs of its other children
        self.products = collections.deque(maxlen=4)  # the last products, among them that of queries and keys
        self.softmaxes, self.used = [], []
        self.fused = []  # the arguments of scaled_dot_product_attention


class _Softmax:
    """A call of softmax, and the queries and keys of its scores if they are known."""

    def __init__(self, scores, result, pair):
        self.scores, self.result, self.pair = scores, result, pair

    def may_be(self, weights, values):
        """Whether these factors may be its weights, possibly after changes such as dropout, and the values."""
        if getattr(weights, "ndim", 0) < 3 or getattr(values, "ndim", 0) < 3:
            return False
        rows, keys = self.result.numel() // self.result.shape[-1], self.result.shape[-1]
        if weights.shape[-2] != self.result.shape[-2] or weights.numel() // max(weights.shape[-1], 1) != rows:
            return False
        return keys - 1 <= weights.shape[-1] <= keys  # without the column of a sink, which has no value


class _Used:
    """Weights that were multiplied with values, and their softmax."""

    def __init__(self, softmax, weights, values):
        self.softmax, self.weights, self.values = softmax, weights, values


def _call_operands(name, arguments):
    """The two factors if the function is a matrix product; else None."""
    if name in ("matmul", "bmm", "__matmul__"):
        return arguments[:2]
    if name == "baddbmm":
        return arguments[1:3]
    if name == "einsum":
        tensors = arguments[1:] if not isinstance(arguments[1], (list, tuple)) else arguments[1]
        return tensors if len(tensors) == 2 else None
    return None


def _used_weights(softmaxes, pair):
    """The factors as weights of the latest matching softmax and values; None if no softmax matches."""
    able = [one for one in reversed(softmaxes) if one.may_be(*pair)]
    same = [one for one in able if one.result.data_ptr() == pair[0].data_ptr()]
    return _Used((same or able)[0], *pair) if able else None


def _split_heads(weights, batch, heads):
    """(B H) x Tq x Tk as B x H x Tq x Tk; None if the sizes do not allow it."""
    if weights.ndim == 4:
        return weights
    if batch is None and heads:
        batch = weights.shape[0] // heads
    if not heads or batch * heads != weights.shape[0]:
        return None
    return weights.reshape(batch, heads, *weights.shape[1:])


def _are_weights(value):
    if getattr(value, "ndim", 0) != 4 or not value.is_floating_point():
        return False
    sums = value.detach().float().sum(-1)
    one = (sums - 1).abs() < 1e-2
    return bool((value >= 0).all()) and bool((one | (sums.abs() < 1e-6)).all()) and bool(one.any())


class _Recorder:
    def __init__(self, model, captured):
        self.captured, self.undo, self.seen, self.calls = captured, [], [], []
        for name, module in model.named_modules():
            if hasattr(module, "activation_relu_or_gelu"):  # the fused path of TransformerEncoderLayer calls no child
                self.set(module, "activation_relu_or_gelu", 0)
            if _is_layer(module):
                self.wrap(name, module)
            elif next(module.children(), None) is not None and not type(module).__module__.startswith("torch.jit"):
                self.follow(name, module)
            else:
                hook = module.register_forward_hook(functools.partial(self.leaf, name))
                self.undo.append(hook.remove)
        self.watch = self.watching()

    def set(self, module, name, value):
        before = module.__dict__.get(name, self)
        setattr(module, name, value)
        self.undo.append(lambda: setattr(module, name, before) if before is not self else module.__dict__.pop(name))

    def wrap(self, name, module):
        """Records the weights per head of a torch.nn.MultiheadAttention; its caller gets what it requested."""
        forward = module.forward

        @functools.wraps(forward)
        def asked(*arguments, **named):
            wanted = dict(zip(("query", "key", "value", "key_padding_mask", "need_weights", "attn_mask",
                               "average_attn_weights", "is_causal"), arguments), **named)
            needs, averages = wanted.get("need_weights", True), wanted.get("average_attn_weights", True)
            output, weights = forward(**{**wanted, "need_weights": True, "average_attn_weights": False})
            four = weights if weights.ndim == 4 else weights[None]
            self.captured.layers.append(CapturedLayer(name, weights=_array(four)))
            if not needs:
                return output, None
            return output, weights.mean(dim=-3) if averages else weights

        self.set(module, "forward", asked)

    def follow(self, name, module):
        """Records every call of the module from beginning to end, with the calls inside."""
        forward, names = module.forward, _projections(module) or ()

        @functools.wraps(forward)
        def followed(*arguments, **named):
            call = _Call(module, names)
            call.arguments = [one for one in (*arguments, *named.values()) if hasattr(one, "detach")] if names else []
            self.calls.append(call)
            try:
                output = forward(*arguments, **named)
            finally:
                while self.calls.pop() is not call:
                    pass
            self.done(name, call, output)
            return output

        self.set(module, "forward", followed)
        for child_name, child in module.named_children() if names else ():
            hook = child.register_forward_hook(
                lambda _, inputs, output, module=module, child_name=child_name: self.part(module, child_name, inputs, output))
            self.undo.append(hook.remove)

    def leaf(self, name, module, inputs, output):
        self.returned(name, output, None)

    def part(self, module, child, inputs, output):
        call = next((one for one in reversed(self.calls) if one.module is module), None)
        if call is None:
            return
        if child in call.names:
            call.parts[child] = output
        elif inputs and getattr(inputs[0], "ndim", 0) >= 2:
            call.inner.append(inputs[0])

    def watching(self):
        """A mode of PyTorch in which its functions report their calls; none before PyTorch 1.13."""
        try:
            from torch.overrides import TorchFunctionMode
        except ImportError:
            return contextlib.nullcontext()
        recorder = self

        class Watch(TorchFunctionMode):
            def __torch_function__(self, function, types, arguments=(), named=None):
                result = function(*arguments, **(named or {}))
                recorder.saw(getattr(function, "__name__", ""), arguments, named or {}, result)
                return result

        return Watch()

    def saw(self, name, arguments, named, result):
        if not self.calls:
            return
        # The innermost module with projections, else the innermost module.
        call = next((one for one in reversed(self.calls) if one.names), self.calls[-1])
        if name == "scaled_dot_product_attention":
            call.fused.append((arguments, named))
        elif name in ("softmax", "_softmax") and getattr(result, "ndim", 0) in (3, 4) and result.is_floating_point():
            self.saw_softmax(call, arguments, named, result)
        else:
            pair = _call_operands(name, arguments)
            if pair is None or any(not hasattr(one, "detach") for one in pair):
                return
            used = _used_weights(call.softmaxes, pair) or (name == "einsum" and _used_weights(call.softmaxes, pair[::-1]))
            if used:
                call.used.append(used)
            else:
                call.products.append((*pair, result))

    def saw_softmax(self, call, arguments, named, result):
        scores = arguments[0] if arguments else named.get("input")
        along = named.get("dim", arguments[1] if len(arguments) > 1 and isinstance(arguments[1], int) else None)
        if along not in (-1, result.ndim - 1):
            return
        pair = next(((a, b) for a, b, product in reversed(call.products)
                     if product.shape[-2:] == result.shape[-2:] and product.numel() == result.numel()), None)
        call.softmaxes.append(_Softmax(scores, result, pair))

    def returned(self, name, output, used):
        """Records the weights among the outputs of a module. Returns whether there are any, recorded now or before."""
        outputs = output if isinstance(output, (list, tuple)) else [output]
        weights = next((one for one in outputs if _are_weights(one)), None)
        if any(weights is one for one in self.seen):
            return True
        # If the weights in use are known, an output counts only if it has their shape.
        if weights is None or (used is not None and weights.shape[-2:] != used.weights.shape[-2:]):
            return False
        self.seen.append(weights)
        self.captured.layers.append(CapturedLayer(name, weights=_array(weights)))
        return True

    def done(self, name, call, output):
        used = call.used
        if self.returned(name, output, used[0] if used else None):
            return
        different = [one for one in used if one.weights is not used[0].weights]
        if len(different) + len(call.fused) > (0 if used else 1):
            self.captured.layers.append(CapturedLayer(name, refused=_refusal(
                call.module, f"it computes {len(used) + len(call.fused)} attentions in one call")))
        elif used:
            self.captured.layers.append(_layer_of_weights(name, call, used))
        elif call.fused:
            self.captured.layers.append(_layer_of_fused(name, *call.fused[0]))
        elif call.parts and len(call.parts) == len(call.names):
            self.captured.layers.append(_layer_of_parts(name, call, output))

    def end(self):
        for undo in reversed(self.undo):
            undo()


def _refusal(module, why):
    config = getattr(module, "config", None)
    has = [name for name in _UNUSUAL
           if getattr(module, name, None) is not None and getattr(module, name) is not False
           or getattr(config, name, None)]
    named = f" ({', '.join(has)})" if has else ""
    return (f"{why}{named}, which is not understood: only weights that it returns can be shown; load the model with "
            "attn_implementation=\"eager\" and call it with output_attentions=True")


def _layer_of_weights(name, call, every):
    """The layer of weights that were multiplied with values: its queries, keys and values if they result in these
    weights, else the weights alone, as for weights that were used more than once."""
    used, heads, batch = every[0], _head_count(call.module), None
    parts = _parts_by_heads(call)
    if parts is not None:
        batch, heads = parts[0].shape[:2]
    weights = _split_heads(used.weights, batch, heads)
    if weights is None:
        return CapturedLayer(name, refused=_refusal(
            call.module, f"its weights are {' x '.join(map(str, used.weights.shape))}, sequences and heads on one axis, and it "
                         "does not say num_heads"))
    close = _closeness(used.weights, *call.parts.values())
    weights, scores = _array(weights), _split_heads(used.softmax.scores, *weights.shape[:2])
    closed = None
    if scores is not None and scores.shape == weights.shape:
        closed = (_array(scores) < -5000) & (weights == 0)
    rows = _some_rows(weights.shape[2])
    for q, k, v, turned in _candidates(used, parts, weights) if len(every) == 1 else ():
        masks = _masks(call.module, weights.shape[2], weights.shape[3], closed, [])
        for way in _ways(call.module, q, k, masks):
            if "position" in way and turned:
                continue
            if np.allclose(_weights_of(q, k, way, rows), weights[:, :, rows], **close):
                return CapturedLayer(name, q=q, k=k, v=v, settings=way)
    return CapturedLayer(name, weights=weights)


def _parts_by_heads(call):
    try:
        return _heads(call.module, call.parts) if call.parts and len(call.parts) == len(call.names) else None
    except (ValueError, ZeroDivisionError):  # the projections are not those of an attention
        return None


def _candidates(used, parts, weights):
    """Candidates of q, k, v, and whether rotary positions are applied: from the projections, then from the products."""
    batch, heads, queries, keys = weights.shape
    if parts is not None and parts[0].shape[:3] == (batch, heads, queries) and parts[1].shape[2] == keys:
        yield (*parts, False)
    if used.softmax.pair is None:
        return
    q, k, v = *used.softmax.pair, used.values
    if q.shape[-2] != queries or k.shape[-1] != keys or v.shape[-2] != keys:
        return
    q, k, v = (_split_heads(one, batch, heads) for one in (q, k.transpose(-2, -1), v))
    if any(one is None or one.shape[:2] != (batch, heads) for one in (q, k, v)) or q.shape[3] != k.shape[3]:
        return
    yield _array(q), _array(k), _array(v), True


def _layer_of_fused(name, arguments, named):
    """The layer of a call of torch.nn.functional.scaled_dot_product_attention, whose is_causal counts queries from the
    first key."""
    wanted = dict(zip(("query", "key", "value", "attn_mask", "dropout_p", "is_causal"), arguments), **named)
    q, k, v = (_ranked(_array(wanted[one])) for one in ("query", "key", "value"))
    settings = {"mask": "causal"} if wanted.get("is_causal") else {}
    if wanted.get("scale") is not None and not np.isclose(wanted["scale"], q.shape[3] ** -0.5, rtol=1e-6):
        settings["scale"] = float(wanted["scale"])
    mask = wanted.get("attn_mask")
    if mask is not None:
        added = _ranked(_plain(mask))
        shut = (added < -5000).all(-1).any() and np.isfinite(added.min())  # lowering a whole row masks nothing
        if added.dtype.kind == "b" or (not shut and ((added == 0) | (added < -5000)).all()):
            allowed = _without_repeats(added if added.dtype.kind == "b" else added == 0)
            rules = [rule for rule in (None, _causal_mask(q.shape[2], k.shape[2], None))
                     if allowed.shape == (1, 1, q.shape[2], k.shape[2])
                     and (_open_pairs(rule, np.arange(q.shape[2]), k.shape[2]) == allowed).all()]
            if rules != [None]:
                settings["mask"] = rules[0] if rules else {"allowed": allowed}
        else:
            settings["bias"] = added.astype(np.float32)
    return CapturedLayer(name, q=q, k=k, v=v, settings=settings)


def _layer_of_parts(name, call, output):
    """The layer of projections without known weights: settings that result in its known output, else a refusal."""
    parts = _parts_by_heads(call)
    results = [output[0] if isinstance(output, (list, tuple)) and output else output, *call.inner]
    results = [_array(one) for one in results if getattr(one, "ndim", 0) >= 2]
    if parts is None or not results:
        return CapturedLayer(name, refused=_refusal(call.module, "its queries, keys and values cannot be told apart"))
    q, k, v = parts
    rows, close = np.arange(q.shape[2]), _closeness(*call.parts.values())
    masks = _masks(call.module, q.shape[2], k.shape[2], None, [_plain(one) for one in call.arguments])
    for way in _ways(call.module, q, k, masks):
        context = _weights_of(q, k, way, rows) @ np.repeat(v, q.shape[1] // v.shape[1], 1)
        joined = context.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)
        if any(one.size == joined.size and np.allclose(one.reshape(joined.shape), joined, **close) for one in results):
            return CapturedLayer(name, q=q, k=k, v=v, settings=way)
    return CapturedLayer(name, refused=_refusal(
        call.module, "its result is not that of its queries, keys and values with a scale, a mask and rotary positions"))


@contextlib.contextmanager
def capture(model):
    """Records every attention layer of a PyTorch model that is called inside of the `with` block. For
    torch.nn.MultiheadAttention and for layers that return weights (Hugging Face's models with output_attentions=True):
    these weights. For other layers it traces PyTorch's functions and records the weights that are multiplied with
    values, or queries, keys, values and settings that result in the same weights. A layer without either raises an
    error with its name when it is shown. Dropout is that of the model: call model.eval() first."""
    captured = _Captured()
    recorder = _Recorder(model, captured)
    try:
        with recorder.watch:
            yield captured
    finally:
        recorder.end()


# ---- whole models

KEPT = ("residual", "weights", "context", "mlp", "logits")


def _end(process):
    """Ends a worker: the end of its input first, which it takes as the end of its work."""
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


class _Worker:
    """`headlight serve FOLDER`: a process with the model, asked line by line. Not used by two threads at once."""

    def __init__(self, folder):
        # A session of its own: Ctrl+C is for Python alone, which ends the process.
        self.process = subprocess.Popen([program(), "serve", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True)
        self.end = weakref.finalize(self, _end, self.process)
        try:
            self.about = self._line()
        except BaseException:
            self.end()
            raise

    def ended(self):
        """How the process ended, in words; None while it runs."""
        status = self.process.poll()
        if status is None:
            return None
        return f"signal {-status} ended it" if status < 0 else f"it ended with status {status}"

    def _bytes(self, count):
        data = self.process.stdout.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def _line(self):
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        reply = json.loads(line)
        if "error" in reply:
            raise HeadlightError(**reply["error"])
        return reply

    def ask(self, request):
        """The reply and its arrays by name, or its bytes. Raises EOFError if the process ended."""
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise EOFError from None
        reply = self._line()
        if "bytes" in reply:
            return reply, self._bytes(reply["bytes"])
        arrays = {}
        for one in reply.get("arrays", ()):
            array = np.empty(one["shape"], "<f4")
            view = memoryview(array).cast("B") if array.size else b""
            if array.size and self.process.stdout.readinto(view) < array.nbytes:
                raise EOFError
            arrays[one["name"]] = array
        return reply, arrays


def _json_value(value):
    """The value with arrays as lists, and numbers that JSON does not have as the text that the program has for them."""
    if hasattr(value, "detach") or isinstance(value, np.ndarray):
        return _json_value(_plain(value).tolist())
    if isinstance(value, np.generic):
        return _json_value(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return "nan" if np.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(key): _json_value(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(one) for one in value]
    if isinstance(value, os.PathLike):
        return os.path.abspath(value)
    return value


def _changes(changes):
    """A session's or a list's path, or a list of dicts, as the program takes them."""
    if changes is None:
        return None
    if isinstance(changes, (str, os.PathLike)):
        return os.path.abspath(changes)
    if isinstance(changes, dict) or not isinstance(changes, (list, tuple)):
        raise HeadlightError(f"changes is a {type(changes).__name__}: give the path of a session, or a list of dicts")
    return _json_value(changes)


def _text(text):
    """The text or its ids as members of a request."""
    if isinstance(text, str):
        return {"text": text}
    ids = _plain(text)
    if ids.ndim != 1 or (ids.dtype.kind not in "iu" and ids.size):
        raise HeadlightError(f"a text is a str, or a list of the ids of its tokens; this is a {type(text).__name__} of "
                             f"{ids.dtype} with the shape {ids.shape}")
    return {"ids": [int(one) for one in ids]}


def _numbers(told):
    return [[np.nan if one is None else one for one in row] for row in told]


class Table(np.ndarray):
    """A table of a result: rows x columns of float32, NaN where there is no number. rows, columns: their names, lists of
    str; row_axis, column_axis: what they are; words: the texts in the cells of some tables, rows x columns, else None;
    remarks: a text behind each row, else None.

    Over a data set the numbers are means over its rows. error: their standard errors, rows x columns: the standard
    deviation over the rows of the set that have the number, by n - 1, over the root of n; NaN where there is none. each:
    the numbers of each row of the set, set rows x rows x columns, in the order of Result.rows. Both are None without a
    set, and of lists about all of its rows. They are of the whole table: a part of it, table[0], has none of them."""

    rows = columns = row_axis = column_axis = words = remarks = error = each = None

    @classmethod
    def _of(cls, told, each=()):
        shape = len(told["rows"]), len(told["columns"])
        table = np.asarray(_numbers(told["values"]), np.float32).reshape(shape).view(cls)
        table.rows, table.columns = list(told["rows"]), list(told["columns"])
        table.row_axis, table.column_axis = told["row_axis"], told["column_axis"]
        words = told.get("words")
        table.words = None if words is None else np.asarray(words, object).reshape(table.shape)
        table.remarks = told.get("remarks")
        if "error" in told:
            table.error = np.asarray(_numbers(told["error"]), np.float32).reshape(shape)
        if each:
            table.each = np.asarray([_numbers(one["values"]) for one in each], np.float32).reshape(len(each), *shape)
        return table

    def frame(self, error=False, rows=False):
        """The table as a DataFrame of pandas. error: behind each column another one, NAME error, of its standard errors.
        rows: the numbers of each row of the data set in place of the means, with two levels in the index: set_row, the
        number in Result.rows from 0, and the table's own row. Raises HeadlightError for a table that has none of these."""
        import pandas
        if error and rows:
            raise HeadlightError("the numbers of a single row have no error", "frame", "take error=True or rows=True")
        if (error and self.error is None) or (rows and self.each is None):
            raise HeadlightError(f"the table has no {'errors' if error else 'numbers of single rows'}", "frame",
                                 "they are of questions over a data set: ask with set=...")
        values, names, columns = np.asarray(self), self.rows, self.columns
        index = pandas.Index(names, name=self.row_axis)
        if error:
            values = np.stack([values, self.error], -1).reshape(len(names), -1)
            columns = [name for column in columns for name in (column, f"{column} error")]
        if rows:
            values = self.each.reshape(-1, len(columns))
            index = pandas.MultiIndex.from_product([range(len(self.each)), names], names=["set_row", self.row_axis])
        return pandas.DataFrame(values, index=index, columns=pandas.Index(columns, name=self.column_axis or None))


class Result:
    """What Model.ask() found. title and notes: str and a list of str; tables: name -> Table; about: what it was computed
    of, with which options, and the command that computes it again. rows: over a data set a dict for each of its rows, of
    the cells by their columns (text, from, target, against, @NAME) and, where the row has them, target_id and against_id,
    positions and from_positions of the named tokens, and metric, the number of its target; None without a set. direction:
    of the question direction what was added, d numbers; else None."""

    def __init__(self, model, asked, number, answer):
        self._model, self._asked, self._number = model, asked, number
        self.title, self.notes, self.about = answer["title"], answer["notes"], answer.get("about")
        direction = answer.get("direction")
        self.direction = None if direction is None else np.asarray(direction, np.float32)
        rows = answer.get("rows")
        self.rows = None if rows is None else [{key: one for key, one in row.items() if key != "tables"} for row in rows]
        each = [[one for row in rows or () for one in row["tables"] if one["name"] == table["name"]]
                for table in answer["tables"]]
        self.tables = {one["name"]: Table._of(one, of_rows) for one, of_rows in zip(answer["tables"], each)}

    def figure(self, format="svg"):
        """The figure as "svg" (a str), "png" or "pdf" (bytes)."""
        if format not in ("svg", "png", "pdf"):
            raise HeadlightError(f"format={format!r} is none of 'svg', 'png', 'pdf'")
        data = self._model._figure(self, format)
        return data.decode() if format == "svg" else data

    def _repr_svg_(self):
        return self.figure("svg")

    def __repr__(self):
        return f"<headlight.Result {self.title!r}: {', '.join(self.tables)}>"


class Arrays(dict):
    """Arrays by their names, as Model.patches() and Model.gradients() compute them: float32. axes: name -> (rows, columns),
    what the last axis but one is of, and the last one, lists of str (of an array of one axis that one and None; None also
    where the numbers of an axis have no names). lines: what the command writes. about: what they were computed of, and the
    command that computes them again.

    Over a data set they are means over its rows. error: name -> their standard errors; each: name -> the numbers of each
    row, set rows first (of gradients by tensors only with each=True); rows: as Result.rows. None without a set."""

    error = each = rows = None

    def __init__(self, reply, arrays):
        told = {one["name"]: one for one in reply["arrays"]}
        errors, each = "error.", "set_rows."
        own = [name for name in told if not name.startswith((errors, each))]
        super().__init__((name, arrays[name]) for name in own)
        self.axes = {name: (told[name].get("rows"), told[name].get("columns")) for name in own}
        self.lines, self.about = reply["lines"], reply["about"]
        if "rows" in reply:
            self.error = {name: arrays[errors + name] for name in own}
            self.each = {name: arrays[each + name] for name in own if each + name in arrays}
            self.rows = reply["rows"]

    def frame(self, name):
        """An array of one or two axes as a Series or DataFrame of pandas, with the names of its rows and columns."""
        import pandas
        rows, columns = self.axes[name]
        if self[name].ndim == 1:
            return pandas.Series(self[name], index=rows, name=name)
        if self[name].ndim != 2:
            raise HeadlightError(f"{name} has {self[name].ndim} axes", "frame", "take an array of one or two axes")
        return pandas.DataFrame(self[name], index=rows, columns=columns)

    def __repr__(self):
        return f"<headlight.Arrays: {', '.join(self)}>"


class Model:
    """A whole model, a folder as the hub has it or a GGUF file, in one process that stays: what is computed once is not
    computed again. changes: those of every call; the path of a session or of a list in JSON, or a list of dicts
    (`headlight manual python`). A call's own changes come after them.

    about: a dict with path, family, layers, heads, width and the like. Closed by close(), by `with`, or with the object."""

    def __init__(self, folder, changes=None):
        self._folder = os.path.abspath(os.fspath(folder))
        self._changes = _changes(changes)
        self._lock = threading.RLock()
        self._worker, self._closed = None, False
        self._start()
        self.about = dict(self._worker.about["model"], notes=self._worker.about["notes"])

    def tokens(self, text):
        """The tokens of a text, or of ids, as list of str."""
        return self._ask(dict(_text(text), do="tokens"))[0]["tokens"]

    def ids(self, text):
        """The ids of a text's tokens, as list of int."""
        return self._ask(dict(_text(text), do="ids"))[0]["ids"]

    def run(self, text, keep=KEPT, changes=None):
        """One pass over a text, or the ids of its tokens -> dict of float32 arrays: residual (L + 1, T, d), weights
        (L, H, T, T), context (L, H, T, d_v), mlp (L, T, width), the activations behind the non-linearity, and logits
        (T, V). keep: those that are wanted; by default all that the model has."""
        kept = None if keep is KEPT or tuple(keep) == KEPT else [keep] if isinstance(keep, str) else list(keep)
        return self._ask(dict(_text(text), do="run", keep=kept, **self._changed(changes)))[1]

    def ask(self, question, text=None, changes=None, **options):
        """A question of `headlight ask`: "lens", "parts", "ablation" ... -> Result. The options are those of the command
        line, with _ in the place of -, and from_ for --from; flags are True. set: a data set, whose means have .error and
        .each; "composition" is of weights alone and needs no text."""
        if text is not None:
            told = _text(text)
            options.update(told)
        asked = {name.rstrip("_").replace("_", "-"): self._option(value) for name, value in options.items()}
        request = dict(do="ask", question=str(question), options=asked, **self._changed(changes))
        reply, _ = self._ask(request)
        for line in reply["notes"].splitlines():
            _say(line.removeprefix("headlight: "))
        again = dict(request, options={name: value for name, value in asked.items() if name != "save-direction"})
        return Result(self, again, (self._worker, reply["result"]), reply["answer"])

    def patches(self, text=None, changes=None, **options):
        """What the numbers of another text do to a prediction when they are put into this one: every patch at once,
        estimated by its gradient, and with each=True also computed -> Arrays. The options are those of `headlight patches`:
        from_ or from_ids, target, against, each; or set, a data set, in place of both texts."""
        return self._arrays("patches", text, options, changes)

    def gradients(self, text=None, **options):
        """How well each token of a text is predicted, and the gradients of that loss by every tensor of the model, the
        stream and the weights of heads -> Arrays. The options are those of `headlight gradients`: set, a data set, in place
        of the text, and each. They are of the model without changes."""
        return self._arrays("gradients", text, options, None)

    def _arrays(self, what, text, options, changes):
        if text is not None:
            options.update(_text(text))
        asked = {name.rstrip("_").replace("_", "-"): self._option(value) for name, value in options.items()}
        reply, arrays = self._ask(dict(do=what, options=asked, **self._changed(changes)))
        return Arrays(reply, arrays)

    def close(self):
        """Ends the process. A second time does nothing."""
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.end()
                self._worker = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<headlight.Model {self._folder!r}{' (closed)' if self._closed else ''}>"

    @staticmethod
    def _option(value):
        return os.path.abspath(value) if isinstance(value, os.PathLike) else _json_value(value)

    def _changed(self, changes):
        return {"model_changes": self._changes, "changes": _changes(changes)}

    def _start(self):
        try:
            self._worker = _Worker(self._folder)
        except EOFError:
            raise HeadlightError("the program ended before it had opened the model", self._folder,
                                 "is it another version? HEADLIGHT names the program") from None

    def _ask(self, request):
        with self._lock:
            if self._closed:
                raise HeadlightError("the model is closed", self._folder, "open it again with headlight.Model")
            ended = self._worker.ended() if self._worker is not None else None
            if ended is not None:
                warnings.warn(f"the process of {self._folder} is gone ({ended}): it is started anew", RuntimeWarning,
                              stacklevel=3)
                self._stop()
            if self._worker is None:
                self._start()
            try:
                return self._worker.ask(request)
            except EOFError:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._worker.process.wait(1)
                ended = self._worker.ended() or "it closed its output"
                self._stop()
                raise HeadlightError(f"the process of the model is gone: {ended}", self._folder,
                                     "the next call starts it anew") from None
            except HeadlightError:
                raise
            except BaseException:  # Ctrl+C: what the process still writes belongs to no call
                self._worker.process.kill()
                self._stop()
                raise

    def _stop(self):
        self._worker.end()
        self._worker = None

    def _figure(self, result, format):
        """Asks again if the process has forgotten the result."""
        with self._lock:
            worker, number = result._number
            if worker is self._worker:
                try:
                    return self._ask({"do": "figure", "result": number, "format": format})[1]
                except HeadlightError as error:
                    if error.where != "result":
                        raise
            reply, _ = self._ask(result._asked)
            result._number = self._worker, reply["result"]
            return self._ask({"do": "figure", "result": reply["result"], "format": format})[1]
