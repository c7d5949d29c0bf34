//! A best-first search for a helpmate, which visits every reachable position if there is none.

use alloc::vec::Vec;
use core::mem;

use super::{Helpmate, Winnability, estimate::estimate, mobility};
use crate::{Color, Move, Position};

/// Nodes before the mobility analysis is tried: most positions are decided sooner.
const NODES_BEFORE_ANALYSIS: usize = 300;

/// Nodes before the second order of search is tried.
const NODES_BEFORE_SECOND_ORDER: usize = 500;

/// Up to this depth every position is analysed, then only those after a capture or pawn move: the others rarely differ
/// from their predecessors.
const ANALYSED_DEPTH: u32 = 4;

const NO_NODE: u32 = u32::MAX;

/// A position that was visited.
#[derive(Clone, Debug)]
struct Node {
    position: Position,
    /// How it was reached; `None` for the root.
    edge: Option<Edge>,
    depth: u32,
    /// In each order.
    estimates: [u8; 2],
    /// The next node with the same estimate.
    next: [u32; 2],
    /// The number of moves that have been tried.
    tried: u16,
    finished: bool,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    parent: u32,
    mv: Move,
    /// The number of the parent's moves up to this one.
    tried: u16,
}

/// The positions that were visited, with two orders in which they are expanded.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The numbers of the nodes by their keys: a hash table with open addressing.
    table: Vec<u32>,
    queues: [Queue; 2],
}

#[derive(Clone, Debug, Default)]
struct Queue {
    /// The first node of each estimate.
    buckets: Vec<u32>,
    /// All buckets before this one are empty.
    best: usize,
}

impl Queue {
    fn clear(&mut self) {
        self.buckets.clear();
        self.buckets.resize(1 << u8::BITS, NO_NODE);
        self.best = 0;
    }

    /// Puts a node first; the result comes next.
    fn push(&mut self, number: u32, estimate: u8) -> u32 {
        let bucket = usize::from(estimate);
        self.best = self.best.min(bucket);
        mem::replace(&mut self.buckets[bucket], number)
    }
}

impl Tree {
    /// Whether this colour can mate, and the number of nodes.
    pub(super) fn search(&mut self, root: &Position, winner: Color, limit: u64) -> (Winnability, u64) {
        if is_mated(root, !winner) {
            return (helpmate(winner, Vec::new()), 0);
        }
        if root.cannot_mate(winner) {
            return (Winnability::Unwinnable, 0);
        }
        self.clear();
        self.visit(root, winner, None, 0);
        let winnability = self.expand(winner, usize::try_from(limit).unwrap_or(usize::MAX));
        (winnability, self.nodes.len() as u64)
    }

    fn expand(&mut self, winner: Color, limit: usize) -> Winnability {
        let analysed_from = NODES_BEFORE_ANALYSIS.min(limit);
        let mut root_analysed = false;
        let mut order = 0;
        while let Some(number) = self.pop(order) {
            let Node { position, depth, tried, .. } = self.nodes[number as usize];
            if self.nodes.len() >= analysed_from {
                if !mem::replace(&mut root_analysed, true)
                    && mobility::is_unwinnable(&self.nodes[0].position, winner)
                {
                    return Winnability::Unwinnable;
                }
                let changed = position.halfmove_clock() == 0 || depth < ANALYSED_DEPTH;
                if tried == 0 && changed && mobility::is_unwinnable(&position, winner) {
                    continue;
                }
            }
            for (index, mv) in position.legal_moves().into_iter().enumerate().skip(usize::from(tried)) {
                let mut child = position;
                child.play_unchecked(mv);
                if is_mated(&child, !winner) {
                    return helpmate(winner, self.line(number, mv));
                }
                if child.cannot_mate(winner) {
                    continue;
                }
                if self.nodes.len() >= limit {
                    return Winnability::Unknown;
                }
                let edge = Edge { parent: number, mv, tried: index as u16 + 1 };
                if self.visit(&child, winner, Some(edge), order) {
                    break;
                }
            }
            if self.nodes.len() > NODES_BEFORE_SECOND_ORDER {
                order ^= 1;
            }
        }
        Winnability::Unwinnable
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.table.clear();
        self.table.resize(1 << 10, NO_NODE);
        self.queues.iter_mut().for_each(Queue::clear);
    }

    /// Adds a position, unless it has been visited. Returns whether to follow it at once: if it makes progress in this
    /// order, or if the losing side has waited without harm. Then the other moves of its parent come later.
    fn visit(&mut self, position: &Position, winner: Color, edge: Option<Edge>, order: usize) -> bool {
        let slot = self.slot(position);
        if self.table[slot] != NO_NODE {
            return false;
        }
        let number = self.nodes.len() as u32;
        self.table[slot] = number;
        let estimates = estimate(position, winner);
        let mut follow = false;
        let mut depth = 0;
        if let Some(Edge { parent, tried, .. }) = edge {
            let node = &mut self.nodes[parent as usize];
            depth = node.depth + 1;
            let waited = position.side_to_move() == winner;
            follow = estimates[order] < node.estimates[order] + u8::from(waited);
            if follow {
                node.tried = tried;
                node.finished = false;
                node.next[order] = self.queues[order].push(parent, node.estimates[order]);
            }
        }
        let next = [0, 1].map(|order| self.queues[order].push(number, estimates[order]));
        self.nodes.push(Node {
            position: *position,
            edge,
            depth,
            estimates,
            next,
            tried: 0,
            finished: false,
        });
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        follow
    }

    /// Where a position is in the table, or where it belongs. Positions are compared, not only keys: a collision must
    /// not hide a mate.
    fn slot(&self, position: &Position) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = position.repetition_key() as usize & mask;
        while let Some(node) = self.nodes.get(self.table[slot] as usize) {
            if node.position.same_position(position) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = self.table.len() * 4;
        self.table.clear();
        self.table.resize(size, NO_NODE);
        for (number, node) in self.nodes.iter().enumerate() {
            let slot = self.slot(&node.position);
            self.table[slot] = number as u32;
        }
    }

    /// Takes the unfinished node with the best estimate.
    fn pop(&mut self, order: usize) -> Option<u32> {
        let queue = &mut self.queues[order];
        while let Some(&number) = queue.buckets.get(queue.best) {
            match self.nodes.get_mut(number as usize) {
                None => queue.best += 1,
                Some(node) => {
                    queue.buckets[queue.best] = node.next[order];
                    if !mem::replace(&mut node.finished, true) {
                        return Some(number);
                    }
                }
            }
        }
        None
    }

    /// The moves to a node and one more.
    fn line(&self, mut number: u32, last: Move) -> Vec<Move> {
        let mut moves = Vec::from([last]);
        while let Some(edge) = self.nodes[number as usize].edge {
            moves.push(edge.mv);
            number = edge.parent;
        }
        moves.reverse();
        moves
    }
}

fn is_mated(position: &Position, color: Color) -> bool {
    position.side_to_move() == color && position.is_check() && !position.has_legal_moves()
}

fn helpmate(winner: Color, moves: Vec<Move>) -> Winnability {
    Winnability::Winnable(Helpmate { winner, moves })
}
