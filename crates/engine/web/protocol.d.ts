// The protocol between page and server as TypeScript types. `docs/page-protocol.md` explains it; the Rust types are in
// the session's modules `protocol` and `xray`. The page does not load this file: only the type checker reads it.
//
// The layout is regular, because a test reads this file line by line and compares it with the Rust types:
//
// - Every type has the name of its Rust type and starts with `export` in the first column. A section starts with
//   `// ==== Name ====`.
// - A struct is `export interface Name {`, then one field per line (`  field: type;`), then `}`. A struct with a
//   flattened struct is `export interface Name extends Flattened {`.
// - A struct with a flattened enum is `export type Name = Flattened & {`, then one field per line, then `};`.
// - An enum is `export type Name =`, then one variant per line that starts with `  | `, the last with `;` at its end.
//   A unit variant is a string (`  | "white"`). A variant with fields is an object on one line, its tag first
//   (`  | { type: "go"; node: number }`). A variant with a struct inside is `  | ({ type: "hello" } & Hello)`.
// - A Rust type that is written as a plain string or number is an alias on one line: `export type Name = string;`.
// - `field?: type` may be absent. `field: type | null` is always there. `field?: type | null` may be either; only what
//   the page sends has this form. In Rust the first is `skip_serializing_if` or `default`, the others are `Option`.
// - Maps are `Record<string, Value>`, those with the values of an enum as keys `Partial<Record<Key, Value>>`.
// - Types of the section `Page` have no Rust type.

// ==== Intents ====

/** What the page sends: an intent and the number that its answers carry. */
export type Envelope = Intent & {
  id?: number;
};

export type Intent =
  | ({ type: "hello" } & Hello)
  | { type: "part"; text?: string; reset?: boolean }
  | { type: "move"; uci?: string | null; san?: string | null }
  | { type: "line"; node: number; moves: string[]; go?: boolean }
  | { type: "go"; node: number }
  | { type: "step"; to: Step }
  | { type: "preview"; node: number; moves: string[] }
  | { type: "comment"; node: number; text: string; before?: boolean }
  | { type: "nags"; node: number; nags: number[] }
  | { type: "shapes"; node: number; arrows?: ArrowWish[]; circles?: CircleWish[] }
  | { type: "promote"; node: number; main?: boolean }
  | { type: "demote"; node: number }
  | { type: "delete"; node: number }
  | { type: "delete_after"; node: number }
  | { type: "header"; name: string; value?: string | null }
  | { type: "result"; result: ResultName }
  | { type: "undo" }
  | { type: "redo" }
  | ({ type: "new" } & GameStart)
  | { type: "load"; text: string }
  | { type: "games"; from?: number }
  | { type: "choose"; game: number }
  | ({ type: "setup" } & SetupWish)
  | { type: "export"; what: ExportKind; node?: number | null; orientation?: ColorName | null; size?: number | null }
  | ({ type: "analyse" } & AnalysisWish)
  | ({ type: "engine" } & EngineWish)
  | { type: "other_engine"; engine?: string | null }
  | { type: "hint" }
  | { type: "threat" }
  | { type: "explain" }
  | { type: "play"; color: PlayColor; level: string; clock?: ClockWish | null; from?: PlayFrom; book?: boolean | null }
  | { type: "puzzles"; text?: string | null }
  | ({ type: "puzzle" } & PuzzleWish)
  | { type: "puzzle_show" }
  | { type: "puzzle_end" }
  | { type: "resign" }
  | { type: "takeback" }
  | { type: "draw" }
  | { type: "claim" }
  | { type: "leave" }
  | { type: "review"; depth?: ReviewDepth }
  | { type: "review_stop" }
  | { type: "xray"; on: boolean }
  | { type: "magic"; node?: number | null; square: SquareName; slider: SliderName }
  | { type: "timeline"; node?: number | null; uci: string }
  | { type: "perft"; node?: number | null; depth: number; compare?: string | null }
  | { type: "accumulators"; node?: number | null }
  | ({ type: "library_list" } & LibraryListWish)
  | { type: "library_summary" }
  | { type: "library_open"; game: number }
  | { type: "library_delete"; games: number[] }
  | { type: "library_restore"; games: number[] }
  | { type: "library_tag"; games: number[]; add?: string[]; remove?: string[] }
  | { type: "library_move"; games: number[]; folder?: number | null }
  | { type: "library_folder"; name?: string; folder?: number | null; delete?: boolean }
  | { type: "library_stop"; import: number }
  | { type: "explorer"; node?: number | null; source: string };

export interface Hello {
  pgn?: string | null;
  path?: string | null;
  fen?: string | null;
  play?: SavedPlay | null;
  analysis?: AnalysisWish | null;
  engine?: EngineWish | null;
  other_engine?: string | null;
  xray?: boolean;
  library?: number | null;
}

export interface AnalysisWish {
  on: boolean;
  lines?: number;
}

export interface EngineWish {
  threads?: number | null;
  hash_mb?: number | null;
  limit?: StopRule | null;
}

export type StopRule =
  | { seconds: number }
  | { depth: number }
  | { nodes: number };

export type Step =
  | "start"
  | "previous"
  | "next"
  | "end"
  | "up"
  | "down"
  | "out";

export interface ArrowWish {
  from: SquareName;
  to: SquareName;
  color: ShapeColor;
}

export interface CircleWish {
  square: SquareName;
  color: ShapeColor;
}

export interface GameStart {
  chess960?: StartNumber | null;
  fen?: string | null;
}

export type StartNumber =
  | number
  | string;

export interface SetupWish {
  fen?: string | null;
  board?: string | null;
  turn?: ColorName | null;
  castling?: string | null;
  en_passant?: SquareName | null;
  halfmove?: number | null;
  fullmove?: number | null;
  chess960?: boolean | null;
  start?: number | null;
  accept?: boolean;
}

export interface PuzzleWish {
  fen: string;
  moves: string[];
  strict?: boolean;
  chess960?: boolean;
}

export type ExportKind =
  | "fen"
  | "pgn"
  | "moves"
  | "svg"
  | "html";

export type PlayColor =
  | "white"
  | "black"
  | "random";

export type PlayFrom =
  | "start"
  | "here"
  | "chess960";

export interface ClockWish {
  initial_ms: number;
  increment_ms: number;
}

export interface SavedPlay {
  color: ColorName;
  level: string;
  from_ply?: number;
  head_path: string;
  clock?: SavedClock | null;
  book?: boolean | null;
  over?: OverEntry | null;
}

export interface SavedClock {
  initial_ms: number;
  increment_ms: number;
  white_ms: number;
  black_ms: number;
  running?: ColorName | null;
}

export type ReviewDepth =
  | "quick"
  | "normal"
  | "deep";

export type SliderName =
  | "rook"
  | "bishop";

export interface LibraryListWish {
  query?: LibraryQuery;
  sort?: LibrarySort;
  descending?: boolean;
  from?: number;
  count?: number;
}

export interface LibraryQuery {
  text?: string | null;
  player?: string | null;
  color?: ColorName | null;
  opening?: string | null;
  result?: ResultName | null;
  date_from?: string | null;
  date_to?: string | null;
  elo_from?: number | null;
  elo_to?: number | null;
  plies_from?: number | null;
  plies_to?: number | null;
  material?: string | null;
  fen?: string | null;
  folder?: number | null;
  tag?: string | null;
  deleted?: boolean;
}

export type LibrarySort =
  | "added"
  | "date"
  | "white"
  | "black"
  | "result"
  | "opening"
  | "plies"
  | "elo";

// ==== Messages ====

/** What the server sends: a message and the number of the intent that caused it. */
export type Outgoing = Message & {
  re?: number;
};

export type Message =
  | ({ type: "welcome" } & Welcome)
  | ({ type: "tree" } & TreeChange)
  | ({ type: "state" } & State)
  | { type: "save"; version: number; pgn: string }
  | ({ type: "analysis" } & Analysis)
  | ({ type: "other_analysis" } & OtherAnalysis)
  | { type: "error"; message: string }
  | { type: "notice"; message: string }
  | ({ type: "preview" } & Preview)
  | { type: "games"; count: number; from: number; games: GameEntry[] }
  | { type: "puzzles"; puzzles: PuzzleText[]; count: number; problems: number }
  | { type: "loaded"; problems: string[]; problem_count: number }
  | ({ type: "setup" } & SetupAnswer)
  | { type: "export"; what: ExportKind; text: string; file: string; mime: string }
  | ({ type: "hint" } & Advice)
  | ({ type: "threat" } & Advice)
  | { type: "explanation"; node: number; parts: ExplanationPart[] }
  | ({ type: "review" } & ReviewProgress)
  | ({ type: "xray"; node: number } & Xray)
  | ({ type: "magic"; node: number } & MagicLookup)
  | ({ type: "timeline"; node: number } & Timeline)
  | ({ type: "perft"; node: number } & Divide)
  | { type: "accumulators"; node: number; trace: NetTrace | null }
  | { type: "library_list"; from: number; total: number; games: LibraryEntry[] }
  | ({ type: "library" } & LibrarySummary)
  | { type: "library_changed" }
  | ({ type: "library_import" } & ImportProgress)
  | { type: "library_current"; game: number | null }
  | ({ type: "explorer" } & ExplorerAnswer);

export interface Welcome {
  version: string;
  net: string | null;
  levels: LevelEntry[];
  limits: LimitsEntry;
  library: LibraryStatus | null;
  tab: string | null;
  explorers: ExplorerSource[];
  engines: EngineEntry[];
}

export interface EngineEntry {
  id: string;
  name: string;
}

export interface LevelEntry {
  id: string;
  name: string;
  elo: number | null;
  text: string;
}

export interface LimitsEntry {
  lines: number;
  text_bytes: number;
  message_bytes: number;
  games: number;
  analysis_ms: number;
  threads: number;
  hash_mb: number;
  default_hash_mb: number;
}

export interface TreeChange {
  version: number;
  reset: boolean;
  more: boolean;
  nodes: NodeEntry[];
  removed: number[];
}

export interface NodeEntry {
  id: number;
  parent: number | null;
  children: number[];
  san: string | null;
  uci: string | null;
  number: number;
  color: ColorName;
  ply: number;
  main: boolean;
  comment: string;
  before?: string;
  nags?: number[];
  arrows?: ArrowEntry[];
  circles?: CircleEntry[];
  clock_ms?: number;
  eval?: EvalEntry;
  review?: MoveReview;
}

export interface ArrowEntry {
  from: SquareName;
  to: SquareName;
  color: ShapeColor;
}

export interface CircleEntry {
  square: SquareName;
  color: ShapeColor;
}

export interface EvalEntry {
  score: ScoreEntry;
  depth: number | null;
}

export type ScoreEntry =
  | { cp: number }
  | { mate: number };

export interface MoveReview {
  judgement: Judgement;
  best: BestMove | null;
  win_before: number;
  win_after: number;
  text?: string;
}

export interface BestMove {
  uci: string;
  san: string;
  score: ScoreEntry;
}

export interface State {
  version: number;
  node: number;
  path: string;
  fen: string;
  board: string;
  turn: ColorName;
  number: number;
  check: SquareName | null;
  last: [SquareName, SquareName] | null;
  moves: Record<string, MoveEntry[]>;
  outcome: OverEntry | null;
  claims: ClaimName[];
  result: ResultName;
  opening: OpeningEntry | null;
  chess960: boolean;
  start_number: number | null;
  headers: [string, string][];
  undo: boolean;
  redo: boolean;
  play: PlayEntry | null;
  puzzle: PuzzleEntry | null;
  reviewing: boolean;
}

export interface MoveEntry {
  uci: string;
  san: string;
  to: SquareName[];
  promotion?: string;
  capture?: boolean;
  castling?: boolean;
  en_passant?: boolean;
  check?: boolean;
  mate?: boolean;
  captured?: SquareName;
}

export interface OverEntry {
  result: ResultName;
  reason: EndReason;
  text: string;
}

export type EndReason =
  | "checkmate"
  | "stalemate"
  | "insufficient_material"
  | "fivefold_repetition"
  | "seventy_five_moves"
  | "dead_position"
  | "resignation"
  | "agreement"
  | "threefold_repetition"
  | "fifty_moves"
  | "time"
  | "time_insufficient_material";

export type ClaimName =
  | "threefold_repetition"
  | "fifty_moves";

export interface OpeningEntry {
  eco: string;
  name: string;
  here: boolean;
}

export interface PlayEntry {
  color: ColorName;
  level: string;
  from: number;
  head: number;
  from_ply: number;
  head_path: string;
  thinking: boolean;
  book: boolean;
  book_move: boolean;
  clock: ClockEntry | null;
  over: OverEntry | null;
}

export interface PuzzleText {
  fen: string;
  moves: string[];
  title: string;
  source: string;
  strict: boolean;
  chess960: boolean;
}

export interface PuzzleEntry {
  color: ColorName;
  moves: number;
  found: number;
  mistakes: number;
  wrong: string | null;
  judging: boolean;
  solved: boolean;
  shown: boolean;
}

export interface ClockEntry {
  initial_ms: number;
  increment_ms: number;
  white_ms: number;
  black_ms: number;
  running: ColorName | null;
}

export interface Analysis {
  node: number;
  status: AnalysisStatus;
  end: AnalysisEnd | null;
  waiting: number;
  threads: number;
  depth: number;
  selective_depth: number;
  nodes: number;
  nps: number;
  time_ms: number;
  hashfull: number;
  lines: LineEntry[];
  history: DepthEntry[];
  tables: TableMove[];
  tt: TtView | null;
}

export interface TtView {
  key: Word;
  clusters: number;
  index: number;
  key_part: number;
  generation: number;
  slots: (TtSlotView | null)[];
  hit: number | null;
}

export interface TtSlotView {
  data: Word;
  signature: number;
  uci: string | null;
  value: number;
  eval: number | null;
  depth: number;
  bound: TtBoundName | null;
  pv: boolean;
  age: number;
}

export type TtBoundName =
  | "exact"
  | "lower"
  | "upper";

export interface TableMove {
  uci: string;
  san: string;
  result: TableResult;
  dtz: number;
}

export type TableResult =
  | "win"
  | "cursed_win"
  | "draw"
  | "blessed_loss"
  | "loss";

export type AnalysisStatus =
  | "off"
  | "waiting"
  | "searching"
  | "done";

export type AnalysisEnd =
  | "time"
  | "depth"
  | "nodes"
  | "limit"
  | "complete";

export interface OtherAnalysis {
  engine: string;
  name: string;
  node: number;
  status: AnalysisStatus;
  depth: number;
  selective_depth: number;
  nodes: number;
  nps: number;
  time_ms: number;
  hashfull: number;
  lines: OtherLine[];
  problem: string | null;
}

export interface OtherLine extends MovesEntry {
  rank: number;
  depth: number;
  score: ScoreEntry;
  bound: BoundName;
}

export type BoundName =
  | "exact"
  | "lower"
  | "upper";

export interface LineEntry extends MovesEntry {
  rank: number;
  depth: number;
  score: ScoreEntry;
  bound: BoundName;
  wdl: [number, number, number];
}

export interface MovesEntry {
  uci: string[];
  san: string[];
}

export interface DepthEntry {
  depth: number;
  score: ScoreEntry;
  nodes: number;
  time_ms: number;
  best: string;
  hashfull: number;
  cutoffs: number;
  first_cutoffs: number;
}

export interface Preview {
  fen: string;
  board: string;
  turn: ColorName;
  check: SquareName | null;
  last: [SquareName, SquareName] | null;
}

export interface GameEntry {
  index: number;
  white: string;
  black: string;
  white_elo: string;
  black_elo: string;
  event: string;
  date: string;
  result: string;
  eco: string;
  plies: number;
  problems: number;
}

export interface SetupAnswer {
  ok: boolean;
  fen: string;
  board: string | null;
  turn: ColorName;
  castling: string;
  en_passant: SquareName | null;
  halfmove: number;
  fullmove: number;
  chess960: boolean;
  problems: ProblemEntry[];
  castling_possible: string;
  en_passant_possible: SquareName[];
}

export interface ProblemEntry {
  rule: string;
  message: string;
  squares: SquareName[];
}

export interface Advice {
  node: number;
  uci: string | null;
  san: string | null;
  score: ScoreEntry | null;
  line: MovesEntry;
  message?: string;
}

export interface ExplanationPart {
  about: Topic;
  node: number;
  number: number;
  turn: ColorName;
  text: string;
  line: MovesEntry;
}

export type Topic =
  | "played"
  | "instead"
  | "best"
  | "threat";

export interface ReviewProgress {
  status: ReviewStatus;
  done: number;
  total: number;
  waiting: number;
  white?: SideReview;
  black?: SideReview;
}

export type ReviewStatus =
  | "waiting"
  | "running"
  | "stopped"
  | "done";

export interface SideReview {
  accuracy: number | null;
  loss: number;
  counts: Partial<Record<Judgement, number>>;
}

export type Judgement =
  | "book"
  | "forced"
  | "only"
  | "best"
  | "good"
  | "inaccuracy"
  | "mistake"
  | "blunder";

export interface ExplorerSource {
  id: string;
  name: string;
  kind: ExplorerKind;
  games: number;
}

export type ExplorerKind =
  | "book"
  | "games";

export interface ExplorerAnswer {
  node: number;
  source: string;
  kind: ExplorerKind;
  key: string;
  building: number | null;
  total: number;
  moves: ExplorerMove[];
  games: ExplorerGame[];
  path: ExplorerStep[];
}

export interface ExplorerMove {
  uci: string;
  san: string;
  key: string;
  games: number;
  white: number;
  draws: number;
  black: number;
  elo: number | null;
  year: number | null;
  transpositions: number;
}

export interface ExplorerGame {
  game: number | null;
  white: string;
  black: string;
  elo: number | null;
  year: number | null;
  result: ResultName;
}

export interface ExplorerStep {
  key: string;
  uci: string;
  san: string;
  number: number;
  color: ColorName;
}

export interface LibraryStatus {
  games: number;
  writable: boolean;
}

export interface LibraryEntry {
  game: number;
  white: string;
  black: string;
  white_elo?: number;
  black_elo?: number;
  result: string;
  date: string;
  event: string;
  site: string;
  round: string;
  eco: string;
  opening: string;
  plies: number;
  folder: number | null;
  tags: string[];
  added_ms: number;
  is_current: boolean;
}

export interface LibrarySummary {
  games: number;
  deleted: number;
  folders: LibraryFolderEntry[];
  tags: LibraryTagEntry[];
  writable: boolean;
}

export interface LibraryFolderEntry {
  folder: number;
  name: string;
  games: number;
}

export interface LibraryTagEntry {
  tag: string;
  games: number;
}

export interface ImportProgress {
  import: number;
  name: string;
  bytes: number;
  size: number | null;
  games: number;
  problems: number;
  state: ImportState;
  message?: string;
}

export type ImportState =
  | "running"
  | "done"
  | "stopped"
  | "failed";

// ==== X-ray ====

export interface Xray {
  fen: string;
  boards: Boards;
  pieces: string;
  castling: Castling;
  en_passant: EnPassant;
  turn: ColorName;
  halfmove: number;
  fullmove: number;
  key: KeyParts;
  keys: OtherKeys;
  checkers: Word;
  pinned: BySide;
  pins: Pin[];
  attacks: Attacks;
  masks: Masks;
  moves: MoveBits[];
  piece_squares: PieceSquares;
  evaluation: Evaluation;
  net: Net | null;
  diff: Difference | null;
}

export interface Castling {
  text: string;
  bits: number;
  rooks: SquareName[];
}

export interface EnPassant {
  skipped: SquareName | null;
  possible: SquareName | null;
  legal: SquareName | null;
}

export interface BySide {
  white: Word;
  black: Word;
}

export interface Pin {
  pinned: SquareName;
  by: SquareName;
  king: SquareName;
}

export interface Attacks {
  white: Word;
  black: Word;
  from: (Word | null)[];
  to: Word[];
}

export interface PieceSquares {
  middle: number;
  end: number;
  phase: number;
  full_phase: number;
  pieces: PieceSquare[];
}

export interface PieceSquare {
  square: SquareName;
  piece: string;
  middle: number;
  end: number;
  phase: number;
}

export interface Evaluation {
  value: number;
  phase: number;
  full_phase: number;
  scale: number;
  full_scale: number;
  terms: TermRow[];
}

export interface TermRow {
  name: string;
  white: [number, number];
  black: [number, number];
}

export interface Net {
  name: string;
  value: number;
  pieces: (number | null)[];
}

export interface KeyParts {
  value: Word;
  parts: Part[];
}

export type Part = What & {
  value: Word;
};

export type What =
  | { kind: "piece"; piece: string; square: SquareName }
  | { kind: "castling"; right: string }
  | { kind: "en_passant"; file: string }
  | { kind: "turn" };

export interface OtherKeys {
  pawns: Word;
  repetition: Word;
  minor: Word;
  white_non_pawn: Word;
  black_non_pawn: Word;
}

export interface Difference {
  parent: number;
  san: string;
  uci: string;
  boards: Boards;
  key: KeyChange;
  squares: SquareName[];
  piece_squares: SumChange;
}

export interface KeyChange {
  before: Word;
  after: Word;
  toggled: Toggled[];
}

export type Toggled = Part & {
  came: boolean;
};

export interface SumChange {
  middle: number;
  end: number;
  phase: number;
}

export interface MagicLookup {
  square: SquareName;
  slider: SliderName;
  mask: Word;
  blockers: Word;
  multiplier: Word;
  product: Word;
  shift: number;
  offset: number;
  index: number;
  attacks: Word;
  pext: Pext;
}

export interface Pext {
  in_use: boolean;
  index: number;
}

export interface Masks {
  own: Word;
  checkers: Word;
  check_mask: Word;
  straight_pins: Word;
  diagonal_pins: Word;
  danger: Word;
  sets: TargetSet[];
  moves: number;
}

export interface TargetSet {
  kind: TargetKind;
  from: Word;
  targets: Word;
  moves: number;
}

export type TargetKind =
  | "king"
  | "knight"
  | "bishop"
  | "rook"
  | "queen"
  | "step"
  | "double_step"
  | "capture_west"
  | "capture_east"
  | "en_passant"
  | "castling";

export interface MoveBits {
  uci: string;
  san: string;
  bits: number;
  from: SquareName;
  to: SquareName;
  kind: KindName;
}

export type KindName =
  | "normal"
  | "double_step"
  | "castling"
  | "en_passant"
  | "promote_knight"
  | "promote_bishop"
  | "promote_rook"
  | "promote_queen";

export interface Timeline {
  move: MoveBits;
  undo: UndoRecord;
  frames: Frame[];
}

export interface UndoRecord {
  bytes: number;
  bits: number;
  captured: string | null;
  castling_rooks: Word;
  double_step: SquareName | null;
  en_passant: SquareName | null;
  halfmove: number;
  key: Word;
  pawn_key: Word;
}

export interface Frame {
  action: FrameAction;
  piece: string | null;
  from: SquareName | null;
  to: SquareName | null;
  pieces: string;
  key: Word;
  state: FrameState | null;
}

export type FrameAction =
  | "start"
  | "removed"
  | "placed"
  | "moved"
  | "made"
  | "unmade";

export interface FrameState {
  fen: string;
  turn: ColorName;
  castling: string;
  double_step: SquareName | null;
  en_passant: SquareName | null;
  halfmove: number;
  fullmove: number;
}

export interface Divide {
  depth: number;
  total: number;
  moves: DivideMove[];
  comparison: Comparison | null;
}

export interface DivideMove {
  uci: string;
  san: string;
  count: number;
}

export interface Comparison {
  equal: number;
  differences: CountDifference[];
  problem: string | null;
}

export interface CountDifference {
  uci: string | null;
  ours: number | null;
  theirs: number | null;
  text: string;
}

export interface NetTrace {
  name: string;
  accumulators: Accumulator[];
  unit: number;
  bucket: number;
  sum: number;
  output_bias: number;
  scale: number;
  output_unit: number;
  value: number;
  white: number;
}

export interface Accumulator {
  perspective: ColorName;
  mirrored: boolean;
  king_bucket: number | null;
  refreshed: boolean;
  features: number;
  numbers: number[];
  outputs: number[];
  sum: number;
  added: FeatureRow[];
  removed: FeatureRow[];
}

export interface FeatureRow {
  piece: string;
  square: SquareName;
  index: number;
  weights: number[];
}

/** Bitboards by name; a difference has only those that changed. */
export type Boards = { [name: string]: Word };

/** 64 bits as `0x` and 16 hexadecimal digits. */
export type Word = string;

// ==== Names ====

/** `e4`. */
export type SquareName = string;

export type ColorName =
  | "white"
  | "black";

export type ResultName =
  | "1-0"
  | "0-1"
  | "1/2-1/2"
  | "*";

export type ShapeColor =
  | "green"
  | "red"
  | "yellow"
  | "blue"
  | "cyan"
  | "orange";

// ==== Page ====

/** The message of a type. */
export type MessageOf<Type extends Message["type"]> = Extract<Message, { type: Type }>;

/** The messages that answer intents; all other intents are answered by `state`. */
export interface Answers {
  hello: MessageOf<"welcome">;
  preview: MessageOf<"preview">;
  load: MessageOf<"games"> | MessageOf<"loaded">;
  games: MessageOf<"games">;
  puzzles: MessageOf<"puzzles">;
  choose: MessageOf<"loaded">;
  setup: MessageOf<"setup">;
  export: MessageOf<"export">;
  hint: MessageOf<"hint">;
  threat: MessageOf<"threat">;
  explain: MessageOf<"explanation">;
  magic: MessageOf<"magic">;
  timeline: MessageOf<"timeline">;
  perft: MessageOf<"perft">;
  accumulators: MessageOf<"accumulators">;
  library_list: MessageOf<"library_list">;
  library_summary: MessageOf<"library">;
  library_open: MessageOf<"loaded">;
  library_delete: MessageOf<"library">;
  library_restore: MessageOf<"library">;
  library_tag: MessageOf<"library">;
  library_move: MessageOf<"library">;
  library_folder: MessageOf<"library">;
  library_stop: MessageOf<"library">;
  explorer: MessageOf<"explorer">;
}

/** The answer to the intent of a type. */
export type Answer<Type extends Intent["type"]> = Type extends keyof Answers ? Answers[Type] : MessageOf<"state">;
