//! The positions of the bench: openings and middlegames of played lines, and composed endings, mates and special cases.

/// The positions of the bench: strict FEN, castling rights as in Chess960.
pub static POSITIONS: [&str; 56] = [
    // The start, and openings and middlegames from played lines.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbq1rk1/2p1bppp/p2p1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 w - - 1 10",
    "r2qrbk1/1bpn1p1p/p2p1np1/1p2p3/3PP3/2P2NNP/PPB2PP1/R1BQR1K1 w - - 0 15",
    "r1b1k2r/1pqnbppp/p2ppn2/6B1/3NPP2/2N2Q2/PPP3PP/2KR1B1R w kq - 5 10",
    "r1b1k2r/2qnbppp/p2pp3/1p3PP1/3NP3/2N2Q2/PPP4P/2KR1B1R b kq - 0 13",
    "r1bq1rk1/pp1nbppp/2p1pn2/6B1/2BP4/2N1PN2/PP3PPP/2RQK2R b K - 0 9",
    "r1b2rk1/pp1nqppp/2p5/4p3/2BP4/2R1PN2/PP3PPP/3Q1RK1 w - - 0 13",
    "r1bq1rk1/ppp2pbp/2np1np1/3Pp3/2P1P3/2N2N2/PP2BPPP/R1BQ1RK1 b - - 0 8",
    "r1bq1rk1/ppp1n1bp/3p1np1/3Pp3/2P1Pp2/2NN1P2/PP1BB1PP/R2Q1RK1 w - - 0 13",
    "r2q1rk1/pp2ppbp/2n3p1/2p5/2BPP1b1/2P1B3/P3NPPP/R2Q1RK1 w - - 6 11",
    "r2q1rk1/pp2p2p/4bpp1/n2P4/4P3/3BBP2/P3N1PP/Q4RK1 w - - 0 16",
    "r3k1r1/ppqbnp2/2n1p3/3pP3/5P2/P1pQ4/2P1N1PP/R1B1KB1R w KQq - 2 13",
    "r1bq1rk1/pp3ppp/2n1pn2/2p5/2BP4/P1P1PN2/5PPP/R1BQ1RK1 b - - 0 10",
    "r2qk2r/pp1n1ppp/2p1pnb1/8/PbBP4/2N1PN2/1P2QPPP/R1B2RK1 w kq - 5 10",
    "r1bq1rk1/pp1n1pbp/3p2p1/1BpP4/Pn2PP2/2N2N2/1P4PP/R1BQ1RK1 w - - 5 12",
    "r3k1nr/pp1n1pp1/2p1p2p/q6P/1b1P4/3Q1NN1/PPPB1PP1/R3K2R w KQkq - 4 13",
    "r2q1rk1/ppp1b1pp/1nn1bp2/4p3/1P6/P1NP1NP1/4PPBP/1RBQ1RK1 b - - 0 11",
    "rn3rk1/pp1bq1pp/2pbpn2/3pNp2/2PP4/1P4P1/PB2PPBP/RN1Q1RK1 w - - 5 10",
    "rnb1kb1r/p2p1ppp/5n2/1p3Nq1/4PpP1/3P4/PPP4P/RNBQ1KR1 w kq - 0 12",
    "rnb1k1nr/p2p1ppp/3B4/1pbN1N1P/4P1P1/3P1Q2/PqP5/R4KR1 b kq - 1 18",
    "1r2k2r/pbppnppp/1bn5/4Pq2/Q1B1N3/B1Pp1N2/P4PPP/R3R1K1 w k - 7 16",
    "1r2k1r1/pbppnp1p/1bn2P2/7q/Q7/B1PB1N2/P4PPP/3RR1K1 b - - 2 19",
    "1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21",
    "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
    "1n2kb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2KR4 w k - 0 17",
    "rn1q1rk1/1pp2ppp/p1bbpn2/8/P1QP1B2/5NP1/1P2PPBP/RN3RK1 w - - 3 11",
    "r1b1k2r/p2pppbp/1p2n1p1/q7/2P1P3/2N1B3/PP1Q1PPP/2R1KB1R w Kkq - 0 12",
    "1rbq1rk1/p1n1ppbp/1p1p1np1/2pP4/P3PP2/2NB1N2/1PP1Q1PP/R1B2RK1 w - - 0 11",
    "r3k2r/1bqnbppp/pp1ppn2/8/2PQP3/1PN2NP1/P4PBP/R1BR2K1 w kq - 1 12",
    // Pawn endings: opposition, breakthrough, outside passed pawn, the square.
    "8/8/1p2k1p1/p1p2p1p/P1P2P1P/1P2K1P1/8/8 w - - 4 41",
    "8/ppp5/8/PPP5/8/7k/8/7K w - - 0 1",
    "8/5kp1/1p3p1p/3K1P1P/P5P1/8/8/8 b - - 2 52",
    "4k3/8/8/3pP3/3P1p2/5P2/8/4K3 w - - 10 60",
    // Rook endings: the bridge, the far rook, pawns on both wings.
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
    "8/8/8/4k3/R7/4p3/4K3/r7 w - - 12 70",
    "8/1R3pk1/4p1p1/p6p/r6P/6P1/5PK1/8 w - - 3 38",
    "2r3k1/1p3ppp/p7/3R4/8/1P4P1/P4P1P/6K1 b - - 1 27",
    // Minor pieces: good knight, bishops of both colours, the wrong rook's pawn, mate with bishop and knight.
    "8/3k1p2/2pb2p1/1p1p3p/1P1P1N1P/2P1K1P1/5P2/8 w - - 6 44",
    "8/2k2p2/3bp1p1/p6p/P1B2P1P/1P2K1P1/8/8 b - - 9 49",
    "7k/8/5KP1/7P/8/8/8/4B3 b - - 3 71",
    "8/8/8/3k4/8/3KB3/4N3/8 w - - 0 1",
    // Queens: against a pawn on the seventh, with perpetual check, a heavy ending.
    "8/8/8/8/8/1K6/5pk1/3Q4 w - - 0 1",
    "6k1/5pp1/7p/8/2q5/5QP1/5P1P/6K1 w - - 8 35",
    "3q2k1/p4pp1/1p2p2p/2r5/8/P2Q2P1/1P3P1P/3R2K1 w - - 2 26",
    // Promotions, under-promotion, en passant.
    "8/PPk5/8/8/8/8/4Kppp/8 w - - 0 1",
    "5nbk/3P1P1p/6pK/8/8/8/8/8 w - - 0 1",
    "4k2r/5p2/8/3pP2p/8/1p6/1P4P1/2R1K3 w k d6 0 24",
    // Mates, stalemate traps and fortresses.
    "r4rk1/1b2qppp/p3p3/1p1nN3/3P2Q1/1B4R1/PP3PPP/2R3K1 w - - 0 21",
    "2r3k1/5ppp/8/8/8/1Q6/q4PPP/3R2K1 w - - 0 30",
    "7k/8/5K1p/5QpP/6P1/8/8/8 w - - 0 1",
    "k7/P1K5/8/8/7p/8/5r2/6R1 w - - 0 1",
    "8/8/1k1p1p2/1p1P1P1p/pP1K3P/P7/8/1B6 w - - 20 80",
    "k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K5B1 w - - 40 90",
    // Chess960, also with castling over each other's squares.
    "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1",
    "1rkr1bqn/ppp1pp1p/2n1b1p1/3p4/3P4/2N1BNP1/PPP1PP1P/1RKR1BQ1 w KQkq - 2 7",
    "bqr1kr2/pppp1ppp/2n1pn2/2b5/2B5/2N1PN2/PPPP1PPP/BQR1KR2 b KQkq - 3 5",
];
