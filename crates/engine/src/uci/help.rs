//! The `help` command.

/// The list of commands.
pub(super) const TEXT: &str = "\
Commands of the Universal Chess Interface:
  uci                                identify the engine and list its options
  isready                            answer readyok when all earlier commands are done
  setoption name NAME [value VALUE]  set an option
  ucinewgame                         clear everything learnt from earlier games
  position startpos [moves ...]      set up the start position and play moves
  position fen FEN [moves ...]       set up any position and play moves
  go [LIMIT ...]                     search; limits are wtime btime winc binc movestogo
                                     depth nodes mate movetime infinite ponder searchmoves
  ponderhit                          the opponent played the expected move
  stop                               stop searching and print the best move
  debug on|off                       switch additional messages on or off
  quit                               exit (the end of the input does so, too)
Further commands:
  d                                  show the board
  eval                               explain the evaluation
  flip                               swap the colours
  go perft DEPTH                     count the leaves below each move
  bench [DEPTH]                      search fixed positions and count nodes
  compiler                           show how the program was built
  help                               show this text";
