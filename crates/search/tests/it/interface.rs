//! What the types promise to programs that use them.

use ferz_board::Game;
use ferz_search::{Conclusion, Engine, Host, Limits, Line, Report, SearchOptions, Signals, TimeControl};

const fn send<T: Send>() {}
const fn send_and_sync<T: Send + Sync>() {}

/// An engine may move between threads, and any thread may signal to a search.
const _: () = {
    send::<Engine>();
    send_and_sync::<Signals>();
    send_and_sync::<Host>();
    send_and_sync::<Limits>();
    send_and_sync::<SearchOptions>();
    send_and_sync::<Report>();
    send_and_sync::<Line>();
    send_and_sync::<Conclusion>();
};

/// Settings can be constants.
const LIMITS: Limits = Limits::new().depth(3).nodes(1_000).mate(2);
const OPTIONS: SearchOptions = SearchOptions::new().lines(2);
const CLOCK: TimeControl = TimeControl::new(std::time::Duration::from_secs(60)).moves_to_go(40);

#[test]
fn setters_set_what_they_name() {
    assert_eq!((LIMITS.depth, LIMITS.nodes, LIMITS.mate), (Some(3), Some(1_000), Some(2)));
    assert_eq!((CLOCK.remaining.as_secs(), CLOCK.moves_to_go), (60, Some(40)));
    assert_eq!((Limits::new(), SearchOptions::new()), (Limits::default(), SearchOptions::default()));
    let limits = LIMITS.infinite().ponder().time_control(CLOCK).soft_nodes(7);
    assert!(limits.infinite && limits.ponder);
    assert_eq!((limits.time_control, limits.soft_nodes), (Some(CLOCK), Some(7)));
    let found =
        Engine::new(1).unwrap().search(&Game::default(), &LIMITS, &OPTIONS, &Signals::new(), &mut |_| {});
    assert_eq!((found.lines.len(), found.lines[0].depth), (2, 3));
}

#[cfg(feature = "serde")]
#[test]
fn conclusions_survive_json() {
    use ferz_search::{Bound, Score, Wdl};

    let mut engine = Engine::new(1).unwrap();
    let found = engine.search(&Game::default(), &LIMITS, &OPTIONS, &Signals::new(), &mut |_| {});
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Conclusion>(&json).unwrap(), found);

    let wdl = Wdl::new(120, 800, 80).unwrap();
    let json = serde_json::to_string(&(Score::Centipawns(35), Score::Mate(-3), wdl, Bound::Lower)).unwrap();
    assert_eq!(json, r#"[{"cp":35},{"mate":-3},[120,800,80],"lower"]"#);
    assert!(serde_json::from_str::<Wdl>("[500,500,500]").is_err());
}
