use ferz_board::{Position, perft};
#[test]
fn classic() {
    for (fen, depth, nodes) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4865609u64),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4085603),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11030083),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15833292),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2103487),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3894594),
    ] {
        let p = Position::from_fen(fen).unwrap();
        assert_eq!(perft::count(&p, depth), nodes, "{fen}");
        assert_eq!(perft::walk(&p, depth - 1), perft::count(&p, depth - 1), "{fen}");
        fn list(p: &Position, d: u32) -> u64 {
            let l = p.legal_moves();
            if d == 1 { return l.len() as u64 }
            let mut n = 0; let mut c = *p;
            for m in &l { p.play_into(m, &mut c, &mut ()); n += list(&c, d - 1) } n
        }
        assert_eq!(list(&p, depth - 1), perft::count(&p, depth - 1), "{fen}");
    }
}
