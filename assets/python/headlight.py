"""Attention in Headlight's window, or as a figure in a notebook, in one line. Needs NumPy alone.

    import headlight
    headlight.show(attentions, tokens)               weights: Tq x Tk, H x Tq x Tk or B x H x Tq x Tk; a list of them: layers
    headlight.show(q=q, k=k, v=v, tokens=tokens)     T x d, H x T x d or B x H x T x d; k and v may have fewer heads
    headlight.show(multihead_attention, x)           a torch.nn.MultiheadAttention and its input
    headlight.figure(attentions, tokens)             the same as SVG (or PNG), which a notebook shows

    with headlight.capture(model) as captured:       any PyTorch model
        model(inputs)
    headlight.show(captured, tokens, layer=3)

Arrays may be NumPy's, PyTorch's, or lists. The program `headlight` is looked for where the environment variable HEADLIGHT
says, on PATH, and beside this file's installation or in its build folders. What it refuses is raised as HeadlightError.
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

import numpy as np

__all__ = ["show", "figure", "capture", "HeadlightError"]


class HeadlightError(Exception):
    """What was given is no attention, or the program refuses it; the message is the program's."""


# ---- the program

def program():
    """The path of the program. Raises HeadlightError where there is none."""
    named = os.environ.get("HEADLIGHT")
    if named:
        if os.access(named, os.X_OK) and os.path.isfile(named):
            return named
        raise HeadlightError(f"HEADLIGHT is {named}, which is no program")
    found = shutil.which("headlight")
    if found:
        return found
    folder = pathlib.Path(__file__).resolve().parent
    places = [folder.parents[2] / "bin"] if len(folder.parents) > 2 else []
    places += [folder.parents[1] / "build" / kind / "app" for kind in ("release", "dev")]
    for place in places:
        if os.access(place / "headlight", os.X_OK):
            return str(place / "headlight")
    raise HeadlightError("the program headlight is not on PATH: install it, or set HEADLIGHT to where it is")


def _run(command, path, *arguments):
    arguments = [command, path, *arguments]
    done = subprocess.run([program(), *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        said = lines[-1].removeprefix("headlight: ").replace(f"{path}: ", "") if lines else "it ended without a word"
        raise HeadlightError(said)


# ---- sessions

def _array(value):
    """As float32 of NumPy; PyTorch's tensors too, wherever they are."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    return np.ascontiguousarray(value, dtype=np.float32)


def _finite(array, name):
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise HeadlightError(f"{name}[{', '.join(map(str, place))}] is {array[place]}: every number must be finite")
    return array


def _four_axes(value, name):
    array = _array(value)
    if not 2 <= array.ndim <= 4:
        raise HeadlightError(f"{name} has the shape {array.shape}: expected 2 to 4 axes, B x H x rows x columns")
    return _finite(array, name).reshape((1,) * (4 - array.ndim) + array.shape)


def _labels(tokens, count, letter):
    if tokens is None:
        return [f"{letter}{i}" for i in range(count)]
    return [str(token) for token in tokens]


class _Session:
    """A session and the arrays that it refers to."""

    def __init__(self, title):
        self.arrays = {}
        self.fields = {"format": "headlight-session", "version": 1, "title": title}

        self.layers = None  # weights of several layers, which a window switches between; the session has the first

    def file(self, name, array):
        self.arrays[name] = array
        return {"file": "arrays.npz", "name": name}

    def label(self, queries, keys, tokens, key_tokens):
        self.fields["tokens"] = _labels(tokens, queries, "")
        if key_tokens is not None or keys != queries:
            self.fields["key_tokens"] = _labels(key_tokens, keys, "k")

    def save(self, folder):
        """Writes both, lets the program compute from them, and returns the session's path."""
        np.savez(folder / "arrays.npz", **self.arrays)
        path = folder / "session.headlight"
        path.write_text(json.dumps(self.fields), encoding="utf-8")
        attention = self.fields["attention"]
        few = attention["projection"] != "weights" or "value" in self.fields["given"]
        _run("print", path, "--stage", "context" if few else "weights", "--head", 0)
        return path

    def opened(self, folder):
        """The words of the command line that open it in a window."""
        path = self.save(folder)
        if self.layers is None:
            return [path]
        np.savez(folder / "layers.npz", attentions=self.layers)
        return ["--apply", path, folder / "layers.npz"]


def _weights_session(weights, values, tokens, key_tokens, title):
    weights = _four_axes(weights, "the weights")
    session = _Session(title)
    session.label(weights.shape[2], weights.shape[3], tokens, key_tokens)
    session.fields["attention"] = {"projection": "weights", "num_heads": weights.shape[1]}
    session.fields["given"] = {"weights": session.file("weights", weights)}
    if values is not None:
        session.fields["given"]["value"] = session.file("value", _four_axes(values, "v"))
    return session


def _qkv_session(q, k, v, tokens, key_tokens, title, settings):
    if q is None or k is None or v is None:
        raise HeadlightError("give all of q, k and v")
    q, k, v = _four_axes(q, "q"), _four_axes(k, "k"), _four_axes(v, "v")
    session = _Session(title)
    session.label(q.shape[2], k.shape[2], tokens, key_tokens)
    heads, groups = q.shape[1], k.shape[1]
    attention = {"projection": "none", "num_heads": heads, "num_kv_heads": groups, "d_k": q.shape[3], "d_v": v.shape[3],
                 "d_out": heads * v.shape[3], **settings}
    session.fields["attention"] = attention
    session.fields["given"] = {name: session.file(name, array) for name, array in (("query", q), ("key", k), ("value", v))}
    return session


def _is_layer(value):
    return hasattr(value, "in_proj_weight") and hasattr(value, "out_proj") and hasattr(value, "num_heads")


def _sequences(x, layer):
    """B x T x d of what a torch.nn.MultiheadAttention is given."""
    x = _array(x)
    if x.ndim == 2:
        return x[None]
    if x.ndim != 3:
        raise HeadlightError(f"the layer's input has the shape {x.shape}: expected T x d or B x T x d")
    return x if layer.batch_first else np.ascontiguousarray(x.swapaxes(0, 1))


def _layer_session(layer, x, keys, tokens, key_tokens, title, settings):
    if x is None:
        raise HeadlightError("give the layer's input too: show(layer, x)")
    if layer.bias_k is not None or layer.add_zero_attn:
        raise HeadlightError("layers with bias_k or add_zero_attn have a key that is no token: show their weights instead")
    x, y = _sequences(x, layer), None if keys is None else _sequences(keys, layer)
    session = _Session(title)
    session.label(x.shape[1], (x if y is None else y).shape[1], tokens, key_tokens if y is not None else None)
    if y is not None and "key_tokens" not in session.fields:
        session.fields["key_tokens"] = _labels(None, y.shape[1], "k")
    width = layer.embed_dim
    parts = [layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight]
    if layer.in_proj_weight is not None:
        parts = np.split(_array(layer.in_proj_weight), 3)
    has_bias = layer.in_proj_bias is not None
    session.fields["attention"] = {"projection": "linear", "d_out": width, "num_heads": layer.num_heads,
                                   "qkv_bias": has_bias, "output_projection": True, **settings}
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


def _layers_of(what):
    """The layers in what show() was given, as a list; None where it is one alone."""
    if isinstance(what, _Captured):
        if not what.layers:
            raise HeadlightError("nothing was captured: call the model inside of `with headlight.capture(model)`, "
                                 "with output_attentions=True where it has that")
        return what.layers
    if isinstance(what, (list, tuple)) and what and getattr(what[0], "ndim", 0) >= 3:
        return list(what)
    if getattr(what, "ndim", 0) == 5:
        return list(what)
    return None


def _all_layers(layers):
    """The weights of all layers as one array, L x B x H x Tq x Tk; None where they are not of one shape, or not weights."""
    weights = [one.weights if isinstance(one, CapturedLayer) else one for one in layers]
    if any(one is None for one in weights):
        return None
    weights = [_four_axes(one, f"the weights of layer {at}") for at, one in enumerate(weights)]
    return np.stack(weights) if len({one.shape for one in weights}) == 1 else None


def _layered_session(layers, tokens, key_tokens, title):
    """Of weights of several layers, for a window; None where one alone can be shown."""
    weights = _all_layers(layers)
    # Labels of their own for as many keys as there are queries would not outlive the file's arrays.
    if weights is None or (key_tokens is not None and weights.shape[3] == weights.shape[4]):
        return None
    session = _weights_session(weights[0], None, tokens, key_tokens, title or f"Attention weights of {len(layers)} layers")
    session.layers = weights
    return session


def _session(attentions, tokens, *, x=None, keys=None, q=None, k=None, v=None, key_tokens=None, layer=None, causal=False,
             scale=None, title=None, switched=False):
    settings = {"mask": "causal"} if causal else {}
    if scale is not None:
        settings["scale"] = scale
    if attentions is None:
        return _qkv_session(q, k, v, tokens, key_tokens, title or "From Python", settings)
    if _is_layer(attentions):
        return _layer_session(attentions, x, keys, tokens, key_tokens, title or "torch.nn.MultiheadAttention", settings)
    if settings:
        raise HeadlightError("weights are shown as they are: causal and scale go with q, k and v")
    layers = _layers_of(attentions)
    if layers is None:
        return _weights_session(attentions, v, tokens, key_tokens, title or "Attention weights")
    at = 0 if layer is None else layer
    if not 0 <= at < len(layers):
        raise HeadlightError(f"there is no layer {at}: there are {len(layers)}, counted from 0")
    one = layers[at]
    if switched and layer is None and len(layers) > 1 and v is None:
        session = _layered_session(layers, tokens, key_tokens, title)
        if session is not None:
            return session
    if layer is None and len(layers) > 1:
        print(f"headlight: this is layer 0 of {len(layers)}; layer=... shows another, up to {len(layers) - 1}", file=sys.stderr)
    if isinstance(one, CapturedLayer):
        return one._session(tokens, key_tokens, title or f"Layer {at}: {one.name}")
    return _weights_session(one, v, tokens, key_tokens, title or f"Attention weights of layer {at}")


def _arguments(attentions, tokens, more):
    """With a layer the second argument is its input."""
    if attentions is not None and _is_layer(attentions) and "x" not in more:
        more["x"], tokens = tokens, more.pop("tokens_of_x", None)
    return _session(attentions, tokens, **more)


# ---- the window and figures

class Window:
    """A window that show() has opened."""

    def __init__(self, process, folder):
        self.process, self.folder, self.tidied = process, folder, threading.Event()
        threading.Thread(target=self._tidy, daemon=True).start()

    def _tidy(self):  # the files are read while it is open, when the session is saved
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.tidied.set()

    def wait(self):
        """Until the window is closed; returns the program's exit status."""
        return self.process.wait()

    def close(self):
        self.process.terminate()


def show(attentions=None, tokens=None, *, options=(), **more):
    """Opens a window and returns at once.

    attentions: weights, a list of them (layers), what capture() gave, or a torch.nn.MultiheadAttention, whose input then
        stands in the place of tokens (its tokens are given as tokens_of_x=[...]; keys=y for cross-attention).
    q, k, v: queries, keys and values in place of weights; v also beside weights.
    tokens, key_tokens: labels of queries and keys; without them numbers.
    layer: which of several, from 0. Without it the window has all of them and switches, if they are weights of one shape.
    causal, scale: of q, k, v and layers.  title: of the session.
    options: further words of the program's command line.
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
    """The figure of a stage as SVG, PNG or PDF; of what show() takes, with the options of `headlight export`:
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
    """One call of an attention layer: its name in the model, and its weights (B x H x Tq x Tk), or where the model keeps them
    to itself the queries, keys and values before they are turned by their positions, with the settings of the session."""

    def __init__(self, name, weights=None, q=None, k=None, v=None, settings=None):
        self.name, self.weights, self.q, self.k, self.v, self.settings = name, weights, q, k, v, settings or {}

    def _session(self, tokens, key_tokens, title):
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


# The names of the projections: of q, k and v each, or of all in one ("rows": q, k, v side by side; "heads": head by head).
_APART = [("q_proj", "k_proj", "v_proj"), ("query", "key", "value"), ("q", "k", "v")]
_FUSED = {"c_attn": "rows", "query_key_value": "heads"}
# Whose queries meet more than a scale and a mask can say, so that only their weights are shown.
_RELATIVE = ("relative_attention_bias", "has_relative_attention_bias", "distance_embedding", "q_norm", "k_norm", "alibi")


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
    batch, tokens, width = array.shape
    return array.reshape(batch, tokens, heads, width // heads).transpose(0, 2, 1, 3)


def _heads(module, parts):
    """q, k, v as B x H x T x d; None where the number of heads is not to be found."""
    count = _setting(module, "num_heads", "num_attention_heads", "n_heads", "n_head")
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


def _settings(module, head_width):
    """What the layer does between q k^T and its weights, as far as its attributes and its model's configuration tell."""
    settings = {}
    config = getattr(module, "config", None)
    if getattr(module, "is_causal", False) or getattr(config, "is_decoder", False):
        settings["mask"] = "causal"
    window = _setting(module, "sliding_window")
    if window and "mask" in settings:
        settings["mask"] = {"causal": True, "window": [int(window) - 1, None]}
    scaling, softcap = _setting(module, "scaling"), _setting(module, "attn_logit_softcapping")
    if scaling is not None:
        settings["scale"] = scaling
    if softcap is not None:
        settings["softcap"] = softcap
    theta = _setting(module, "rope_theta", "rotary_emb_base")
    if theta is None and isinstance(getattr(config, "rope_parameters", None), dict):
        theta = config.rope_parameters.get("rope_theta")
    if theta is not None:
        share = _setting(module, "partial_rotary_factor", "rotary_pct") or 1
        settings["position"] = {"kind": "rope", "theta": theta, "dims": int(head_width * share) // 2 * 2}
    return settings


def _are_weights(value):
    if getattr(value, "ndim", 0) != 4 or not value.is_floating_point():
        return False
    sums = value.detach().float().sum(-1)
    return bool((value >= 0).all()) and bool((((sums - 1).abs() < 1e-2) | (sums.abs() < 1e-6)).all())


class _Recorder:
    def __init__(self, model, captured):
        self.captured, self.undo, self.parts, self.seen = captured, [], {}, []
        for name, module in model.named_modules():
            if hasattr(module, "activation_relu_or_gelu"):  # the fused path of TransformerEncoderLayer calls no layers
                self.set(module, "activation_relu_or_gelu", 0)
            if _is_layer(module):
                self.wrap(name, module)
                continue
            names = _projections(module) or ()
            for child in names:
                hook = getattr(module, child).register_forward_hook(
                    lambda _, __, output, module=module, child=child: self.part(module, child, output))
                self.undo.append(hook.remove)
            hook = module.register_forward_hook(
                lambda module, _, output, name=name: self.done(name, module, output))
            self.undo.append(hook.remove)

    def set(self, module, name, value):
        before = getattr(module, name)
        setattr(module, name, value)
        self.undo.append(lambda: setattr(module, name, before))

    def wrap(self, name, module):
        """A torch.nn.MultiheadAttention is made to tell the weights of each head, and its caller does not notice."""
        forward = module.forward

        def asked(*arguments, **named):
            wanted = dict(zip(("query", "key", "value", "key_padding_mask", "need_weights", "attn_mask",
                               "average_attn_weights"), arguments), **named)
            needs, averages = wanted.get("need_weights", True), wanted.get("average_attn_weights", True)
            output, weights = forward(**{**wanted, "need_weights": True, "average_attn_weights": False})
            four = weights if weights.ndim == 4 else weights[None]
            self.captured.layers.append(CapturedLayer(name, weights=_array(four)))
            if not needs:
                return output, None
            return output, weights.mean(dim=-3) if averages else weights

        module.forward = asked
        self.undo.append(lambda: module.__dict__.pop("forward"))

    def part(self, module, child, output):
        self.parts.setdefault(id(module), {})[child] = output

    def done(self, name, module, output):
        parts = self.parts.pop(id(module), None)
        outputs = output if isinstance(output, (list, tuple)) else [output]
        weights = next((one for one in outputs if _are_weights(one)), None)
        if any(weights is one for one in self.seen):
            return
        if weights is not None:
            self.seen.append(weights)
            self.captured.layers.append(CapturedLayer(name, weights=_array(weights)))
            return
        if parts is None or any(hasattr(module, one) for one in _RELATIVE):
            return
        try:
            heads = _heads(module, parts)
        except ValueError:  # the parts are those of something else
            return
        if heads is None:
            return
        q, k, v = heads
        self.captured.layers.append(CapturedLayer(name, q=q, k=k, v=v, settings=_settings(module, q.shape[-1])))

    def end(self):
        for undo in reversed(self.undo):
            undo()


@contextlib.contextmanager
def capture(model):
    """Records every attention layer of a PyTorch model that is called inside: the weights of those that return them (of
    Hugging Face's models with output_attentions=True) and of torch.nn.MultiheadAttention, else the queries, keys and values
    of layers whose projections have one of the usual names. Dropout is that of the model: call model.eval() first."""
    captured = _Captured()
    recorder = _Recorder(model, captured)
    try:
        yield captured
    finally:
        recorder.end()
