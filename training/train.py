#!/usr/bin/env python3
"""Trains a net of Ferz's own kind: 768 mirrored inputs in king buckets -> hidden x 2 -> 1.

    python3 training/train.py CONFIG.toml [--out FOLDER] [--resume]

The config names the data and the settings; `example.toml` explains every entry. The data are the 32-byte records of
`ferz data convert`, in the order of the games. The trainer shuffles them itself: the last games of each file are held
out, so games must stay in one piece. `Parameters` in crates/eval/src/nnue/format.rs describes the net, its file and how
a value is computed; this file is the other half of that contract.

Output in the folder:

    NAME.nnue         the quantised net
    NAME.tsv          1000 held-out positions and the values the net must give them, computed here in integers
    NAME.json         data, settings and losses, for crates/eval/networks/MANIFEST and training/LINEAGE.md
    NAME.svg          the loss by epoch, if there were epochs
    checkpoint.pt     the state after the last epoch, for --resume

Requires Python 3.11, NumPy and PyTorch 1.13 or later (Debian's packages will do). A GPU computes in 16 bits.
"""

import argparse
import hashlib
import json
import math
import struct
import sys
import time
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

INPUTS = 768
EMPTY = INPUTS  # the row for no piece: always zero
KING_ROWS = 320, 384  # of the own king
KING_BUCKETS = 4  # of a net that has them: castled kings, others on the first rank, on the second, above
KING_BUCKET_OF = [0, 0, 1, 1, 0, 0, 0, 0] + [2] * 8 + [3] * 48  # by square; after mirroring files e to h are empty
MAX_PIECES = 32
QA = 255
FEATURE_LIMIT = 1.98  # keeps accumulators within 16 bits
OUTPUT_LIMIT = 127  # quantised: the engine's products have room for no more
REFERENCES = 1000
BUCKETS = 8  # by the number of pieces; a net has output weights for each bucket, or one set for all
FEWEST = 1000  # positions in a bucket to fit its score scale

# The layout is defined in crates/selfplay/src/data/record-layout.md; test_train.py compares the two.
RECORD = np.dtype(
    [("occupied", "<u8"), ("pieces", "u1", 16), ("score", "<i2"), ("result", "u1"),
     ("king", "u1"), ("their_king", "u1"), ("ply", "<u2"), ("pad", "u1")]
)
assert RECORD.itemsize == 32


# ---- config ----------------------------------------------------------------------------------------------------------

# Keys of a data entry. `score_scale` replaces the fitted scale, `result_share` that of the config.
DATA = {"file", "score_scale", "result_share"}


@dataclass
class Config:
    name: str
    data: list  # tables with the keys of `DATA`; a plain name is a table with `file` alone
    hidden: int = 64
    buckets: int = 1
    king_buckets: int = 1
    epochs: int = 20
    batch: int = 16384
    rate: float = 1e-3
    final_rate: float = 2.5e-6
    decay: float = 0.01
    result_share: float = 0.3
    final_result_share: float | None = None
    scale: int = 200
    output_unit: int = 255
    power: float = 2.0
    held_out: float = 0.02
    start: str | list = ""
    seed: int = 1
    notes: str = ""

    @staticmethod
    def read(path):
        with open(path, "rb") as file:
            table = tomllib.load(file)
        known = {entry.name for entry in fields(Config)}
        unknown = sorted(set(table) - known)
        missing = sorted({"name", "data"} - set(table))
        if unknown or missing:
            sys.exit(f"{path}: unknown entries {unknown}, missing entries {missing}")
        config = Config(**table)
        config.data = [{"file": it} if isinstance(it, str) else dict(it) for it in config.data]
        strange = sorted({key for entry in config.data for key in entry} - DATA)
        if strange or not all("file" in entry for entry in config.data):
            sys.exit(f"{path}: every entry of data needs a file; unknown keys {strange}")
        if config.hidden % 32 or not 32 <= config.hidden <= 2048:
            sys.exit(f"{path}: hidden must be a multiple of 32 from 32 to 2048, not {config.hidden}")
        if not (1 <= config.scale <= 1000 and 1 <= config.output_unit <= 1024):
            sys.exit(f"{path}: scale must be from 1 to 1000 and output_unit from 1 to 1024, "
                     f"not {config.scale} and {config.output_unit}")
        if config.buckets not in (1, BUCKETS):
            sys.exit(f"{path}: buckets must be 1 or {BUCKETS}, not {config.buckets}")
        if config.king_buckets not in (1, KING_BUCKETS):
            sys.exit(f"{path}: king_buckets must be 1 or {KING_BUCKETS}, not {config.king_buckets}")
        config.start = [config.start] if isinstance(config.start, str) and config.start else list(config.start)
        if config.epochs < 0 or config.epochs == 0 and not config.start:
            sys.exit(f"{path}: 0 epochs need nets to start with")
        return config


# ---- data ------------------------------------------------------------------------------------------------------------

def game_starts(plies):
    """The indices at which games begin, except the first. Plies increase within a game."""
    return np.flatnonzero(np.diff(plies.astype(np.int32)) <= 0) + 1


def load(path, held_out):
    """The records of a file, split into training records and the held-out last games."""
    size = path.stat().st_size
    if size == 0 or size % RECORD.itemsize:
        sys.exit(f"{path}: {size} bytes is not a whole number of records")
    records = np.fromfile(path, dtype=RECORD)
    starts = game_starts(records["ply"])
    wanted = int(len(records) * (1 - held_out))
    split = int(starts[min(np.searchsorted(starts, wanted), len(starts) - 1)]) if len(starts) else wanted
    return records[:split], records[split:]


def score_scales(records, path):
    """The K of each bucket with which sigmoid(score / K) predicts the results best.

    A pawn decides an endgame, but not an opening. With one K for all buckets, nets undervalue endgames and overvalue
    openings, and their own games reinforce it. Data whose scores and results disagree are refused here.
    """
    sample = records[:: max(1, len(records) // 1_000_000)]
    score = np.clip(sample["score"].astype(np.float64), -2000, 2000)
    result = sample["result"] / 2.0
    correlation = np.corrcoef(score, result)[0, 1]
    if not correlation > 0.2:
        sys.exit(f"{path}: scores and results disagree (correlation {correlation:.3f})")
    overall = score_scale(score, result)
    occupied = np.unpackbits(sample["occupied"].copy().view(np.uint8).reshape(-1, 8), axis=1).sum(1)
    bucket = np.clip(occupied.astype(np.int64) - 2, 0, 30) // 4
    within = [bucket == number for number in range(BUCKETS)]
    scales = [score_scale(score[it], result[it]) if it.sum() >= FEWEST else overall for it in within]
    return scales, float(correlation)


def score_scale(score, result):
    def loss(scale):
        likely = 1 / (1 + np.exp(-score / scale))
        likely = np.clip(likely, 1e-9, 1 - 1e-9)
        return -np.mean(result * np.log(likely) + (1 - result) * np.log(1 - likely))

    low, high = 10.0, 2000.0
    for _ in range(40):  # the loss has one minimum
        a, b = low * (high / low) ** 0.4, low * (high / low) ** 0.6
        low, high = (low, b) if loss(a) < loss(b) else (a, high)
    return math.sqrt(low * high)


def decode(raw):
    """Feature rows of both sides and the bucket, from records as bytes [n, 32], on the device of the records."""
    device = raw.device
    bits = torch.arange(8, device=device, dtype=torch.uint8)
    occupied = (raw[:, :8, None] >> bits & 1).reshape(-1, 64).bool()
    order = occupied.cumsum(1) - 1
    nibbles = torch.stack((raw[:, 8:24] & 15, raw[:, 8:24] >> 4), 2).reshape(-1, MAX_PIECES).long()
    piece = nibbles.gather(1, order.clamp(0, MAX_PIECES - 1))
    square = torch.arange(64, device=device)[None]
    kind, theirs = piece & 7, piece >> 3

    def rows(other, turned, king):
        # The board is mirrored if the king is on the files e to h.
        mirror = 7 * (king & 7 >= 4).long()[:, None]
        row = 384 * other + 64 * kind + (turned ^ mirror)
        row = torch.where(occupied, row, torch.full_like(row, EMPTY))
        return row.sort(1).values[:, :MAX_PIECES].to(torch.int16)

    own = rows(theirs, square, raw[:, 27].long())
    other = rows(1 - theirs, square ^ 56, raw[:, 28].long() ^ 56)
    bucket = ((occupied.sum(1) - 2).clamp(0, 30) // 4).to(torch.uint8)
    return own, other, bucket


@dataclass
class Data:
    """Positions on the device."""

    own: torch.Tensor
    other: torch.Tensor
    bucket: torch.Tensor
    expected: torch.Tensor  # expected score by the search, 0 to 1
    result: torch.Tensor
    share: torch.Tensor  # share of the result, relative to that of the config

    @staticmethod
    def of(parts, device):
        """From tuples of records, score scales by bucket, and share of the result."""
        columns = [[] for _ in fields(Data)]
        for records, scales, share in parts:
            scale = torch.tensor(scales, dtype=torch.float32, device=device)
            raw_all = torch.from_numpy(records.view(np.uint8).reshape(-1, 32))
            scores = torch.from_numpy(records["score"].astype(np.float32))
            results = torch.from_numpy(records["result"].astype(np.float32) / 2)
            for start in range(0, len(records), 1 << 18):
                part = slice(start, start + (1 << 18))
                own, other, bucket = decode(raw_all[part].to(device))
                expected = torch.sigmoid(scores[part].to(device) / scale[bucket.long()])
                result = results[part].to(device)
                values = (own, other, bucket, expected, result, torch.full_like(result, share))
                for column, value in zip(columns, values):
                    column.append(value)
        return Data(*(torch.cat(column) for column in columns))

    def __len__(self):
        return len(self.result)

    def batch(self, index):
        return tuple(getattr(self, it.name)[index] for it in fields(Data))


# ---- the net ---------------------------------------------------------------------------------------------------------

class DenseNet(torch.autograd.Function):
    """The net on a GPU, in 16 bits, with gradients by hand: faster than autograd. Elsewhere 32 bits, for tests.

    Inputs are dense one-hot rows, which tensor cores multiply faster than any gather. One column stands for no piece,
    and one is always 1: its weights are the biases.
    """

    EXTRA = 8  # columns: rows of a multiple of 16 bytes

    @staticmethod
    def hidden(weights, rows):
        inputs = weights.new_zeros(len(rows), len(weights))
        inputs.scatter_(1, rows, 1)
        inputs[:, 1 - DenseNet.EXTRA] = 1
        return inputs, (inputs @ weights).clamp_(0, 1)

    @staticmethod
    def forward(ctx, features, feature_biases, output, output_biases, own, other, bucket):
        """`features`: the weights of all king buckets; `own` and `other`: rows of them, one more for no piece."""
        kind = torch.float16 if features.is_cuda else torch.float32
        weights = features.new_zeros(len(features) + DenseNet.EXTRA, features.shape[1], dtype=kind)
        weights[: len(features)], weights[1 - DenseNet.EXTRA] = features, feature_biases
        own_inputs, own_hidden = DenseNet.hidden(weights, own)
        other_inputs, other_hidden = DenseNet.hidden(weights, other)
        hidden = torch.cat((own_hidden, other_hidden), 1)
        rounded = output.to(kind)
        bucket = torch.zeros_like(bucket, dtype=torch.long) if len(output) == 1 else bucket.long()
        out = (hidden.square() @ rounded.t()).gather(1, bucket[:, None])[:, 0].float() + output_biases[bucket]
        ctx.save_for_backward(own_inputs, other_inputs, hidden, rounded, bucket)
        return out

    @staticmethod
    def backward(ctx, gradient):
        own_inputs, other_inputs, hidden, output, bucket = ctx.saved_tensors
        # The gradient of a mean is too small for 16 bits.
        count = len(gradient)
        chosen = F.one_hot(bucket, len(output)) * (gradient * count).to(hidden.dtype)[:, None]
        output_gradient = (chosen.t() @ hidden.square()).float() / count
        bias_gradient = F.one_hot(bucket, len(output)).float().t() @ gradient
        inner = (hidden > 0) & (hidden < 1)
        slope = torch.where(inner, (chosen @ output) * hidden * 2, torch.zeros_like(hidden))
        own_slope, other_slope = slope.chunk(2, 1)
        weights = (own_inputs.t() @ own_slope).float() + (other_inputs.t() @ other_slope).float()
        weights /= count
        return (weights[: -DenseNet.EXTRA], weights[1 - DenseNet.EXTRA], output_gradient, bias_gradient,
                None, None, None)


class Net(torch.nn.Module):
    """With king buckets, the weights of a feature are the sum of shared ones and of those of the bucket: what is learnt
    in one bucket helps in the others, and rare features have weights too. The file has the sums."""

    def __init__(self, hidden, buckets, king_buckets=1):
        super().__init__()
        self.hidden, self.buckets, self.king_buckets = hidden, buckets, king_buckets
        # About thirty rows are summed, so neurons start on the slope of their activation.
        self.features = torch.nn.Parameter(torch.empty(INPUTS, hidden).uniform_(-0.08, 0.08))
        self.feature_biases = torch.nn.Parameter(torch.full((hidden,), 0.1))
        limit = 1 / math.sqrt(2 * hidden)
        self.output = torch.nn.Parameter(torch.empty(buckets, 2 * hidden).uniform_(-limit, limit))
        self.output_biases = torch.nn.Parameter(torch.zeros(buckets))
        if king_buckets > 1:
            self.king_features = torch.nn.Parameter(torch.zeros(king_buckets, INPUTS, hidden))
            self.register_buffer("king_bucket_of", torch.tensor(KING_BUCKET_OF), persistent=False)

    def all_features(self):
        """The weights of all king buckets, one after the other."""
        return self.features if self.king_buckets == 1 else (self.features + self.king_features).flatten(0, 1)

    def rows_of(self, rows):
        """The rows of `all_features`; the one behind the last for no piece."""
        rows = rows.long()
        if self.king_buckets == 1:
            return rows
        first, end = KING_ROWS
        king = torch.where((rows >= first) & (rows < end), rows - first, 0).sum(1)
        shift = INPUTS * self.king_bucket_of[king]
        return torch.where(rows == EMPTY, INPUTS * self.king_buckets, rows + shift[:, None])

    def forward(self, own, other, bucket):
        """The log-odds of the expected score."""
        features, own, other = self.all_features(), self.rows_of(own), self.rows_of(other)
        if own.is_cuda:
            return DenseNet.apply(features, self.feature_biases, self.output, self.output_biases, own, other, bucket)
        padded = torch.cat((features, torch.zeros(1, self.hidden)))
        both = [F.embedding_bag(rows, padded, mode="sum") + self.feature_biases for rows in (own, other)]
        both = torch.cat(both, 1)
        hidden = both.clamp(0, 1).square()
        out = hidden @ self.output.t() + self.output_biases
        return out[:, 0] if self.buckets == 1 else out.gather(1, bucket.long()[:, None])[:, 0]

    @torch.no_grad()
    def clip(self, output_unit):
        self.features.clamp_(-FEATURE_LIMIT, FEATURE_LIMIT)
        if self.king_buckets > 1:
            limited = (self.features + self.king_features).clamp_(-FEATURE_LIMIT, FEATURE_LIMIT)
            self.king_features.copy_(limited - self.features)
        self.output.clamp_(-OUTPUT_LIMIT / output_unit, OUTPUT_LIMIT / output_unit)


def loss_of(net, batch, config, result_share):
    own, other, bucket, expected, result, share = batch
    likely = torch.sigmoid(net(own, other, bucket))
    target = expected + result_share * share * (result - expected)
    return (likely - target).abs().pow(config.power).mean()


def mean_of(checkpoints, device):
    """The mean of the weights of nets. It only makes sense if they started from the same weights."""
    states = [torch.load(path, map_location=device)["net"] for path in checkpoints]
    return {key: sum(state[key] for state in states) / len(states) for key in states[0]}


@torch.no_grad()
def validate(net, data, config, result_share):
    """The loss, and the mean squared differences from scores and from results."""
    totals = torch.zeros(3, device=data.own.device)
    for start in range(0, len(data), 65536):
        batch = own, other, bucket, expected, result, _ = data.batch(slice(start, start + 65536))
        likely = torch.sigmoid(net(own, other, bucket))
        loss = loss_of(net, batch, config, result_share)
        parts = torch.stack((loss, (likely - expected).square().mean(), (likely - result).square().mean()))
        totals += parts * len(own)
    return dict(zip(("held_out", "from_scores", "from_results"), (totals / len(data)).tolist()))


# ---- the quantised net -----------------------------------------------------------------------------------------------

@dataclass
class Quantised:
    """The integers that are written to the file."""

    features: np.ndarray
    feature_biases: np.ndarray
    output: np.ndarray
    output_biases: np.ndarray
    output_unit: int
    scale: int

    @staticmethod
    def of(net, config):
        def whole(tensor, unit, kind):
            numbers = np.round(tensor.detach().double().cpu().numpy() * unit)
            limits = np.iinfo(kind)
            assert limits.min <= numbers.min() and numbers.max() <= limits.max, "a weight does not fit its type"
            return numbers.astype(kind)

        quantised = Quantised(
            whole(net.all_features(), QA, np.int16), whole(net.feature_biases, QA, np.int16),
            whole(net.output, config.output_unit, np.int16),
            whole(net.output_biases, QA * config.output_unit, np.int32), config.output_unit, config.scale,
        )
        assert np.abs(quantised.output).max() <= OUTPUT_LIMIT, "an output weight is too large"
        greatest = np.abs(quantised.features.astype(np.int64)).max(0) * MAX_PIECES
        assert (greatest + np.abs(quantised.feature_biases)).max() <= 32767, "an accumulator could overflow"
        return quantised

    def file(self):
        parts = (("<i2", self.features), ("<i2", self.feature_biases), ("<i2", self.output), ("<i4", self.output_biases))
        payload = b"".join(part.astype(kind).tobytes() for kind, part in parts)
        hidden, buckets = self.features.shape[1], len(self.output_biases)
        kind = 1 if len(self.features) == INPUTS else 2
        header = b"FERZNNUE" + struct.pack("<8HQ", 1, kind, hidden, buckets, QA, self.output_unit, self.scale, 0, len(payload))
        return header + hashlib.sha256(header + payload).digest() + payload

    def values(self, own, other, bucket):
        """Values for the side to move, in integers, as the engine computes them. The inputs are rows of `features`."""
        padded = np.vstack((self.features.astype(np.int64), np.zeros((1, self.features.shape[1]), np.int64)))
        both = [padded[rows].sum(1) + self.feature_biases for rows in (own, other)]
        squares = np.clip(np.concatenate(both, 1), 0, QA) ** 2
        bucket = bucket if len(self.output_biases) > 1 else np.zeros_like(bucket)
        total = (squares * self.output[bucket].astype(np.int64)).sum(1)
        return towards_zero((towards_zero(total, QA) + self.output_biases[bucket]) * self.scale, QA * self.output_unit)


def towards_zero(number, divisor):
    return np.sign(number) * (np.abs(number) // divisor)


def fen(record):
    """The position as the net sees it: the side to move is White, no castling rights."""
    board, index = {}, 0
    for square in range(64):
        if int(record["occupied"]) >> square & 1:
            nibble = int(record["pieces"][index // 2]) >> (4 * (index % 2)) & 15
            letter = "pnbrqk"[nibble & 7]
            board[square] = letter if nibble & 8 else letter.upper()
            index += 1
    ranks = []
    for rank in reversed(range(8)):
        text, empty = "", 0
        for file in range(8):
            piece = board.get(8 * rank + file)
            if piece is None:
                empty += 1
                continue
            text += (str(empty) if empty else "") + piece
            empty = 0
        ranks.append(text + (str(empty) if empty else ""))
    return "/".join(ranks) + " w - - 0 1"


# ---- output ----------------------------------------------------------------------------------------------------------

def curve(history, name):
    """The loss by epoch as an SVG."""
    width, height, margin = 720, 360, 50
    values = [value for row in history for value in (row["training"], row["held_out"])]
    low, high = min(values), max(values)
    span = (high - low) or 1.0

    def place(epoch, value):
        x = margin + (width - 2 * margin) * (epoch / max(1, len(history) - 1))
        return f"{x:.1f},{height - margin - (height - 2 * margin) * (value - low) / span:.1f}"

    lines = []
    for key, colour, at in (("training", "#888888", 0), ("held_out", "#b3401f", 1)):
        points = " ".join(place(epoch, row[key]) for epoch, row in enumerate(history))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = f'{key.replace("_", " ")} {history[-1][key]:.6f}'
        lines.append(f'<text x="{width - 260}" y="{30 + 18 * at}" fill="{colour}">{label}</text>')
    axis = f'<path d="M{margin} {margin}V{height - margin}H{width - margin}" fill="none" stroke="#444444"/>'
    labels = (f'<text x="6" y="{margin}">{high:.4f}</text><text x="6" y="{height - margin}">{low:.4f}</text>'
              f'<text x="{width - margin - 60}" y="{height - 20}">epoch {len(history)}</text>'
              f'<text x="{margin}" y="30">{name}: loss</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="13"><rect width="{width}" height="{height}" fill="white"/>{axis}{labels}{"".join(lines)}</svg>\n')


def inputs_name(king_buckets):
    return "768hm" if king_buckets == 1 else f"768x{king_buckets}hm"


def export(net, config, held_records, held, history, sources, folder):
    quantised = Quantised.of(net, config)
    file = quantised.file()
    (folder / f"{config.name}.nnue").write_bytes(file)

    choice = np.random.default_rng(config.seed).permutation(len(held))[:REFERENCES]
    index = torch.from_numpy(np.sort(choice)).to(held.own.device)
    inputs = [tensor[index].cpu() for tensor in (held.own, held.other, held.bucket)]
    net = net.cpu()
    rows = [net.rows_of(inputs[0]), net.rows_of(inputs[1]), inputs[2]]
    values = quantised.values(*(tensor.numpy().astype(np.int64) for tensor in rows))
    with torch.no_grad():
        exact = net(*inputs).numpy() * config.scale
    rows = (f"{fen(held_records[at])}\t{value}\n" for at, value in zip(index.cpu().numpy(), values))
    (folder / f"{config.name}.tsv").write_text("".join(rows))

    summary = {
        "name": config.name,
        "sha256": hashlib.sha256(file).hexdigest(),
        "architecture": f"{inputs_name(config.king_buckets)}-{config.hidden}x2-1x{config.buckets}",
        "loss": history[-1],
        "quantisation_error": float(np.abs(values - exact).mean()),
        "config": {it.name: getattr(config, it.name) for it in fields(config)},
        "data": sources,
    }
    (folder / f"{config.name}.json").write_text(json.dumps(summary, indent=1) + "\n")
    if config.epochs:
        (folder / f"{config.name}.svg").write_text(curve(history, config.name))
    return summary


# ---- training --------------------------------------------------------------------------------------------------------

def main():
    parser = argparse.ArgumentParser(description="Train a net. The head of this file explains input and output.")
    parser.add_argument("config", type=Path, help="settings; see example.toml")
    parser.add_argument("--out", type=Path, default=Path("data/nets"), help="output folder (default: data/nets)")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint in the output folder")
    arguments = parser.parse_args()
    config = Config.read(arguments.config)
    arguments.out.mkdir(parents=True, exist_ok=True)

    torch.manual_seed(config.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    began = time.time()
    parts, held_parts, sources = [], [], []
    for entry in config.data:
        path = Path(entry["file"])
        records, held = load(path, config.held_out)
        scales, correlation = score_scales(records, path)
        if "score_scale" in entry:
            scales = [entry["score_scale"]] * BUCKETS
        share = entry.get("result_share", config.result_share) / (config.result_share or 1)
        parts.append((records, scales, share))
        held_parts.append((held, scales, share))
        source = {"file": path.name, "positions": len(records), "held_out": len(held),
                  "score_scales": [round(scale, 1) for scale in scales], "correlation": round(correlation, 3)}
        sources.append(source)
        print(f"{path}: {len(records)} positions, {len(held)} held out, "
              f"sigmoid(score / K) with K = {', '.join(f'{scale:.0f}' for scale in scales)} from endgames to openings, "
              f"correlation {correlation:.3f}", flush=True)
    training = Data.of(parts, device)
    held = Data.of(held_parts, device)
    held_records = np.concatenate([records for records, *_ in held_parts])
    if len(training) < config.batch or not len(held):
        sys.exit(f"{len(training)} positions and {len(held)} held out are too few for a batch of {config.batch}")
    print(f"{len(training)} positions on {device} after {time.time() - began:.1f} s", flush=True)

    net = Net(config.hidden, config.buckets, config.king_buckets).to(device)
    if config.start:
        net.load_state_dict(mean_of(config.start, device))
    fused = {"fused": True} if device.type == "cuda" else {}
    optimiser = torch.optim.AdamW(net.parameters(), lr=config.rate, weight_decay=config.decay, **fused)
    steps = len(training) // config.batch
    ratio = config.final_rate / config.rate
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda step: ratio + (1 - ratio) * 0.5 * (1 + math.cos(math.pi * min(1, step / max(1, steps * config.epochs)))),
    )
    last_share = config.result_share if config.final_result_share is None else config.final_result_share
    history = []
    checkpoint = arguments.out / "checkpoint.pt"
    if arguments.resume and checkpoint.exists():
        state = torch.load(checkpoint, map_location=device)
        if state["name"] != config.name:
            sys.exit(f"{checkpoint} belongs to {state['name']}, not to {config.name}")
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        history = state["history"]

    while len(history) < config.epochs:
        epoch, began = len(history), time.time()
        share = config.result_share + (last_share - config.result_share) * epoch / max(1, config.epochs - 1)
        order = torch.randperm(len(training), device=device)
        total = torch.zeros((), device=device)
        for step in range(steps):
            batch = training.batch(order[step * config.batch : (step + 1) * config.batch])
            loss = loss_of(net, batch, config, share)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            net.clip(config.output_unit)
            schedule.step()
            total += loss.detach()
        # The share may change by epoch; held-out losses always use the last one, so that they compare.
        row = {"training": total.item() / steps, **validate(net, held, config, last_share)}
        if not math.isfinite(row["held_out"]):
            sys.exit(f"the loss of epoch {epoch + 1} is {row['held_out']}")
        history.append(row)
        rate = steps * config.batch / (time.time() - began)
        print(f"epoch {epoch + 1}/{config.epochs}: training {row['training']:.6f}, held out {row['held_out']:.6f} "
              f"(scores {row['from_scores']:.6f}, results {row['from_results']:.6f}), {rate / 1e6:.2f} M positions/s", flush=True)
        torch.save({"name": config.name, "net": net.state_dict(), "optimiser": optimiser.state_dict(),
                    "schedule": schedule.state_dict(), "history": history}, checkpoint)

    if not history:  # 0 epochs: measure and write the net it started from
        history.append({"training": None, **validate(net, held, config, last_share)})
    summary = export(net, config, held_records, held, history, sources, arguments.out)
    print(f"{config.name}.nnue: {summary['architecture']}, {summary['sha256']}, "
          f"{summary['quantisation_error']:.2f} cp mean quantisation error")


if __name__ == "__main__":
    main()
