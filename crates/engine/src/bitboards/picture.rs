//! Drawings of bitboards, as programs print them.

use ferz_board::{Bitboard, File, Rank, Square};

use super::BitboardError;

/// Whether a text is meant as a drawing: it has several lines, or it is 64 marks that are not all digits.
pub(super) fn is_drawing(text: &str) -> bool {
    let marks: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.trim().contains('\n')
        || (marks.len() == 64
            && marks.iter().all(|&c| mark(c).is_some())
            && marks.iter().any(|c| !c.is_ascii_digit()))
}

/// Whether a character marks a member of the set or another square.
fn mark(c: char) -> Option<bool> {
    match c {
        'x' | 'X' | '1' | '*' | '#' => Some(true),
        '.' | '·' | '0' => Some(false),
        _ => None,
    }
}

/// Whether a character belongs to the frame of a drawing.
fn is_frame(c: char) -> bool {
    matches!(c, '+' | '-' | '=' | '_' | '|' | '\u{2500}'..='\u{257f}')
}

fn is_bar(c: char) -> bool {
    matches!(c, '|' | '│' | '║' | '┃')
}

/// Characters of a row with their columns.
type Row = Vec<(usize, char)>;

/// Reads eight rows of marks. Names of ranks at either end of the rows and a line with the names of files may stand
/// around them; they say how the board is turned. Frames are ignored, and so is text below the drawing. In a row of cells
/// (`| X |   |`) a blank cell is empty.
pub(super) fn read(text: &str) -> Result<Bitboard, BitboardError> {
    let mut rows: Vec<(usize, Row)> = Vec::new();
    let mut files = None;
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let mut last_line = 1;
    for (number, line) in lines {
        let letters: String =
            line.chars().filter(|&c| !c.is_whitespace() && !is_frame(c)).collect::<String>().to_lowercase();
        if letters.is_empty() && !has_cells(line) {
            continue;
        }
        last_line = number;
        match &letters[..] {
            "abcdefgh" => files = Some(File::ALL),
            "hgfedcba" => files = Some(reversed(File::ALL)),
            _ if letters.chars().count() == 64 && rows.is_empty() => {
                let marks: Row = row(line);
                rows = marks.chunks(8).map(|eight| (number, eight.to_vec())).collect();
            }
            // What programs print below: the number, a caption.
            _ if rows.len() == 8 && !letters.chars().all(|c| mark(c).is_some() || c.is_ascii_digit()) => {
                break;
            }
            _ => rows.push((number, row(line))),
        }
    }
    if rows.len() != 8 {
        let message = format!("a drawing has 8 rows of squares, this one has {}", rows.len());
        return Err(BitboardError { line: Some(last_line), column: 1, message });
    }
    let ranks = take_labels(&mut rows)?;
    let files = files.unwrap_or(File::ALL);
    let mut set = Bitboard::EMPTY;
    for (rank, (line, row)) in ranks.into_iter().zip(&rows) {
        for (file, &(column, c)) in files.into_iter().zip(row) {
            let message = || format!("{c:?} marks neither a member (X, 1) nor another square (., 0)");
            match mark(c) {
                Some(true) => set.insert(Square::from_coords(file, rank)),
                Some(false) => {}
                None => return Err(BitboardError { line: Some(*line), column, message: message() }),
            }
        }
    }
    Ok(set)
}

/// Whether a line has eight cells between bars.
fn has_cells(line: &str) -> bool {
    line.chars().filter(|&c| is_bar(c)).count() >= 9
}

/// The marks and labels of a line.
fn row(line: &str) -> Row {
    let mut row = Row::new();
    let in_cells = has_cells(line);
    let mut is_cell_blank = false;
    for (index, c) in line.chars().enumerate() {
        if is_bar(c) && in_cells {
            if is_cell_blank {
                row.push((index, '.'));
            }
            // The last bar opens no cell.
            is_cell_blank = line.chars().skip(index + 1).any(is_bar);
        } else if !c.is_whitespace() && !is_frame(c) {
            row.push((index + 1, c));
            is_cell_blank = false;
        }
    }
    row
}

/// Removes the names of the ranks from the rows, and returns the ranks from top to bottom.
fn take_labels(rows: &mut [(usize, Row)]) -> Result<[Rank; 8], BitboardError> {
    let downwards = reversed(Rank::ALL);
    let width = rows[0].1.len();
    if let Some((line, row)) = rows.iter().find(|(_, row)| row.len() != width || !(8..=10).contains(&width)) {
        let column = row.last().map_or(1, |&(column, _)| column);
        let message = format!("a row has 8 squares, this one has {}", row.len());
        return Err(BitboardError { line: Some(*line), column, message });
    }
    if width == 8 {
        return Ok(downwards);
    }
    // 1 is also a mark, but the other ranks cannot be taken for one.
    let is_left = width == 10 || rows[1..7].iter().all(|(_, row)| mark(row[0].1).is_none());
    let labels: Vec<_> = rows
        .iter_mut()
        .map(|(line, row)| (*line, if is_left { row.remove(0) } else { row.remove(8) }))
        .collect();
    if width == 10 {
        rows.iter_mut().for_each(|(_, row)| row.truncate(8));
    }
    let ranks = if labels[0].1.1 == '1' { Rank::ALL } else { downwards };
    for (rank, (line, (column, label))) in ranks.into_iter().zip(labels) {
        if label != rank.to_char() {
            let message = format!("the row is named {label:?}, but {rank} comes here");
            return Err(BitboardError { line: Some(line), column, message });
        }
    }
    Ok(ranks)
}

fn reversed<T>(mut items: [T; 8]) -> [T; 8] {
    items.reverse();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read_as(drawing: &str, set: Bitboard) {
        assert!(is_drawing(drawing), "{drawing}");
        assert_eq!(read(drawing), Ok(set), "{drawing}");
    }

    /// Draws a set with one character for members and one for the rest.
    fn rows(set: Bitboard, member: char, other: char, between: &str) -> Vec<String> {
        let draw = |rank: Rank| {
            let cell = |file| if set.contains(Square::from_coords(file, rank)) { member } else { other };
            File::ALL.map(|file| cell(file).to_string()).join(between)
        };
        reversed(Rank::ALL).map(draw).to_vec()
    }

    #[test]
    fn drawings_of_many_programs_are_read() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut sets =
            vec![Bitboard::EMPTY, Bitboard::ALL, Bitboard::from(Rank::First), Bitboard::from(File::A)];
        sets.extend((0..200).map(|_| Bitboard(random.u64(..))));
        for set in sets {
            is_read_as(&set.to_string(), set);
            is_read_as(&format!("{set:#}"), set);
            for (member, other) in [('1', '.'), ('1', '0'), ('x', '.'), ('X', '·'), ('#', '.'), ('*', '.')] {
                for between in ["", " ", "  "] {
                    let plain = rows(set, member, other, between);
                    is_read_as(&plain.join("\n"), set);
                    let number = |(index, row): (usize, &String)| (8 - index, row.clone());
                    let numbered: Vec<_> = plain.iter().enumerate().map(number).collect();
                    let left: Vec<_> =
                        numbered.iter().map(|(rank, row)| format!("  {rank}  {row}")).collect();
                    is_read_as(&format!("{}\n\n     a b c d e f g h\n", left.join("\n")), set);
                    let right: Vec<_> = numbered.iter().map(|(rank, row)| format!("{row} {rank}")).collect();
                    is_read_as(&format!("A B C D E F G H\n{}", right.join("\n")), set);
                    let both: Vec<_> =
                        numbered.iter().map(|(rank, row)| format!("{rank} |{row}| {rank}")).collect();
                    is_read_as(&format!("  +--------+\n{}\n  +--------+", both.join("\n")), set);
                    // Black's view: half a turn.
                    let turned: Vec<_> = numbered
                        .iter()
                        .rev()
                        .map(|(rank, row)| format!("{rank} {}", row.chars().rev().collect::<String>()))
                        .collect();
                    is_read_as(&format!("{}\n  h g f e d c b a", turned.join("\n")), set);
                }
            }
            let rule = "+---+---+---+---+---+---+---+---+";
            let cells: Vec<_> = rows(set, 'X', ' ', " | ")
                .iter()
                .enumerate()
                .map(|(index, row)| format!("| {row} | {}\n{rule}", 8 - index))
                .collect();
            is_read_as(&format!("{rule}\n{}\n  a   b   c   d   e   f   g   h", cells.join("\n")), set);
        }
        is_read_as(&format!("{:#}\nBitboard: 255d\nfile a", Bitboard::LIGHT), Bitboard::LIGHT);
        is_read_as(&rows(Bitboard::DARK, 'X', '.', "").concat(), Bitboard::DARK);
    }

    #[test]
    fn errors_have_line_and_column() {
        let good = rows(Bitboard::LIGHT, 'X', '.', " ");
        let with = |index: usize, row: &str| {
            let mut rows = good.clone();
            row.clone_into(&mut rows[index]);
            read(&rows.join("\n")).expect_err("not a drawing").to_string()
        };
        assert_eq!(
            with(2, "X . ? . . . . ."),
            "line 3, column 5: '?' marks neither a member (X, 1) nor another square (., 0)"
        );
        assert_eq!(with(4, "X . ."), "line 5, column 5: a row has 8 squares, this one has 3");
        let seven = read(&good[1..].join("\n")).expect_err("a row is missing").to_string();
        assert_eq!(seven, "line 7, column 1: a drawing has 8 rows of squares, this one has 7");
        // The drawing of one tutorial names its second rank 6.
        let labels = [8, 7, 6, 5, 4, 3, 6, 1];
        let wrong: Vec<_> = labels.iter().zip(&good).map(|(label, row)| format!("{label}  {row}")).collect();
        let error = read(&wrong.join("\n")).expect_err("the name of the rank is wrong").to_string();
        assert_eq!(error, "line 7, column 1: the row is named '6', but 2 comes here");
    }

    #[test]
    fn no_text_panics() {
        let mut random = fastrand::Rng::with_seed(3);
        let alphabet: Vec<char> = "X.10 8|\n+-ah│".chars().collect();
        for _ in 0..20_000 {
            let text: String =
                (0..random.usize(..150)).map(|_| alphabet[random.usize(..alphabet.len())]).collect();
            let _ = read(&text);
        }
    }
}
