"""Pictures and the numbers that a model takes of them, by Pillow and NumPy as the library's processor for vit does.

    /usr/bin/python3 generate_images.py images
"""
import json
import sys

import numpy as np
from PIL import Image

folder = sys.argv[1]
i, j = np.mgrid[0:29, 0:37]
pixels = np.stack([(i * 9 + j * 3) % 256, (i * j) % 256, 255 - (j * 7) % 256], -1).astype(np.uint8)
picture = Image.fromarray(pixels)
picture.save(folder + "/colours.png")
picture.save(folder + "/colours.jpg", quality=80)
picture.convert("L").save(folder + "/grey.png")
picture.convert("RGBA").save(folder + "/clear.png")
picture.quantize(16).save(folder + "/palette.png")

cases = []


def case(file, **how):
    image = Image.open(folder + "/" + file).convert("L" if file == "grey.png" else "RGB")
    size = how.get("size", {"height": 224, "width": 224})
    if how.get("do_resize", True):
        if "shortest_edge" in size:
            short = min(image.size)
            wide, high = (size["shortest_edge"] if one == short else int(size["shortest_edge"] * one / short) for one in image.size)
        else:
            wide, high = size["width"], size["height"]
        image = image.resize((wide, high), how.get("resample", 2))
    x = np.atleast_3d(np.asarray(image))
    if how.get("do_center_crop"):
        high, wide = how["crop_size"]["height"], how["crop_size"]["width"]
        top, left = (x.shape[0] - high) // 2, (x.shape[1] - wide) // 2
        x = x[top : top + high, left : left + wide]
    if how.get("do_rescale", True):
        x = (x.astype(np.float64) * how.get("rescale_factor", 1 / 255)).astype(np.float32)
    x = x.astype(np.float32)
    if how.get("do_normalize", True):
        mean, deviation = (np.array(how.get(k, [0.5]), np.float32) for k in ("image_mean", "image_std"))
        x = (x - mean) / deviation
    x = x.transpose(2, 0, 1)
    cases.append({"file": file, "config": how, "shape": list(x.shape), "numbers": [float("%.7g" % one) for one in x.reshape(-1)]})


for file in ("colours.png", "colours.jpg", "clear.png", "palette.png"):
    case(file, size={"height": 8, "width": 12})
case("colours.png", size={"height": 50, "width": 9}, resample=3, image_mean=[0.4, 0.5, 0.6], image_std=[0.2, 0.3, 0.25])
case("colours.png", size={"height": 7, "width": 90}, resample=2, rescale_factor=0.0039)
case("colours.png", size={"height": 7, "width": 50}, resample=0, do_normalize=False)
case("colours.png", size={"shortest_edge": 12}, do_center_crop=True, crop_size={"height": 8, "width": 10})
case("colours.png", do_resize=False, do_rescale=False)
case("grey.png", size={"height": 8, "width": 12})
json.dump(cases, open(folder + "/images.json", "w"), separators=(",", ":"))
