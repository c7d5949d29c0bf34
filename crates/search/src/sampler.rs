//! A random sample of the positions that searches evaluate (feature `sample`).

use ferz_board::Position;

/// Fewer pieces are not worth a record.
const MIN_PIECES: u32 = 4;

/// How often positions are taken: one in `quiet` of the quiet positions, one in `evaluated` of all positions that are
/// evaluated. 0 takes none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampleRates {
    /// One in this many positions where the quiescence search found nothing better than standing pat.
    pub quiet: u32,
    /// One in this many evaluated positions, quiet or not.
    pub evaluated: u32,
}

/// A position met inside a search.
#[derive(Clone, Copy, Debug)]
pub struct SampledPosition {
    /// The position. The side to move is not in check.
    pub position: Position,
    /// Whether it was taken because no capture was better than standing pat.
    pub is_quiet: bool,
}

/// Takes a random sample of the positions that an engine's main thread evaluates. The search itself does not change.
///
/// A net is asked about these positions, and they differ from those of games: most are one bad move away from them.
#[derive(Clone, Debug)]
pub struct Sampler {
    rates: SampleRates,
    random: u64,
    sample: Vec<SampledPosition>,
}

impl Sampler {
    /// A sampler whose choice depends on the seed and the searches alone.
    pub fn new(rates: SampleRates, seed: u64) -> Sampler {
        // Xorshift never leaves 0.
        Sampler { rates, random: seed | 1, sample: Vec::new() }
    }

    /// Takes out what was sampled since the last time.
    pub fn take(&mut self) -> Vec<SampledPosition> {
        std::mem::take(&mut self.sample)
    }

    /// Offers a position of the search.
    pub(crate) fn offer(&mut self, position: &Position, is_quiet: bool) {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let rate = if is_quiet { self.rates.quiet } else { self.rates.evaluated };
        let is_chosen = rate != 0 && (self.random >> 32).is_multiple_of(u64::from(rate));
        if is_chosen && !position.is_check() && position.occupied().len() >= MIN_PIECES {
            self.sample.push(SampledPosition { position: *position, is_quiet });
        }
    }
}

#[cfg(test)]
mod tests {
    use ferz_board::Game;

    use super::*;
    use crate::{Engine, Limits, SearchOptions, Signals};

    fn search(sampler: Option<Sampler>) -> (u64, Vec<SampledPosition>) {
        let mut engine = Engine::new(1).expect("memory");
        engine.set_sampler(sampler);
        let limits = Limits::default().depth(8);
        let (game, options) = (Game::default(), SearchOptions::default());
        let nodes = engine.search(&game, &limits, &options, &Signals::new(), &mut |_| {}).nodes;
        (nodes, engine.sampler_mut().map(Sampler::take).unwrap_or_default())
    }

    #[test]
    fn sampling_follows_from_the_seed_and_does_not_change_the_search() {
        let rates = SampleRates { quiet: 4, evaluated: 20 };
        let keys = |sample: &[SampledPosition]| sample.iter().map(|it| it.position.key()).collect::<Vec<_>>();
        let (nodes, none) = search(None);
        let (sampled_nodes, sample) = search(Some(Sampler::new(rates, 7)));
        assert!(none.is_empty());
        assert_eq!(sampled_nodes, nodes);
        assert_eq!(keys(&search(Some(Sampler::new(rates, 7))).1), keys(&sample));
        assert_ne!(keys(&search(Some(Sampler::new(rates, 9))).1), keys(&sample));
        assert!(sample.iter().all(|it| !it.position.is_check()));
        for is_quiet in [true, false] {
            assert!(sample.iter().filter(|it| it.is_quiet == is_quiet).count() > 10);
        }
    }

    #[test]
    fn a_rate_of_zero_takes_none() {
        let (_, sample) = search(Some(Sampler::new(SampleRates { quiet: 0, evaluated: 3 }, 7)));
        assert!(!sample.is_empty() && sample.iter().all(|it| !it.is_quiet));
    }
}
