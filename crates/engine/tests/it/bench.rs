//! `ferz bench` with networks. A unit test checks that it is deterministic.

use ferz_eval::NetworkParameters;

use crate::{ferz, file_of};

#[test]
fn a_net_can_be_searched_with() {
    let net = file_of("bench.nnue", &NetworkParameters::noise(32, 1, 2).to_bytes());
    let nodes = |args: &[&str]| {
        let run = ferz(args);
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.last_line().split(' ').next().map(str::to_owned)
    };
    let with_net = nodes(&["bench", "2", "--net", &net]);
    assert_eq!(nodes(&["bench", "2", "--net", &net]), with_net);
    assert_ne!(nodes(&["bench", "2"]), with_net);
}

#[test]
fn evaluations_are_measured() {
    let net = file_of("measured.nnue", &NetworkParameters::noise(32, 1, 2).to_bytes());
    let run = ferz(["bench", "--eval", "--net", &net]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let rows: Vec<_> = run.out.lines().collect();
    // A header, the classical evaluation, this network, and networks of seven widths.
    assert_eq!(rows.len(), 10);
    assert!(rows[1].starts_with("classical ") && rows[2].starts_with("768hm-32x2-1x1 "), "{rows:?}");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
}

#[test]
fn a_bad_net_is_explained() {
    let net = file_of("bad.nnue", b"FERZNNUE");
    for args in
        [&["bench", "--net", &net][..], &["bench", "--eval", "--net", &net], &["position", "--net", &net]]
    {
        let run = ferz(args);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert_eq!(run.err, format!("error: {net}: length: expected 64 bytes, found 8\n"));
    }
}
