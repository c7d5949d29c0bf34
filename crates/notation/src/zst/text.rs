//! Text that may be compressed.

use std::fs::File;
use std::io::{self, Chain, Cursor, Read};
use std::path::Path;

use super::{ZstReader, is_zst};

/// The text of a file, which may be compressed: its first four bytes decide.
///
/// ```
/// use std::io::Read;
/// use ferz_notation::zst::TextReader;
///
/// let mut text = String::new();
/// TextReader::new("1. e4 *".as_bytes())?.read_to_string(&mut text)?;
/// assert_eq!(text, "1. e4 *");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct TextReader<R>(Text<Chain<Cursor<Vec<u8>>, R>>);

#[derive(Debug)]
enum Text<R> {
    Plain(R),
    // Boxed: a decoder is large.
    Zst(Box<ZstReader<R>>),
}

impl<R: Read> TextReader<R> {
    /// Reads the first bytes, and decides.
    pub fn new(mut input: R) -> io::Result<TextReader<R>> {
        let mut first = Vec::new();
        input.by_ref().take(4).read_to_end(&mut first)?;
        let is_compressed = is_zst(&first);
        let input = Cursor::new(first).chain(input);
        Ok(TextReader(if is_compressed {
            Text::Zst(Box::new(ZstReader::new(input)))
        } else {
            Text::Plain(input)
        }))
    }

    /// Whether the file is compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        matches!(self.0, Text::Zst(_))
    }
}

impl TextReader<File> {
    /// Opens a file.
    pub fn open(path: impl AsRef<Path>) -> io::Result<TextReader<File>> {
        TextReader::new(File::open(path)?)
    }
}

impl<R: Read> Read for TextReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Text::Plain(input) => input.read(buffer),
            Text::Zst(reader) => reader.read(buffer),
        }
    }
}
