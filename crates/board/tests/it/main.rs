//! What the board library promises, seen from outside: one binary, one module for each promise.

mod bitboard;
mod dead;
mod differential;
mod features;
mod fen;
mod illegal_moves;
mod moves;
mod museum;
mod observers;
mod packed;
mod perft;
mod random;
mod rules;
mod setup;
mod text;
