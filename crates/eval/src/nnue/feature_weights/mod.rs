//! The weights of the feature transformer, however they are stored: a row for each feature.

mod packed;
mod plain;

#[cfg(feature = "halfkp")]
pub(super) use packed::PackedWeights;
pub(super) use plain::PlainWeights;

use super::aligned::I16x32;
use super::kernels::Sink;
use super::simd::Vector;

/// The weights of the feature transformer.
pub(super) trait FeatureWeights {
    /// Adds and removes features, and gives the new accumulator to the sink. All numbers wrap round.
    fn accumulate<V: Vector, S: Sink<V>>(
        &self,
        accumulator: &[I16x32],
        delta: FeatureDelta<'_>,
        sink: S,
    ) -> S;

    /// Adds one feature of each pair for each of two sinks, at most 64 pairs: both perspectives at once.
    #[inline(always)]
    fn accumulate_pairs<V: Vector, S: Sink<V>>(
        &self,
        accumulator: &[I16x32],
        pairs: impl Iterator<Item = [u32; 2]>,
        sinks: [S; 2],
    ) -> [S; 2] {
        accumulate_lists(self, accumulator, pairs, sinks)
    }
}

/// Adds the features of one sink after those of the other.
#[inline(always)]
fn accumulate_lists<V: Vector, S: Sink<V>>(
    weights: &(impl FeatureWeights + ?Sized),
    accumulator: &[I16x32],
    pairs: impl Iterator<Item = [u32; 2]>,
    sinks: [S; 2],
) -> [S; 2] {
    let [mut firsts, mut seconds] = [FeatureList::<64>::new(), FeatureList::new()];
    for [first, second] in pairs {
        firsts.push_if(true, first);
        seconds.push_if(true, second);
    }
    let [first, second] = sinks;
    [
        weights.accumulate(accumulator, FeatureDelta { added: firsts.as_slice(), removed: &[] }, first),
        weights.accumulate(accumulator, FeatureDelta { added: seconds.as_slice(), removed: &[] }, second),
    ]
}

/// The features that are added and removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeatureDelta<'a> {
    pub(super) added: &'a [u32],
    pub(super) removed: &'a [u32],
}

/// At most `N` features.
pub(super) struct FeatureList<const N: usize> {
    features: [u32; N],
    count: usize,
}

impl<const N: usize> FeatureList<N> {
    #[inline(always)]
    pub(super) fn new() -> FeatureList<N> {
        const { assert!(N.is_power_of_two()) };
        FeatureList { features: [0; N], count: 0 }
    }

    /// Without a branch, which would be unpredictable.
    #[inline(always)]
    pub(super) fn push_if(&mut self, condition: bool, feature: u32) {
        self.features[self.count & (N - 1)] = feature;
        self.count += usize::from(condition);
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.features[..self.count.min(N)]
    }
}

#[cfg(test)]
mod tests;
