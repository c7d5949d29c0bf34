//! As much of Markdown as the checks need: fenced blocks, headings, links and code spans, each with its line.

/// A document taken apart.
#[derive(Clone, Default, Debug)]
pub struct Document {
    /// Its path from the root of the repository.
    pub path: String,
    /// The fenced blocks.
    pub blocks: Vec<Block>,
    /// Lines outside of fenced blocks.
    pub text: Vec<TextLine>,
}

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The word behind the fence, up to a comma or a blank.
    pub language: String,
    /// Everything behind the fence.
    pub info: String,
    /// The line of the fence, from 1. The first line of the content is the next one.
    pub line: usize,
    /// The content.
    pub lines: Vec<String>,
}

/// A line of text with its number, from 1.
#[derive(Clone, Debug)]
pub struct TextLine {
    /// The number.
    pub number: usize,
    /// The line.
    pub text: String,
}

/// A code span or the target of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The line in which it begins.
    pub line: usize,
    /// Its text, on one line.
    pub text: String,
    /// Which row, list item or paragraph it is in: spans with the same number belong together.
    pub place: usize,
}

impl Document {
    /// Takes a text apart.
    #[must_use]
    pub fn parse(path: &str, text: &str) -> Document {
        let mut document = Document { path: path.to_owned(), ..Document::default() };
        let mut open: Option<(String, usize, Block)> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let trimmed = line.trim_start();
            let indent = line.len() - trimmed.len();
            let marks: String = trimmed.chars().take_while(|&c| c == '`').collect();
            if let Some((fence, indent, block)) = &mut open {
                if marks.len() >= fence.len() && trimmed.trim_end().len() == marks.len() {
                    document.blocks.push(block.clone());
                    open = None;
                } else {
                    // A block in a list is indented with it.
                    let blanks = line.len() - trimmed.len();
                    block.lines.push(line[blanks.min(*indent)..].to_owned());
                }
            } else if marks.len() >= 3 && !trimmed[marks.len()..].contains('`') {
                let info = trimmed[marks.len()..].trim().to_owned();
                let language = info.split([',', ' ', '{']).next().unwrap_or_default().to_owned();
                open = Some((marks, indent, Block { language, info, line: number, lines: Vec::new() }));
            } else {
                document.text.push(TextLine { number, text: line.to_owned() });
            }
        }
        // A fence that is not closed reaches to the end.
        document.blocks.extend(open.map(|(_, _, block)| block));
        document
    }

    /// The texts between single or double backquotes.
    #[must_use]
    pub fn code_spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for (place, part) in self.parts().into_iter().enumerate() {
            let (text, starts) = join(&part);
            let mut rest = 0;
            while let Some(begin) = text[rest..].find('`').map(|at| rest + at) {
                let ticks = text[begin..].bytes().take_while(|&byte| byte == b'`').count();
                let inside = begin + ticks;
                let Some(length) = closing(&text[inside..], ticks) else {
                    rest = inside;
                    continue;
                };
                let span = text[inside..inside + length].trim();
                spans.push(Span { line: line_at(&starts, begin), text: span.to_owned(), place });
                rest = inside + length + ticks;
            }
        }
        spans
    }

    /// The targets of links and pictures, `[text](target)` and `[name]: target`.
    #[must_use]
    pub fn links(&self) -> Vec<Span> {
        let mut links = Vec::new();
        for (place, part) in self.parts().into_iter().enumerate() {
            let (text, starts) = join(&part);
            let text = without_code(&text);
            for (at, _) in text.match_indices("](") {
                let target = &text[at + 2..];
                // Parentheses in a target are balanced.
                let mut depth = 1;
                let end = target.find(|c| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                });
                // A title may follow.
                let target = &target[..end.unwrap_or(0)];
                if let Some(target) = target.split_whitespace().next() {
                    links.push(Span { line: line_at(&starts, at), text: target.to_owned(), place });
                }
            }
            for line in &part {
                let definition = line.text.trim().strip_prefix('[').and_then(|line| line.split_once("]: "));
                if let Some(target) = definition.and_then(|(_, target)| target.split_whitespace().next()) {
                    links.push(Span { line: line.number, text: target.to_owned(), place });
                }
            }
        }
        links
    }

    /// The anchors of headings, as GitHub makes them: a second of the same name ends with `-1`.
    #[must_use]
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for line in &self.text {
            let level = line.text.bytes().take_while(|&byte| byte == b'#').count();
            if !(1..=6).contains(&level) || !line.text[level..].starts_with(' ') {
                continue;
            }
            let anchor: String = line.text[level..]
                .trim()
                .to_lowercase()
                .chars()
                .filter(|&c| c.is_alphanumeric() || c == '-' || c == '_' || c == ' ')
                .map(|c| if c == ' ' { '-' } else { c })
                .collect();
            let unique = (0..)
                .map(|n| if n == 0 { anchor.clone() } else { format!("{anchor}-{n}") })
                .find(|name| !anchors.contains(name));
            anchors.extend(unique);
        }
        anchors
    }

    /// Rows of tables, list items and paragraphs: within one of them a span may run over the end of a line.
    fn parts(&self) -> Vec<Vec<TextLine>> {
        let mut parts: Vec<Vec<TextLine>> = Vec::new();
        let mut last = None;
        for line in &self.text {
            let trimmed = line.text.trim_start();
            let begins = trimmed.is_empty()
                || ["|", "#", "* ", "- ", "+ "].iter().any(|mark| trimmed.starts_with(mark))
                || trimmed.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
                || last != Some(line.number - 1);
            match parts.last_mut() {
                Some(part) if !begins => part.push(line.clone()),
                _ => parts.push(vec![line.clone()]),
            }
            last = Some(line.number);
        }
        parts
    }
}

/// The lines of a part in one text, and where in it each begins.
fn join(part: &[TextLine]) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut starts) = (String::new(), Vec::new());
    for line in part {
        starts.push((text.len(), line.number));
        text.push_str(line.text.trim());
        text.push(' ');
    }
    (text, starts)
}

fn line_at(starts: &[(usize, usize)], at: usize) -> usize {
    starts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, number)| *number)
}

/// Where a span ends that was opened with this number of backquotes.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|&&byte| byte == b'`').count();
        if run == ticks {
            return Some(at);
        }
        at += run.max(1);
    }
    None
}

/// The same text with blanks for what is inside code spans; lengths stay.
fn without_code(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut rest = 0;
    while let Some(begin) = text[rest..].find('`').map(|at| rest + at) {
        let ticks = text[begin..].bytes().take_while(|&byte| byte == b'`').count();
        let inside = begin + ticks;
        let Some(length) = closing(&text[inside..], ticks) else {
            rest = inside;
            continue;
        };
        bytes[inside..inside + length].fill(b' ');
        rest = inside + length + ticks;
    }
    String::from_utf8(bytes).expect("whole spans are replaced")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# A title, and `code`!

See [the file](docs/a.md#part) and [`code](x)`](b.rs (1)), or `ferz
bench`.

* An item with ``a ` tick``
  ```console
  $ ls
    deep
  ```

| `a` | `b` |
| `c` | ![picture](p.png \"title\") |

# A title, and `code`!
[name]: https://example.org
````rust,no_run
```
let x = 1;
````
";

    fn document() -> Document {
        Document::parse("a.md", TEXT)
    }

    #[test]
    fn blocks_have_a_language_a_line_and_their_own_indent() {
        let blocks = document().blocks;
        assert_eq!(blocks.len(), 2);
        assert_eq!((blocks[0].language.as_str(), blocks[0].line), ("console", 7));
        assert_eq!(blocks[0].lines, ["$ ls", "  deep"]);
        assert_eq!((blocks[1].language.as_str(), blocks[1].line), ("rust", 17));
        assert_eq!(blocks[1].lines, ["```", "let x = 1;"]);
    }

    #[test]
    fn spans_run_over_lines_but_not_over_rows() {
        let spans = document().code_spans();
        let texts: Vec<_> = spans.iter().map(|span| (span.line, span.text.as_str())).collect();
        assert_eq!(
            texts,
            [
                (1, "code"),
                (3, "code](x)"),
                (3, "ferz bench"),
                (6, "a ` tick"),
                (12, "a"),
                (12, "b"),
                (13, "c"),
                (15, "code")
            ]
        );
        assert_eq!(spans[4].place, spans[5].place);
        assert_ne!(spans[5].place, spans[6].place);
    }

    #[test]
    fn links_and_anchors_are_found() {
        let links = document().links();
        let links: Vec<_> = links.iter().map(|link| (link.line, link.text.as_str())).collect();
        assert_eq!(links, [(3, "docs/a.md#part"), (3, "b.rs"), (13, "p.png"), (16, "https://example.org")]);
        assert_eq!(document().anchors(), ["a-title-and-code", "a-title-and-code-1"]);
    }
}
