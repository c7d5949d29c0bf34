//! scratch
use ferz_board::*;
use ferz_search::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let depth: u32 = args[1].parse().unwrap();
    let game = Game::new(args.get(2).map_or(Position::start(), |f| Position::from_fen(f).unwrap()));
    let mut engine = Engine::new(16).unwrap();
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let c = engine.search(&game, &limits, &Options::default(), &Signals::new(), &mut |r| {
        if let Report::Line(l) = r {
            let pv: Vec<String> = l.moves.iter().map(|m| m.uci(CastlingMode::Standard).to_string()).collect();
            println!(
                "{} {} {} {:?} {} {:?} {}",
                l.depth,
                l.selective_depth,
                l.score,
                l.bound,
                l.nodes,
                l.time,
                pv.join(" ")
            );
        }
    });
    println!(
        "{:?} nps {}",
        c.best.map(|m| m.uci(CastlingMode::Standard).to_string()),
        (c.nodes as f64 / c.time.as_secs_f64()) as u64
    );
}
