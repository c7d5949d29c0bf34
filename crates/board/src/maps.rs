//! A value for each colour, or for each type of piece.

use core::ops::{Index, IndexMut};

use crate::{Color, PieceType};

macro_rules! map_by {
    ($(#[$meta:meta])* $map:ident[$key:ident; $len:literal]) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $map<T>([T; $len]);

        impl<T> $map<T> {
            #[doc = concat!("The values in the order of [`", stringify!($key), "::ALL`].")]
            #[inline]
            #[must_use]
            pub const fn new(values: [T; $len]) -> $map<T> {
                $map(values)
            }

            /// The value that a function has for each key.
            #[inline]
            #[must_use]
            pub fn from_fn(value: impl FnMut($key) -> T) -> $map<T> {
                $map($key::ALL.map(value))
            }

            /// The same value for all keys.
            #[inline]
            #[must_use]
            pub const fn splat(value: T) -> $map<T>
            where
                T: Copy,
            {
                $map([value; $len])
            }

            /// What a function makes of each value.
            #[inline]
            #[must_use]
            pub fn map<U>(self, f: impl FnMut(T) -> U) -> $map<U> {
                $map(self.0.map(f))
            }

            /// References to the values.
            #[inline]
            #[must_use]
            pub const fn as_ref(&self) -> $map<&T> {
                $map(self.0.each_ref())
            }

            #[doc = concat!("The values in the order of [`", stringify!($key), "::ALL`].")]
            #[inline]
            #[must_use]
            pub fn into_array(self) -> [T; $len] {
                self.0
            }

            #[doc = concat!("The values in the order of [`", stringify!($key), "::ALL`].")]
            #[inline]
            pub fn iter(&self) -> core::slice::Iter<'_, T> {
                self.0.iter()
            }

            #[doc = concat!("The values in the order of [`", stringify!($key), "::ALL`], to be changed.")]
            #[inline]
            pub fn iter_mut(&mut self) -> core::slice::IterMut<'_, T> {
                self.0.iter_mut()
            }
        }

        impl<T> Index<$key> for $map<T> {
            type Output = T;

            #[inline(always)]
            fn index(&self, key: $key) -> &T {
                &self.0[key.index()]
            }
        }

        impl<T> IndexMut<$key> for $map<T> {
            #[inline(always)]
            fn index_mut(&mut self, key: $key) -> &mut T {
                &mut self.0[key.index()]
            }
        }

        impl<T> IntoIterator for $map<T> {
            type Item = T;
            type IntoIter = core::array::IntoIter<T, $len>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl<'a, T> IntoIterator for &'a $map<T> {
            type Item = &'a T;
            type IntoIter = core::slice::Iter<'a, T>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<'a, T> IntoIterator for &'a mut $map<T> {
            type Item = &'a mut T;
            type IntoIter = core::slice::IterMut<'a, T>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter_mut()
            }
        }
    };
}

map_by! {
    /// A value for each colour.
    ///
    /// ```
    /// use ferz_board::{ByColor, Color, Position};
    /// let position = Position::start();
    /// let mut pieces = ByColor::from_fn(|color| position.by_color(color).len());
    /// pieces[Color::Black] -= 1;
    /// assert_eq!(pieces, ByColor::new([16, 15]));
    /// ```
    ByColor[Color; 2]
}

map_by! {
    /// A value for each type of piece.
    ///
    /// ```
    /// use ferz_board::{ByPieceType, Piece, PieceType, Position};
    /// let values = ByPieceType::new([1, 3, 3, 5, 9, 0]);
    /// let material: u32 = Position::start().board().iter().map(|(_, piece)| values[piece.piece_type()]).sum();
    /// assert_eq!(material, 2 * 39);
    /// ```
    ByPieceType[PieceType; 6]
}
