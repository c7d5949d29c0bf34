#!/usr/bin/env python3
"""Teaches a net what larger ones learnt from its games.

    python3 training/distil.py CONFIG.toml [--out FOLDER]

`distil-example.toml` explains every entry of the config. The steps:

1. Teachers, convolutional nets, learn a correction to the base net: from the scores and results of the base net's
   games, and by predicting their moves. They are too slow to play with.
2. The teachers label positions that searches evaluated (`ferz datagen --sample`) and those of the games. There are many
   more of these than of games, and a net is asked about them in play. Each position is labelled by one of the teachers,
   in turn: whoever learns the labels learns the mean of the teachers. A teacher that continues an earlier one learns
   from games and labels.
3. A student learns the labels. It starts from the base net and has its size; it may have king buckets where the base
   net has none.
4. Copies of the student, and of what it started from, are trained a little on the games themselves. The result is a
   mean of weights (a greedy soup). It takes those of the copies, of both that they started from and of the base that
   bring it nearer to the truth, the scores of searches with many more nodes.

All files must exist, unless `wait_seconds` is set: games and samples may then be generated while teachers learn. A file
is read when it is needed. A sample may still grow; what is there is taken.

Output in the folder: NAME.nnue, NAME.tsv, NAME.json as `train.py` writes them, the student and the teachers (.pt), and
NAME-settings.toml, the config with all defaults, which this program reads again.
All positions are kept on the device: about 140 bytes each. Requires Python 3.11, NumPy and PyTorch 1.13 or later.
"""

import argparse
import hashlib
import json
import math
import struct
import sys
import time
import tomllib
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import train

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.backends.cudnn.benchmark = True  # all batches have the same size
OUTPUT_UNIT = 255
BATCH = 16384  # where nothing is learnt
REACH = 8  # how many later records of a game count for a smoothed score
PROGRESS = 20  # seconds between lines
NO_MOVE = -1  # of a position whose move is not known


# ---- config ----------------------------------------------------------------------------------------------------------

@dataclass
class TeacherSettings:
    games: list = field(default_factory=list)  # files of `ferz data convert`, in addition to those of earlier teachers
    epochs: float = 3.0  # over all games so far
    share: float = 0.15  # of the result in the target
    rate: float = 1.5e-3
    continues: int = 0  # the number of the teacher whose weights it starts with; 0: it begins anew
    start: str = ""  # a teacher of an earlier run with the same base, to start with
    policy: float = 0.0  # weight of the loss of predicting the moves that were played
    seconds: float = math.inf  # it ends by then at the latest
    labels: float = 0.0  # share of a batch with labels of the earlier teachers


@dataclass
class Tune:
    rate: float
    share: float
    smoothing: float = 1.0
    epochs: float = 1.0
    labels: float = 0.0  # share of the labels in the target
    from_start: bool = False  # it starts with what the student started from, instead of the student


@dataclass
class Config:
    name: str
    base: str
    teacher: list
    truth: str
    foreign: list = field(default_factory=list)
    anchor_sample: list = field(default_factory=list)
    sample: list = field(default_factory=list)
    tune: list = field(default_factory=list)
    width: int = 128
    blocks: int = 10
    teacher_batch: int = 4096
    smoothing: float = 1.0
    memory: float = 0.85
    anchors: float = 0.125
    foreign_share: float = 0.3
    pretraining: float = 20.0
    pretraining_policy: float = 0.0
    pretraining_seconds: float = math.inf
    early_sample: float = 12.0
    passes: float = 40.0
    student_batch: int = 32768
    student_rate: float = 1e-3
    student_seconds: float = math.inf
    student_start: str = ""
    king_buckets: int = 1
    tune_batch: int = 16384
    held_out: float = 0.02
    wait_seconds: float = 0.0
    seed: int = 1

    @staticmethod
    def read(path):
        def made(kind, table):
            unknown = sorted(set(table) - {entry.name for entry in fields(kind)})
            if unknown:
                sys.exit(f"{path}: unknown entries {unknown}")
            try:
                return kind(**table)
            except TypeError as error:
                sys.exit(f"{path}: {error}")

        config = made(Config, tomllib.loads(Path(path).read_text("utf-8")))
        config.teacher = [made(TeacherSettings, table) for table in config.teacher]
        config.tune = [made(Tune, table) for table in config.tune]
        if not config.teacher or not config.teacher[0].games:
            sys.exit(f"{path}: at least one teacher is needed, the first with games")
        for number, setting in enumerate(config.teacher, 1):
            if not 0 <= setting.continues < number or (setting.labels and number == 1):
                sys.exit(f"{path}: teacher {number} can only continue and learn from earlier teachers")
        return config

    def write(self, path):
        """Writes all entries, defaults included."""
        def text(value):
            return repr(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)

        def lines(settings):
            entries = vars(settings).items()
            return [f"{name} = {text(value)}" for name, value in entries if name not in ("teacher", "tune")]

        tables = [("[[teacher]]", it) for it in self.teacher] + [("[[tune]]", it) for it in self.tune]
        parts = [lines(self)] + [[name, *lines(settings)] for name, settings in tables]
        Path(path).write_text("\n\n".join("\n".join(part) for part in parts) + "\n", "utf-8")

    def check_files(self):
        """Refuses files that do not exist, unless they may still be generated."""
        def missing(paths):
            return ", ".join(path for path in paths if path and not Path(path).exists())

        given = [self.base, self.student_start, *(it.start for it in self.teacher)]
        games = [*self.foreign, *(path for it in self.teacher for path in it.games)]
        moves = [str(Path(path).with_suffix(".moves")) for path in games] if self.has_policy() else []
        generated = [self.truth, *games, *moves, *self.anchor_sample, *self.sample]
        if missing(given):
            sys.exit(f"missing: {missing(given)}")
        if not self.wait_seconds and missing(generated):
            sys.exit(f"missing: {missing(generated)}; set wait_seconds if they are still being generated")

    def has_policy(self):
        return bool(self.pretraining_policy) or any(it.policy for it in self.teacher)

    def labelling(self, count):
        """Those of the first `count` teachers that label: a teacher that another one continues does not."""
        continued = {it.continues for it in self.teacher[:count]}
        return [number for number in range(1, count + 1) if number not in continued]


def wait_for(path, seconds):
    """Files of `ferz data` have no name until they are complete."""
    began = time.time()
    if not Path(path).exists():
        print(f"waiting for {path}, at most {seconds:.0f} s", flush=True)
    while not Path(path).exists():
        if time.time() > began + seconds:
            sys.exit(f"{path}: still missing after {seconds:.0f} s (wait_seconds)")
        time.sleep(1)


# ---- nets ------------------------------------------------------------------------------------------------------------

def read_net(path):
    """The net of a file and its scale."""
    raw = Path(path).read_bytes()
    version, kind, hidden, buckets, qa, unit, scale, _, length = struct.unpack("<8HQ", raw[8:32])
    if raw[:8] != b"FERZNNUE" or (version, qa) != (1, train.QA) or kind not in (1, 2) or len(raw) != 64 + length:
        sys.exit(f"{path}: not a net of this trainer")
    if hashlib.sha256(raw[:32] + raw[64:]).digest() != raw[32:64]:
        sys.exit(f"{path}: damaged")
    net, at = train.Net(hidden, buckets, 1 if kind == 1 else train.KING_BUCKETS), 64
    with torch.no_grad():
        for name in ("features" if kind == 1 else "king_features", "feature_biases", "output", "output_biases"):
            parameter = getattr(net, name)
            numbers = np.frombuffer(raw, "<i4" if name == "output_biases" else "<i2", parameter.numel(), at)
            at += numbers.nbytes
            parameter.copy_(torch.from_numpy(numbers.astype(np.float32)).reshape(parameter.shape) / unit_of(name, unit))
        if kind == 2:
            net.features.zero_()
    return net.to(DEVICE), scale


def unit_of(name, output_unit=OUTPUT_UNIT):
    """What a weight of 1 is in the file."""
    return {"output": output_unit, "output_biases": train.QA * output_unit}.get(name, train.QA)


def king_buckets_of(state):
    return len(state["king_features"]) if "king_features" in state else 1


def net_of(state):
    net = train.Net(state["features"].shape[1], len(state["output_biases"]), king_buckets_of(state)).to(DEVICE)
    net.load_state_dict(state)
    return net


def with_king_buckets(state, count):
    """The same net with so many king buckets, all alike."""
    if count == 1 or "king_features" in state:
        return state
    features = state["features"]
    return {**state, "king_features": features.new_zeros(count, *features.shape)}


def folded(state):
    """The same net without shared weights: only the sums can be rounded."""
    if "king_features" not in state:
        return state
    features, king_features = state["features"], state["king_features"]
    return {**state, "features": torch.zeros_like(features), "king_features": features + king_features}


def state_of(net):
    return {name: value.detach().clone() for name, value in net.state_dict().items()}


def mean_of(states):
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}


def dithered(state):
    """Weights of a file are whole numbers, to which a mean could be rounded back. This puts them anywhere within half a
    unit."""
    return {name: value + (torch.rand_like(value) - 0.5) / unit_of(name) for name, value in state.items()}


def rounded(state):
    return {name: (value * unit_of(name)).round() / unit_of(name) for name, value in folded(state).items()}


def normed(inputs, outputs, size=3):
    convolution = torch.nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)
    return torch.nn.Sequential(convolution, torch.nn.BatchNorm2d(outputs))


class Block(torch.nn.Module):
    """A residual block with squeeze and excitation: what is seen anywhere on the board weighs every channel."""

    SQUEEZED = 32

    def __init__(self, width):
        super().__init__()
        self.first, self.second = normed(width, width), normed(width, width)
        self.squeeze = torch.nn.Linear(width, Block.SQUEEZED)
        self.excite = torch.nn.Linear(Block.SQUEEZED, 2 * width)
        torch.nn.init.zeros_(self.second[1].weight)  # it starts with nothing
        torch.nn.init.zeros_(self.excite.weight)
        torch.nn.init.zeros_(self.excite.bias)

    def forward(self, x):
        y = self.second(F.relu(self.first(x)))
        weight, bias = self.excite(F.relu(self.squeeze(y.mean((2, 3)))))[:, :, None, None].chunk(2, 1)
        return F.relu(x + y * torch.sigmoid(weight) + bias)


class Teacher(torch.nn.Module):
    """The base net and the correction of a residual convolutional net, which sees the board of the side to move.

    Its last layer has several heads. Most of the convolutional net can be learnt from the others, whose targets are
    more numerous or have no noise. The policy head says which move will be played: a position teaches much more by its
    move than by its score.
    """

    CORRECTION, FOREIGN, IMITATION = range(3)  # of the base's own games, of games of other nets, the base's value

    def __init__(self, base, width, blocks):
        super().__init__()

        self.bases = [base]  # in a list: its weights are not this module's
        self.stem = normed(12, width)
        self.blocks = torch.nn.ModuleList(Block(width) for _ in range(blocks))
        self.head = normed(width, 32, 1)
        self.dense, self.last = torch.nn.Linear(32 * 64, 128), torch.nn.Linear(128, 3)
        self.origin, self.target = (torch.nn.Conv2d(width, 64, 1) for _ in range(2))
        self.register_buffer("shrinkage", torch.ones(()))
        # The correction starts with nothing.
        for zero in (self.last.weight, self.last.bias):
            torch.nn.init.zeros_(zero)

    def forward(self, own, other, bucket, head=None):
        """The log-odds of the expected score. `head`: the head of each position; that of the correction by default."""
        return self.value(self.trunk(own), own, other, bucket, head)

    def value_and_policy(self, own, other, bucket, head):
        """The log-odds of the expected score and of each move, as 64 times the target plus the origin."""
        x = self.trunk(own)
        with autocast(own):
            origin, target = self.origin(x).flatten(2), self.target(x).flatten(2)
            policy = target.transpose(1, 2) @ origin / 8
        return self.value(x, own, other, bucket, head), policy.flatten(1).float()

    def trunk(self, own):
        board = torch.zeros(len(own), train.INPUTS + 1, device=own.device).scatter_(1, own.long(), 1)
        board = board[:, : train.INPUTS].reshape(-1, 12, 8, 8)
        with autocast(own):
            x = F.relu(self.stem(board.contiguous(memory_format=torch.channels_last)))
            for block in self.blocks:
                x = block(x)
        return x

    def value(self, x, own, other, bucket, head):
        with torch.no_grad():
            base = self.bases[0](own, other, bucket)
        with autocast(own):
            # Not ReLU: the correction is small at first, and must not lose its units before it has begun.
            heads = self.last(F.gelu(self.dense(F.gelu(self.head(x)).flatten(1))))
        heads = heads.float()
        if head is None:
            return base + self.shrinkage * heads[:, Teacher.CORRECTION]
        return torch.where(head == Teacher.IMITATION, 0, base) + heads.gather(1, head[:, None])[:, 0]

    @torch.no_grad()
    def shrink(self, held):
        """Scales the correction so that it predicts the scores of held-out games best. A part of it is noise."""
        self.shrinkage.fill_(0.0)
        base = logits_of(self, held)
        self.shrinkage.fill_(1.0)
        correction = logits_of(self, held) - base
        losses = {share / 20: (torch.sigmoid(base + share / 20 * correction) - held.expected).square().mean().item()
                  for share in range(25)}
        self.shrinkage.fill_(min(losses, key=losses.get))

    def clip(self, _):
        pass


def autocast(tensor):
    return torch.autocast("cuda", torch.bfloat16) if tensor.is_cuda else nullcontext()


def value_loss(net, inputs, target):
    return (torch.sigmoid(net(*inputs)) - target).square().mean()


def loss_with_policy(weight):
    """The loss of teachers, whose targets are expected scores and moves."""
    def loss(net, inputs, targets):
        expected, moves = targets
        if not weight:
            return value_loss(net, inputs, expected)
        value, policy = net.value_and_policy(*inputs)
        loss = (torch.sigmoid(value) - expected).square().mean()
        return loss + weight * F.cross_entropy(policy, moves, ignore_index=NO_MOVE)

    return loss


def fit(net, draw, positions, batch, rate, decay, average, label, loss_of=value_loss, seconds=math.inf):
    """Trains on `positions` positions, or fewer if that takes longer than `seconds`. `draw(n)` returns inputs and
    targets of a batch. The net ends with a moving average of its weights."""
    flat = [it for it in net.parameters() if it.dim() <= 1]
    groups = [{"params": [it for it in net.parameters() if it.dim() > 1], "weight_decay": decay},
              {"params": flat, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=rate, **({"fused": True} if DEVICE.type == "cuda" else {}))
    mean, steps = state_of(net), max(1, round(positions / batch))
    began = reported = time.time()
    total, count = torch.zeros((), device=DEVICE), 0
    net.train()
    for step in range(steps):
        progress, warm = max(step / steps, (time.time() - began) / seconds), 0.02
        last = step + 1 == steps or progress >= 1
        progress = min(progress, 1)
        cosine = 0.5 * (1 + math.cos(math.pi * (progress - warm) / (1 - warm)))
        for group in optimiser.param_groups:
            group["lr"] = rate * (0.1 + 0.9 * progress / warm if progress < warm else 0.005 + 0.995 * cosine)
        inputs, target = draw(batch)
        loss = loss_of(net, inputs, target)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimiser.step()
        net.clip(OUTPUT_UNIT)
        weight = 1 - min(average, (step + 1) / (step + 10))
        for name, value in net.state_dict().items():
            mean[name].lerp_(value.detach(), weight) if value.is_floating_point() else mean[name].copy_(value)
        total, count = total + loss.detach(), count + 1
        if last or step % 64 == 0 and time.time() > reported + PROGRESS:
            if not math.isfinite(total.item()):
                sys.exit(f"{label}: the loss is {total.item()}")
            speed = (step + 1) * batch / (time.time() - began)
            print(f"{label}: step {step + 1}/{steps}, loss {total.item() / count:.6f}, {speed / 1e3:.0f} k positions/s",
                  flush=True)
            reported, total, count = time.time(), torch.zeros((), device=DEVICE), 0
        if last:
            break
    net.load_state_dict(mean)
    net.clip(OUTPUT_UNIT)
    net.eval()


# ---- positions -------------------------------------------------------------------------------------------------------

def inputs_of(data, index):
    return data.own[index], data.other[index], data.bucket[index]


@torch.no_grad()
def logits_of(net, data, part=slice(None)):
    """The net's values of the positions in a slice."""
    start, stop, step = part.indices(len(data))
    parts = (slice(at, min(at + BATCH * step, stop), step) for at in range(start, stop, BATCH * step))
    return torch.cat([net(*inputs_of(data, part)) for part in parts])


def smoothed(data, plies, memory):
    """Expected scores as a mean with those of the next records of the game, whose weights fall by `memory` a ply."""
    plies = torch.from_numpy(plies.astype(np.int32)).to(DEVICE)
    total, weight = data.expected.clone(), torch.ones_like(data.expected)
    same_game = torch.ones(len(plies), dtype=torch.bool, device=DEVICE)
    for ahead in range(1, min(REACH, len(plies) - 1) + 1):
        same_game = same_game[:-1] & (plies[ahead:] > plies[ahead - 1 : -1])
        gap = plies[ahead:] - plies[:-ahead]
        later = data.expected[ahead:]
        later = torch.where(gap % 2 == 1, 1 - later, later)  # the other side's point of view
        share = torch.where(same_game, memory ** gap.clamp(0, 60).float(), torch.zeros_like(later))
        total[:-ahead] += share * later
        weight[:-ahead] += share
    return total / weight


class Games:
    """The games of all teachers so far."""

    def __init__(self, config):
        self.config, self.sources, self.held_records = config, [], []
        self.training = self.held = self.smooth = self.moves = None

    def add(self, path):
        wait_for(path, self.config.wait_seconds)
        parts = train.load(Path(path), self.config.held_out)
        scales, correlation = train.score_scales(parts[0], path)
        training, held = (train.Data.of([(part, scales, 1.0)], DEVICE) for part in parts)
        smooth = smoothed(training, parts[0]["ply"], self.config.memory)
        moves = moves_of(Path(path).with_suffix(".moves"), *parts, self.config.has_policy())
        self.moves = moves if self.moves is None else torch.cat((self.moves, moves))
        self.training, self.held = joined(self.training, training), joined(self.held, held)
        self.smooth = smooth if self.smooth is None else torch.cat((self.smooth, smooth))
        self.held_records.append(parts[1])
        scales = [round(scale, 1) for scale in scales]
        self.sources.append({"file": Path(path).name, "positions": len(training), "held_out": len(held),
                             "score_scales": scales, "correlation": round(correlation, 3)})
        print(f"{path}: {len(training)} positions, {len(held)} held out, correlation {correlation:.3f}", flush=True)

    def draw(self, count, share, smoothing):
        """Inputs, targets and moves."""
        index = torch.randint(len(self.training), (count,), device=DEVICE)
        return *self.at(index, share, smoothing), self.moves[index].long()

    def at(self, index, share, smoothing):
        expected = torch.lerp(self.training.expected[index], self.smooth[index], smoothing)
        return inputs_of(self.training, index), torch.lerp(expected, self.training.result[index], share)


def moves_of(path, training, held, needed):
    """The moves of the training records, on boards that are mirrored as the inputs are; `NO_MOVE` without a file."""
    if not path.exists():
        if needed:
            sys.exit(f"{path}: missing; to predict moves, write them with `ferz data convert --moves`")
        return torch.full((len(training),), NO_MOVE, dtype=torch.int16, device=DEVICE)
    moves = np.fromfile(path, "<u2").astype(np.int16)
    if len(moves) != len(training) + len(held):
        sys.exit(f"{path}: {len(moves)} moves for {len(training) + len(held)} records")
    mirror = np.where(training["king"] & 7 >= 4, 7 + 64 * 7, 0).astype(np.int16)
    return torch.from_numpy(moves[: len(training)] ^ mirror).to(DEVICE)


def joined(first, second):
    if first is None:
        return second
    names = [it.name for it in fields(train.Data)]
    return train.Data(*(torch.cat((getattr(first, name), getattr(second, name))) for name in names))


def sample_of(config, paths, most=sys.maxsize):
    """Sampled positions, up to `most` of each file, and which of them are not quiet. The last record of a growing file
    may be incomplete."""
    parts = []
    for path in paths:
        wait_for(path, config.wait_seconds)
        parts.append(np.fromfile(path, train.RECORD, min(most, Path(path).stat().st_size // train.RECORD.itemsize)))
    records = np.concatenate(parts) if parts else np.zeros(0, train.RECORD)
    data = train.Data.of([(records, [1.0] * train.BUCKETS, 1.0)], DEVICE) if len(records) else None
    return data, torch.from_numpy(np.flatnonzero(records["ply"] == 0)).to(DEVICE)


class Labels:
    """The positions of the sample, then those of the games, with the labels of teachers: of one for each, in turn."""

    def __init__(self, config, games, teachers, most=sys.maxsize):
        """`most`: how many positions of each sample are labelled."""
        began = time.time()
        self.data = joined(sample_of(config, config.sample, most)[0], games.training)
        self.target = torch.empty(len(self.data), device=DEVICE)
        for number, teacher in enumerate(teachers):
            part = slice(number, None, len(teachers))
            self.target[part] = torch.sigmoid(logits_of(teacher, self.data, part))
        print(f"{len(self.data)} positions labelled in {time.time() - began:.0f} s", flush=True)

    def draw(self, count):
        index = torch.randint(len(self.data), (count,), device=DEVICE)
        return inputs_of(self.data, index), self.target[index]


class Judge:
    """Measures nets against the scores of deep searches."""

    def __init__(self, config):
        wait_for(config.truth, config.wait_seconds)
        records = np.fromfile(config.truth, train.RECORD)
        scales, _ = train.score_scales(records, config.truth)
        self.data = train.Data.of([(records, scales, 1.0)], DEVICE)

    def distance(self, net):
        """The mean squared difference of expected scores, with the best multiplier for each bucket."""
        logits, total = logits_of(net, self.data), 0.0
        multiplier = torch.linspace(0.5, 2.0, 61, device=DEVICE)[:, None]
        for bucket in range(train.BUCKETS):
            mask = self.data.bucket == bucket
            if mask.any():
                difference = torch.sigmoid(logits[mask] * multiplier) - self.data.expected[mask]
                total += difference.square().sum(1).min().item()
        return total / len(self.data)

    def row(self, net, held, label):
        likely = torch.sigmoid(logits_of(net, held))
        row = {"truth": self.distance(net), "scores": (likely - held.expected).square().mean().item(),
               "results": (likely - held.result).square().mean().item()}
        print(f"{label}: " + ", ".join(f"{name} {value:.6f}" for name, value in row.items()), flush=True)
        return row


# ---- the method ------------------------------------------------------------------------------------------------------

def head_of(number, count):
    return torch.full((count,), number, device=DEVICE)


def read_teacher(path, base):
    """The weights of a teacher of an earlier run. `base`: the SHA-256 of the base net, which the teacher corrects."""
    teacher = torch.load(path, map_location=DEVICE)
    # Older files do not name the base.
    if teacher.get("base", base) != base:
        sys.exit(f"{path}: the base of this teacher has SHA-256 {teacher['base'][:16]}..., not {base[:16]}...; "
                 "change base or start")
    return teacher["net"]


def pretrained(config, base, games, foreign, anchor):
    """A teacher that has learnt to imitate the base, on positions of all kinds."""
    net = Teacher(base, config.width, config.blocks).to(DEVICE).to(memory_format=torch.channels_last)
    pools = [(games.training, games.moves), (foreign.training, foreign.moves), (anchor, None)]
    pools = [(data, moves) for data, moves in pools if data is not None]
    sizes = [config.teacher_batch * len(data) // sum(len(data) for data, _ in pools) for data, _ in pools]

    def draw(_):
        parts = []
        for (data, moves), size in zip(pools, sizes):
            index = torch.randint(len(data), (size,), device=DEVICE)
            chosen = head_of(NO_MOVE, size) if moves is None else moves[index].long()
            parts.append((*inputs_of(data, index), chosen))
        *inputs, chosen = (torch.cat(columns) for columns in zip(*parts))
        with torch.no_grad():
            return (*inputs, head_of(Teacher.IMITATION, len(chosen))), (torch.sigmoid(base(*inputs)), chosen)

    if config.pretraining:
        fit(net, draw, config.pretraining * 1e6, config.teacher_batch, 2e-3, 0.05, 0.999, "pretraining",
            loss_with_policy(config.pretraining_policy), config.pretraining_seconds)
    return net.state_dict()


def train_teacher(config, base, games, foreign, anchor, labels, setting, start, label):
    """`anchor`: positions where it must agree with the base. `start`: the weights to begin with."""
    net = Teacher(base, config.width, config.blocks).to(DEVICE).to(memory_format=torch.channels_last)
    net.load_state_dict(start)
    net.shrinkage.fill_(1.0)
    batch = config.teacher_batch
    labelled = round(batch * setting.labels)
    others = round((batch - labelled) * config.foreign_share) if foreign.training is not None else 0
    anchors = round((batch - labelled) * config.anchors) if anchor is not None else 0
    own = batch - labelled - others - anchors

    def draw(_):
        parts = [(*games.draw(own, setting.share, config.smoothing), Teacher.CORRECTION)]
        if others:
            parts.append((*foreign.draw(others, setting.share, config.smoothing), Teacher.FOREIGN))
        if labelled:
            parts.append((*labels.draw(labelled), head_of(NO_MOVE, labelled), Teacher.CORRECTION))
        if anchors:
            # Games only have quiet positions. Elsewhere the teacher has nothing to learn from, and stays with the base.
            more = inputs_of(anchor, torch.randint(len(anchor), (anchors,), device=DEVICE))
            with torch.no_grad():
                parts.append((more, torch.sigmoid(base(*more)), head_of(NO_MOVE, anchors), Teacher.CORRECTION))
        inputs, targets, moves, heads = zip(*parts)
        inputs = (torch.cat(columns) for columns in zip(*inputs))
        heads = torch.cat([head_of(head, len(target)) for head, target in zip(heads, targets)])
        return (*inputs, heads), (torch.cat(targets), torch.cat(moves))

    positions = setting.epochs * len(games.training) * batch / own
    fit(net, draw, positions, batch, setting.rate, 0.05, 0.999, label, loss_with_policy(setting.policy),
        setting.seconds)
    net.shrink(games.held)
    return net


def untuned(config, base, begun, student):
    """Candidates for the mean: the student, what it started from, and the base, if that has the same shape."""
    pool = [("student", student), (Path(config.student_start or config.base).stem, begun)]
    if config.student_start:
        base = with_king_buckets(base, king_buckets_of(student))
        shapes = [{name: value.shape for name, value in state.items()} for state in (base, student)]
        if shapes[0] == shapes[1]:
            pool.append((Path(config.base).stem, base))
    return pool


def soup_of(pool, judge, most=8):
    """Starts with the best net and adds each that brings the mean nearer to the truth."""
    ranked = sorted(pool, key=lambda it: judge.distance(net_of(rounded(it[1]))))
    names, states, best = [], [], math.inf
    for name, state in ranked:
        distance = judge.distance(net_of(rounded(mean_of(states + [state]))))
        if distance < best and len(states) < most:
            names, states, best = names + [name], states + [state], distance
    return mean_of(states), names


def main():
    parser = argparse.ArgumentParser(description="Distil a net. The head of this file explains input and output.")
    parser.add_argument("config", type=Path, help="settings; see distil-example.toml")
    parser.add_argument("--out", type=Path, default=Path("data/nets"), help="output folder (default: data/nets)")
    arguments = parser.parse_args()
    config, folder = Config.read(arguments.config), arguments.out
    config.check_files()
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(config.seed)

    base, base_scale = read_net(config.base)
    base.requires_grad_(False)
    base_hash = hashlib.sha256(Path(config.base).read_bytes()).hexdigest()
    earlier = [read_teacher(it.start, base_hash) if it.start else None for it in config.teacher]
    config.write(folder / f"{config.name}-settings.toml")
    judge, games = Judge(config), Games(config)
    anchor, restless = sample_of(config, config.anchor_sample)
    if anchor is not None:
        anchor = train.Data(*(getattr(anchor, it.name)[restless] for it in fields(train.Data)))
    foreign = Games(config)
    for path in config.foreign:
        foreign.add(path)
    teachers, labels, start = [], None, None
    for number, setting in enumerate(config.teacher, 1):
        for path in setting.games:
            games.add(path)
        if number == 1:
            judge.row(base, games.held, "base")
        if setting.labels and labels is None:
            most = round(config.early_sample * 1e6 / max(1, len(config.sample)))
            labels = Labels(config, games, [teachers[it - 1] for it in config.labelling(number - 1)], most)
        if setting.start:
            before = earlier[number - 1]
        elif setting.continues:
            before = teachers[setting.continues - 1].state_dict()
        else:
            before = start = start or pretrained(config, base, games, foreign, anchor)
        teacher = train_teacher(config, base, games, foreign, anchor, labels, setting, before, f"teacher {number}")
        teachers.append(teacher)
        judge.row(teacher, games.held, f"teacher {number}, shrunk to {teacher.shrinkage.item():.2f}")
        torch.save({"net": teacher.state_dict(), "base": base_hash}, folder / f"{config.name}-teacher{number}.pt")
    labels = Labels(config, games, [teachers[it - 1] for it in config.labelling(len(teachers))])

    if config.student_start.endswith(".pt"):
        begun = start = torch.load(config.student_start, map_location=DEVICE)["net"]
    else:
        begun = (read_net(config.student_start)[0] if config.student_start else base).state_dict()
        start = dithered(begun)
    begun, start = (with_king_buckets(it, config.king_buckets) for it in (begun, start))
    student = net_of(start)
    fit(student, labels.draw, config.passes * len(labels.data), config.student_batch, config.student_rate, 0.01, 0.9995,
        "student", seconds=config.student_seconds)
    judge.row(net_of(rounded(student.state_dict())), games.held, "student")
    torch.save({"name": config.name, "net": student.state_dict()}, folder / f"{config.name}-student.pt")

    pool = untuned(config, base.state_dict(), begun, state_of(student))
    game_labels = labels.target[-len(games.training):]
    for number, tune in enumerate(config.tune, 1):
        origin = begun if tune.from_start else pool[0][1]
        net = net_of(dithered(origin) if tune.from_start else origin)

        def draw(batch):
            index = torch.randint(len(games.training), (batch,), device=DEVICE)
            inputs, target = games.at(index, tune.share, tune.smoothing)
            return inputs, torch.lerp(target, game_labels[index], tune.labels)

        fit(net, draw, tune.epochs * len(games.training), config.tune_batch, tune.rate, 0.01, 0.998, f"tuned {number}")
        pool += [(f"tuned {number}", state_of(net)), (f"half tuned {number}", mean_of([origin, state_of(net)]))]
        judge.row(net_of(rounded(pool[-1][1])), games.held, f"half tuned {number}")
    state, names = soup_of(pool, judge)
    net = net_of(state)
    row = judge.row(net_of(rounded(state)), games.held, f"mean of {', '.join(names)}")
    # The search's margins suit the values of the base net: the same spread.
    spread = [logits_of(it, games.held).clamp(-3, 3).std().item() for it in (base, net)]
    scale = min(1000, max(1, round(base_scale * spread[0] / spread[1])))
    settings = train.Config(name=config.name, data=[it["file"] for it in games.sources], hidden=net.hidden, epochs=0,
                            buckets=net.buckets, king_buckets=net.king_buckets, scale=scale,
                            output_unit=OUTPUT_UNIT, start=[Path(config.student_start or config.base).name],
                            seed=config.seed,
                            notes=f"distilled with base {base_hash}; mean of {', '.join(names)}")
    held_records = np.concatenate(games.held_records)
    summary = train.export(net, settings, held_records, games.held, [row], games.sources, folder)
    print(f"{config.name}.nnue: {summary['architecture']}, scale {scale}, {summary['sha256']}, "
          f"{summary['quantisation_error']:.2f} cp mean quantisation error")


if __name__ == "__main__":
    main()
