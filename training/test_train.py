"""Tests of the trainer: data of the engine, tiny nets on the CPU, and the engine's own values of the results.

    FERZ=target/release/ferz python3 training/test_train.py
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
import distil  # noqa: E402
import train  # noqa: E402

FERZ = os.environ.get("FERZ", "target/release/ferz")
SCRIPT = str(Path(train.__file__))


def ferz(*arguments):
    return subprocess.run([FERZ, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def row_by_the_book(letter, square, side, king):
    """The feature row of a piece as `NetworkParameters` describes it without king buckets, from the point of view of a
    side."""
    is_own = letter.isupper() == (side == "white")
    if side == "black":
        square, king = square ^ 56, king ^ 56
    if king % 8 >= 4:
        square ^= 7
    return 384 * (not is_own) + 64 * "pnbrqk".index(letter.lower()) + square


def pieces_of(fen):
    for rank, text in zip(reversed(range(8)), fen.split()[0].split("/")):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
                continue
            yield letter, 8 * rank + file
            file += 1


def layout_of(text):
    """The record layout in a help text: field -> (offset, NumPy type), from rows `| 0 | `<u8` | `occupied` | ... |`."""
    rows = re.findall(r"^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|", text, re.MULTILINE)
    return {field: (int(offset), np.dtype(kind)) for offset, kind, field in rows}


class Records(unittest.TestCase):
    def test_records_have_the_layout_that_the_program_documents(self):
        help_text = ferz("data", "convert", "--help")
        documented = layout_of(help_text)
        found = {name: (offset, kind) for name, (kind, offset) in train.RECORD.fields.items()}
        self.assertEqual(found, documented)
        self.assertEqual(list(train.RECORD.names), list(documented))
        self.assertIn(f"A training record has {train.RECORD.itemsize} bytes", " ".join(help_text.split()))
        self.assertEqual(train.RECORD.itemsize, 32)


class Trainer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        games, cls.records = cls.folder / "try.games", cls.folder / "try.records"
        ferz("datagen", "--out", games, "--positions", 40000, "--threads", 2, "--nodes", 40, "--hash", 1,
             "--opening-score", 150, "--win-score", 1000)
        cls.moves = cls.folder / "try.moves"
        ferz("data", "convert", games, "--out", cls.records, "--moves", cls.moves, "--no-check", "--no-tactical")

    def config(self, name, **entries):
        entries = {"name": name, "data": [str(self.records)], "hidden": 32, "batch": 256, "rate": 1e-3, "held_out": 0.2,
                   **entries}
        path = self.folder / f"{name}.toml"
        path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in entries.items()))
        return path

    def train(self, name, *options, **entries):
        path = self.config(name, **entries)
        command = [sys.executable, SCRIPT, path, "--out", self.folder / name, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        return done, self.folder / name

    def test_inputs_are_those_of_the_description(self):
        records = np.fromfile(self.records, dtype=train.RECORD)[:500]
        own, other, bucket = train.decode(torch.from_numpy(records.view(np.uint8).reshape(-1, 32)))
        for index, record in enumerate(records):
            pieces = list(pieces_of(train.fen(record)))
            kings = {letter: square for letter, square in pieces if letter in "Kk"}
            self.assertEqual((kings["K"], kings["k"]), (record["king"], record["their_king"]))
            for rows, side, king in ((own, "white", kings["K"]), (other, "black", kings["k"])):
                expected = sorted(row_by_the_book(letter, square, side, king) for letter, square in pieces)
                found = [row for row in rows[index].tolist() if row != train.EMPTY]
                self.assertEqual(found, expected, train.fen(record))
            self.assertEqual(bucket[index].item(), (len(pieces) - 2) // 4)

    def test_gradients_by_hand_are_those_of_autograd(self):
        torch.manual_seed(1)
        for buckets, king_buckets in ((1, 1), (8, 1), (8, 4)):
            net = train.Net(64, buckets, king_buckets)
            rows = torch.stack([torch.randperm(train.KING_ROWS[0])[:32] for _ in range(400)])
            rows[:, 20:] = train.EMPTY
            rows[:, 0] = torch.randint(*train.KING_ROWS, (400,))
            own, other = rows.to(torch.int16).chunk(2)
            bucket, target = torch.randint(8, (200,)).to(torch.uint8), torch.rand(200)
            weights = list(net.parameters())
            if king_buckets > 1:
                torch.nn.init.uniform_(net.king_features, -0.05, 0.05)
            dense = train.DenseNet.apply(net.all_features(), net.feature_biases, net.output, net.output_biases,
                                         net.rows_of(own), net.rows_of(other), bucket)
            found = []
            for out in (net(own, other, bucket), dense):
                loss = (torch.sigmoid(out) - target).square().mean()
                found.append((out, *torch.autograd.grad(loss, weights)))
            for by_autograd, by_hand in zip(*found):
                torch.testing.assert_close(by_autograd, by_hand)

    def test_scores_are_worth_what_they_win_with_so_many_pieces(self):
        random = np.random.default_rng(1)
        records = np.zeros(40_000, dtype=train.RECORD)
        endings = np.arange(len(records)) % 2 == 0
        records["occupied"] = np.where(endings, 0x8000_0001_0000_0101, 0xFFFF_0000_0000_FFFF)
        records["score"] = random.normal(0, 150, len(records))
        likely = 1 / (1 + np.exp(-records["score"] / np.where(endings, 100, 400)))
        records["result"] = 2 * (random.random(len(records)) < likely)
        scales, _ = train.score_scales(records, "made up")
        self.assertAlmostEqual(scales[0], 100, delta=10)
        self.assertAlmostEqual(scales[7], 400, delta=40)
        # Buckets without positions have the scale of all positions.
        self.assertEqual(len(set(scales[1:7])), 1)
        self.assertTrue(120 < scales[3] < 300, scales)

    def test_the_engine_agrees_with_every_value(self):
        for name, entries in (("one", {}), ("eight", {"buckets": 8}), ("kings", {"buckets": 8, "king_buckets": 4})):
            done, folder = self.train(name, epochs=3, **entries)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = (folder / f"{name}.tsv").read_text().splitlines()
            self.assertGreater(len(lines), 500)
            for line in lines[::20]:
                fen, value = line.split("\t")
                found = json.loads(ferz("position", fen, "--net", folder / f"{name}.nnue", "--json"))
                self.assertEqual(found["nnue"], int(value), fen)
            summary = json.loads((folder / f"{name}.json").read_text())
            self.assertLess(summary["quantisation_error"], 10)
            self.assertIn("<svg", (folder / f"{name}.svg").read_text())

    def test_imitated_values_are_those_of_the_net(self):
        near = self.folder / "near.records"
        ferz("data", "imitate", self.folder / "try.games", "--out", near, "--net", "embedded")
        records = np.fromfile(near, dtype=train.RECORD)
        for record in records[:: len(records) // 40]:
            fen = train.fen(record)
            letters = [letter for letter, _ in pieces_of(fen)]
            if min(sum(map(str.isupper, letters)), sum(map(str.islower, letters))) > 1:  # bare kings have rules of their own
                self.assertEqual(json.loads(ferz("position", fen, "--json"))["nnue"], record["score"], fen)

    def test_it_learns_and_goes_on_where_it_was(self):
        done, folder = self.train("whole", epochs=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        losses = [row["held_out"] for row in torch.load(folder / "checkpoint.pt")["history"]]
        self.assertEqual(len(losses), 4)
        self.assertLess(losses[-1], 0.95 * losses[0])

        # As if it had been killed after the second epoch.
        state = torch.load(folder / "checkpoint.pt")
        state["history"] = state["history"][:2]
        torch.save(state, folder / "checkpoint.pt")
        done, _ = self.train("whole", "--resume", epochs=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("epoch 2/4", done.stdout)
        self.assertIn("epoch 4/4", done.stdout)

    def test_a_net_can_begin_with_another(self):
        done, first = self.train("first", epochs=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        done, second = self.train("second", epochs=1, rate=1e-5, start=str(first / "checkpoint.pt"))
        self.assertEqual(done.returncode, 0, done.stderr)
        loss = [torch.load(folder / "checkpoint.pt")["history"][-1]["held_out"] for folder in (first, second)]
        self.assertLess(loss[1], 1.1 * loss[0])

    def test_nets_can_be_averaged(self):
        starts = []
        for seed in (1, 2):
            done, folder = self.train(f"part{seed}", epochs=1, seed=seed)
            self.assertEqual(done.returncode, 0, done.stderr)
            starts.append(folder / "checkpoint.pt")
        done, folder = self.train("mean", epochs=0, start=[str(path) for path in starts])
        self.assertEqual(done.returncode, 0, done.stderr)
        file = (folder / "mean.nnue").read_bytes()
        found = np.frombuffer(file, "<i2", 768 * 32, 64)  # after the header and its hash
        parts = [torch.load(path)["net"]["features"] for path in starts]
        expected = torch.round(train.QA * (parts[0] + parts[1]) / 2).flatten().numpy()
        self.assertLessEqual(np.abs(found - expected).max(), 1)
        self.assertGreater(np.abs(train.QA * parts[0].flatten().numpy() - expected).max(), 2)
        self.assertEqual(len((folder / "mean.tsv").read_text().splitlines()), train.REFERENCES)

    def test_mistakes_are_told(self):
        for entries, reason in (
            ({"epochs": 0}, "0 epochs need"),
            ({"hidden": 33}, "multiple of 32"),
            ({"buckets": 2}, "must be 1 or 8"),
            ({"king_buckets": 2}, "must be 1 or 4"),
            ({"epoch": 3}, "unknown entries ['epoch']"),
            ({"scale": 0}, "scale must be from 1 to 1000"),
            ({"batch": 1 << 20}, "too few"),
        ):
            done, _ = self.train("wrong", **entries)
            self.assertNotEqual(done.returncode, 0, entries)
            self.assertIn(reason, done.stderr)

    def test_scores_that_contradict_the_results_are_refused(self):
        records = np.fromfile(self.records, dtype=train.RECORD)
        records["score"] *= -1
        path = self.folder / "contrary.records"
        records.tofile(path)
        done, _ = self.train("contrary", data=[str(path)])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("disagree", done.stderr)

    def test_the_manifest_is_that_of_the_net(self):
        networks = Path(__file__).parent.parent / "crates/eval/networks"
        for folder in (networks, networks / "small"):
            rows = [line.split(None, 1) for line in (folder / "MANIFEST").read_text().splitlines() if line[0] != "#"]
            manifest = dict(rows)
            self.assertEqual([file.stem for file in folder.glob("*.nnue")], [manifest["name"]])
            file = (folder / f"{manifest['name']}.nnue").read_bytes()
            self.assertEqual(hashlib.sha256(file).hexdigest(), manifest["sha256"])

    def test_games_are_held_out_whole(self):
        training, held = train.load(self.records, 0.1)
        self.assertLessEqual(int(held["ply"][0]), int(training["ply"][-1]))
        self.assertTrue(0.05 < len(held) / (len(training) + len(held)) < 0.15)


class Distillation(unittest.TestCase):
    """From a hardly trained net to a better one."""

    @classmethod
    def setUpClass(cls):
        Trainer.setUpClass()
        cls.folder = Trainer.folder
        done, folder = Trainer().train("base", epochs=1, buckets=8)
        assert done.returncode == 0, done.stderr
        cls.base = folder / "base.nnue"
        # In place of a sample of searches: positions near those of the games, every fifth of them not quiet.
        near = cls.folder / "near.records"
        ferz("data", "imitate", cls.folder / "try.games", "--out", near)
        records = np.fromfile(near, dtype=train.RECORD)[:4000]
        records["score"], records["result"], records["ply"] = 0, 1, np.arange(len(records)) % 5 != 0
        records.tofile(cls.folder / "sample.records")
        records = np.fromfile(Trainer.records, dtype=train.RECORD)
        records[:8000].tofile(cls.folder / "games.records")
        records[8000:12000].tofile(cls.folder / "truth.records")
        np.fromfile(Trainer.moves, dtype="<u2")[:8000].tofile(cls.folder / "games.moves")

    def distil(self, name, continues=1, start="", epochs=4, **entries):
        games, sample, truth = (str(self.folder / f"{it}.records") for it in ("games", "sample", "truth"))
        top = {"name": name, "base": str(self.base), "truth": truth, "foreign": [games], "anchor_sample": [sample],
               "sample": [sample], "width": 16, "blocks": 1, "pretraining": 0.004, "pretraining_policy": 0.02,
               "passes": 1, "teacher_batch": 128, "student_batch": 128, "tune_batch": 256, "held_out": 0.1, **entries}
        lines = [f"{key} = {json.dumps(value)}" for key, value in top.items()]
        lines += ["[[teacher]]", f"games = {json.dumps([games])}", f"epochs = {epochs}", "policy = 0.01",
                  f"start = {json.dumps(str(start))}"]
        lines += ["[[teacher]]", f"continues = {continues}", "labels = 0.5", "epochs = 1"]
        lines += ["[[tune]]", "rate = 3e-4", "share = 0.2", "labels = 0.3"]
        lines += ["[[tune]]", "rate = 1e-6", "share = 0.2", "from_start = true"]
        path = self.folder / f"{name}.toml"
        path.write_text("\n".join(lines))
        command = [sys.executable, distil.__file__, path, "--out", self.folder / name]
        alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # several threads are slower with batches this small
        return subprocess.run(command, capture_output=True, text=True, env=alone), self.folder / name

    def test_the_student_is_nearer_to_the_truth_than_the_base(self):
        done, folder = self.distil("student")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = dict(re.findall(r"^(.*): truth ([0-9.]+)", done.stdout, re.MULTILINE))
        distance = {re.split(" of |, shrunk", name)[0]: float(value) for name, value in found.items()}
        self.assertEqual(set(distance), {"base", "teacher 1", "teacher 2", "student", "half tuned 1", "half tuned 2",
                                         "mean"})
        # The second copy starts from the base, and its rate is tiny.
        self.assertAlmostEqual(distance["half tuned 2"], distance["base"], delta=0.002 * distance["base"])
        self.assertLess(distance["teacher 2"], 0.98 * distance["base"])
        self.assertLess(distance["student"], 0.99 * distance["base"])
        self.assertLessEqual(distance["mean"], distance["student"])
        for line in (folder / "student.tsv").read_text().splitlines()[::50]:
            fen, value = line.split("\t")
            position = json.loads(ferz("position", fen, "--net", folder / "student.nnue", "--json"))
            self.assertEqual(position["nnue"], int(value), fen)
        # The settings of the run, and the base of its teachers.
        settings = folder / "student-settings.toml"
        self.assertEqual(distil.Config.read(settings), distil.Config.read(self.folder / "student.toml"))
        base_hash = hashlib.sha256(self.base.read_bytes()).hexdigest()
        student, teacher = (folder / f"student-{it}.pt" for it in ("student", "teacher1"))
        self.assertEqual(torch.load(teacher)["base"], base_hash)
        # Another run goes on where this one ended.
        done, _ = self.distil("later", start=teacher, student_start=str(student), pretraining=1e6, passes=0.1, epochs=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("pretraining", done.stdout)
        found = dict(re.findall(r"^(teacher 1|student).*: truth ([0-9.]+)", done.stdout, re.MULTILINE))
        for name, value in found.items():
            self.assertLess(float(value), 0.99 * distance["base"], name)

    def test_a_student_with_king_buckets_goes_beyond_a_base_without(self):
        done, folder = self.distil("king", king_buckets=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = dict(re.findall(r"^(base|student|mean).*: truth ([0-9.]+)", done.stdout, re.MULTILINE))
        self.assertLess(float(found["student"]), 0.99 * float(found["base"]))
        self.assertLessEqual(float(found["mean"]), float(found["student"]))
        self.assertIn("king.nnue: 768x4hm-32x2-1x8", done.stdout)
        for line in (folder / "king.tsv").read_text().splitlines()[::50]:
            fen, value = line.split("\t")
            position = json.loads(ferz("position", fen, "--net", folder / "king.nnue", "--json"))
            self.assertEqual(position["nnue"], int(value), fen)
        # It can be the base of the next.
        net, scale = distil.read_net(folder / "king.nnue")
        config = train.Config(name="king", data=[], scale=scale)
        self.assertEqual(train.Quantised.of(net.cpu(), config).file(), (folder / "king.nnue").read_bytes())

    def test_king_buckets_all_alike_change_nothing(self):
        net, _ = distil.read_net(self.base)
        records = np.fromfile(self.folder / "truth.records", train.RECORD)
        data = train.Data.of([(records, [1.0] * 8, 1.0)], distil.DEVICE)
        expected = distil.logits_of(net, data)
        state = distil.with_king_buckets(net.state_dict(), 4)
        for it in (state, distil.folded(state), distil.rounded(state)):
            torch.testing.assert_close(distil.logits_of(distil.net_of(it), data), expected)

    def test_a_net_is_read_as_it_was_written(self):
        net, scale = distil.read_net(self.base)
        config = train.Config(name="base", data=[], scale=scale)
        self.assertEqual(train.Quantised.of(net.cpu(), config).file(), self.base.read_bytes())
        damaged = self.folder / "damaged.nnue"
        damaged.write_bytes(self.base.read_bytes()[:-1] + b"?")
        with self.assertRaisesRegex(SystemExit, "damaged"):
            distil.read_net(damaged)

    def test_every_position_is_labelled_by_one_teacher_in_turn(self):
        config = distil.Config(name="", base="", truth="", teacher=[], sample=[self.folder / "sample.records"])
        games = distil.Games(config)
        games.add(self.folder / "games.records")
        teachers = [lambda own, *_, value=value: torch.full_like(own[:, 0], value, dtype=torch.float32)
                    for value in (1.0, 2.0)]
        labels = distil.Labels(config, games, teachers)
        self.assertEqual(len(labels.data), 4000 + len(games.training))
        expected = torch.sigmoid(torch.tensor([1.0, 2.0])).repeat(len(labels.data))[: len(labels.data)]
        torch.testing.assert_close(labels.target.cpu(), expected)

    def test_moves_begin_with_an_own_piece_on_the_board_that_a_teacher_sees(self):
        games = distil.Games(distil.Config(name="", base="", truth="", teacher=[]))
        games.add(self.folder / "games.records")
        own = [set(rows.tolist()) for rows in games.training.own]
        self.assertGreater(len(own), 5000)
        for rows, move in zip(own, games.moves.tolist()):
            self.assertTrue(any(64 * kind + move % 64 in rows for kind in range(6)))
            self.assertFalse(any(384 + 64 * kind + move // 64 in rows for kind in range(6)))  # a quiet move
        records = self.folder / "silent.records"
        records.write_bytes((self.folder / "games.records").read_bytes())
        silent = distil.Games(games.config)
        silent.add(records)
        self.assertEqual(set(silent.moves.tolist()), {distil.NO_MOVE})
        silent.config.pretraining_policy = 0.1
        with self.assertRaisesRegex(SystemExit, "silent.moves: missing"):
            silent.add(records)
        records.with_suffix(".moves").write_bytes(b"\0\0")
        with self.assertRaisesRegex(SystemExit, "1 moves for 8000 records"):
            silent.add(records)

    def test_the_policy_head_learns_the_moves(self):
        torch.manual_seed(1)
        base, _ = distil.read_net(self.base)
        base.requires_grad_(False)
        games = distil.Games(distil.Config(name="", base="", truth="", teacher=[]))
        games.add(self.folder / "games.records")
        net = distil.Teacher(base, 16, 1)

        def draw(count):
            inputs, expected, moves = games.draw(count, 0.15, 1.0)
            return (*inputs, distil.head_of(distil.Teacher.CORRECTION, count)), (expected, moves)

        def surprise():
            with torch.no_grad():
                inputs, (_, moves) = draw(2000)
                return torch.nn.functional.cross_entropy(net.value_and_policy(*inputs)[1], moves).item()

        before = surprise()
        distil.fit(net, draw, 30_000, 128, 2e-3, 0.05, 0.9, "policy", distil.loss_with_policy(0.1))
        self.assertLess(surprise(), 0.7 * before)

    def test_training_ends_in_time(self):
        net = train.Net(32, 8)
        inputs = tuple(torch.zeros(8, *shape, dtype=torch.int64) for shape in ((32,), (32,), ()))
        began = time.time()
        distil.fit(net, lambda _: (inputs, torch.ones(8)), 1e9, 8, 1e-3, 0.01, 0.9, "short", seconds=0.5)
        self.assertLess(time.time() - began, 5)

    def test_a_teacher_that_is_continued_does_not_label(self):
        settings = [distil.TeacherSettings(continues=it) for it in (0, 0, 1, 2, 0)]
        config = distil.Config(name="", base="", truth="", teacher=settings)
        self.assertEqual([config.labelling(it) for it in (1, 2, 3, 5)], [[1], [1, 2], [2, 3], [3, 4, 5]])

    def test_later_scores_count_within_a_game_from_the_same_point_of_view(self):
        records = np.zeros(4, dtype=train.RECORD)
        records["occupied"] = 0x8000_0000_0000_0001
        records["score"] = [0, -300, 200, 900]
        plies = np.array([10, 11, 13, 4])  # the last one begins another game
        data = train.Data.of([(records, [100.0] * 8, 1.0)], distil.DEVICE)
        found = distil.smoothed(data, plies, 0.5).tolist()
        score = lambda it: 1 / (1 + np.exp(-it / 100))  # noqa: E731
        expected = [(score(0) + score(300) / 2 + score(-200) / 8) / (1 + 1 / 2 + 1 / 8),
                    (score(-300) + score(200) / 4) / (1 + 1 / 4), score(200), score(900)]
        np.testing.assert_allclose(found, expected, atol=1e-5)

    def test_mistakes_are_reported(self):
        for entries, reason in (
            ({"teachers": 3}, "unknown entries ['teachers']"),
            ({"continues": 2}, "can only continue"),
            ({"sample": ["/nowhere.sample"]}, "missing: /nowhere.sample; set wait_seconds"),
        ):
            done, _ = self.distil("wrong", **entries)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr)


class Settings(unittest.TestCase):
    """Of a distillation, without training."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def config(self, **entries):
        return distil.Config(**{"name": "x", "base": "base.nnue", "truth": "", "teacher": [], **entries})

    def test_settings_are_read_as_they_were_written(self):
        teachers = [distil.TeacherSettings(games=["a \"b\" \u265e.records"], rate=1e-5),
                    distil.TeacherSettings(continues=1)]
        tunes = [distil.Tune(rate=1e-4, share=0.2, from_start=True)]
        config = self.config(teacher=teachers, tune=tunes, sample=["c", "d"], passes=3, student_seconds=7.5)
        path = self.folder / "x-settings.toml"
        config.write(path)
        self.assertEqual(distil.Config.read(path), config)

    def test_missing_files_are_refused_unless_they_may_still_be_generated(self):
        base, games = self.folder / "base.nnue", self.folder / "games.records"
        for path in (base, games):
            path.touch()

        def check(teacher, **entries):
            teachers = [distil.TeacherSettings(**teacher)]
            self.config(base=str(base), truth=str(games), teacher=teachers, **entries).check_files()

        check({"games": [str(games)]})
        with self.assertRaisesRegex(SystemExit, "missing: /a, /b; set wait_seconds"):
            check({"games": ["/a"]}, sample=["/b"])
        with self.assertRaisesRegex(SystemExit, "missing: .*/games.moves; set wait_seconds"):
            check({"games": [str(games)], "policy": 0.02})
        check({"games": ["/a"], "policy": 0.02}, sample=["/b"], wait_seconds=1)
        with self.assertRaisesRegex(SystemExit, "missing: /c$"):
            check({"games": ["/a"], "start": "/c"}, wait_seconds=1)

    def test_waiting_ends(self):
        with self.assertRaisesRegex(SystemExit, "/nowhere.records: still missing after 0 s"):
            distil.wait_for("/nowhere.records", 0.1)

    def test_a_teacher_with_a_different_base_is_refused(self):
        weights = {"weight": torch.ones(1)}
        for name, extra in (("old", {}), ("new", {"base": "1" * 64})):
            torch.save({"net": weights, **extra}, self.folder / f"{name}.pt")
        for name in ("old", "new"):
            self.assertEqual(list(distil.read_teacher(self.folder / f"{name}.pt", "1" * 64)), list(weights))
        distil.read_teacher(self.folder / "old.pt", "2" * 64)
        with self.assertRaisesRegex(SystemExit, "new.pt: the base of this teacher has SHA-256 1{16}..., not 2{16}"):
            distil.read_teacher(self.folder / "new.pt", "2" * 64)

    def test_the_base_is_offered_to_the_mean_if_it_has_the_shape_of_the_student(self):
        def names(start, base, student):
            states = [train.Net(*shape).state_dict() for shape in (base, student)]
            pool = distil.untuned(self.config(student_start=start), states[0], states[1], states[1])
            distil.mean_of([state for _, state in pool])
            return [name for name, _ in pool]

        plain, kings, larger = (32, 8), (32, 8, 4), (64, 8)
        self.assertEqual(names("", plain, plain), ["student", "base"])
        self.assertEqual(names("earlier.pt", plain, plain), ["student", "earlier", "base"])
        self.assertEqual(names("earlier.pt", plain, kings), ["student", "earlier", "base"])
        self.assertEqual(names("earlier.pt", kings, plain), ["student", "earlier"])
        self.assertEqual(names("earlier.pt", plain, larger), ["student", "earlier"])


if __name__ == "__main__":
    unittest.main()
