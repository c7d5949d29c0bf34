//! `help`.

/// The commands.
pub(super) const TEXT: &str = "\
Commands of the Universal Chess Interface:
  uci                                who this is, and its options
  isready                            readyok as soon as everything before is done
  setoption name NAME [value VALUE]  set an option
  ucinewgame                         forget everything about earlier games
  position startpos [moves ...]      set up the start position and play moves
  position fen FEN [moves ...]       set up any other position
  go [LIMIT ...]                     search; limits are wtime btime winc binc movestogo
                                     depth nodes mate movetime infinite ponder searchmoves
  ponderhit, stop                    the move expected was played; end the search
  debug on|off                       say more, or less
  quit                               end; so does the end of the input
And beyond it:
  d                                  show the board
  eval                               explain the evaluation
  flip                               exchange the colours
  go perft DEPTH                     count the leaves below each move
  bench [DEPTH]                      search fixed positions, count nodes
  compiler                           how the program was built
  help                               this text";
