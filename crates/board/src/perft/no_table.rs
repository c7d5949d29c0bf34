//! The table of targets without 64-bit atomics: none.

use crate::Color;
use crate::movegen::placement::Placement;

pub(super) enum Table {}

pub(super) enum Slot {}

impl Table {
    pub(super) fn slot(&self, _: &Placement, _: Color, _: u32) -> Slot {
        match *self {}
    }
}

impl Slot {
    pub(super) fn get(&self) -> Option<u64> {
        match *self {}
    }

    pub(super) fn set(&self, _: u64) {
        match *self {}
    }
}
