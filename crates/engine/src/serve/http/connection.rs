//! A connection with a write timeout, strict line ends and a limited rate of WebSocket frames.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::frames::FrameCounter;
use super::pace::Pace;

/// How long a write may make no progress.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

/// The start of the response after which the client sends WebSocket frames.
const SWITCHING: &[u8] = b"HTTP/1.1 101 ";

/// A stream whose writes fail if the client reads nothing for some time.
///
/// The HTTP library accepts a bare LF as the end of a line, and the WebSocket library reads any number of empty frames in
/// one go. Both are dealt with here.
#[derive(Debug)]
pub(super) struct ClientStream {
    stream: TcpStream,
    /// Runs while a write makes no progress.
    deadline: Pin<Box<Sleep>>,
    is_stuck: bool,
    reading: Reading,
}

/// What the client sends.
#[derive(Debug)]
enum Reading {
    /// Requests.
    Requests(HeadReading),
    Frames(Box<FrameReading>),
}

/// The heads of requests, and the body of the last one.
#[derive(Debug, Default)]
struct HeadReading {
    /// The first byte of the request.
    first: Option<u8>,
    /// The byte before.
    last: u8,
    /// How many bytes of the empty line at the end of a head have been read.
    end: usize,
    /// Only a POST has a body. The connection is closed after it, so the rest is the body.
    is_body: bool,
}

impl HeadReading {
    /// Replaces line feeds without a carriage return in a head.
    fn examine(&mut self, bytes: &mut [u8]) {
        const END: &[u8] = b"\r\n\r\n";
        for byte in bytes {
            if self.is_body {
                return;
            }
            if !matches!(byte, b'\r' | b'\n') {
                self.first.get_or_insert(*byte);
            }
            // NUL is not allowed anywhere in a head, so the answer is 400.
            if *byte == b'\n' && self.last != b'\r' {
                *byte = 0;
            }
            self.last = *byte;
            self.end = if *byte == END[self.end] { self.end + 1 } else { usize::from(*byte == b'\r') };
            if self.end == END.len() {
                self.end = 0;
                self.is_body = self.first.take() == Some(b'P');
            }
        }
    }
}

/// WebSocket frames, and when the next ones may be read.
#[derive(Debug)]
struct FrameReading {
    counter: FrameCounter,
    pace: Pace,
    pause: Pin<Box<Sleep>>,
}

impl Reading {
    /// Looks at bytes that were read.
    fn examine(&mut self, bytes: &mut [u8]) {
        match self {
            Reading::Requests(head) => head.examine(bytes),
            Reading::Frames(frames) => {
                let now = std::time::Instant::now();
                let count = frames.counter.count(bytes);
                let delay = (0..count).map(|_| frames.pace.take(now, Duration::ZERO)).last();
                if let Some(delay) = delay.filter(|delay| !delay.is_zero()) {
                    frames.pause.as_mut().reset(Instant::now() + delay);
                }
            }
        }
    }
}

impl ClientStream {
    pub(super) fn new(stream: TcpStream) -> ClientStream {
        let deadline = Box::pin(sleep(WRITE_TIMEOUT));
        ClientStream { stream, deadline, is_stuck: false, reading: Reading::Requests(HeadReading::default()) }
    }

    /// Notices the switch to WebSocket frames.
    fn look_at_answer(&mut self, bytes: &[u8]) {
        if matches!(self.reading, Reading::Requests(_)) && bytes.starts_with(SWITCHING) {
            let pace = Pace::of_frames(std::time::Instant::now());
            let pause = Box::pin(sleep(Duration::ZERO));
            let frames = FrameReading { counter: FrameCounter::default(), pace, pause };
            self.reading = Reading::Frames(Box::new(frames));
        }
    }

    /// Passes on the result of a write, or fails if it has made no progress for too long.
    fn watch<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.is_stuck = false;
            return written;
        }
        if !self.is_stuck {
            self.is_stuck = true;
            self.deadline.as_mut().reset(Instant::now() + WRITE_TIMEOUT);
        }
        match self.deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Reading::Frames(frames) = &mut self.reading
            && frames.pause.as_mut().poll(context).is_pending()
        {
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.reading.examine(&mut buffer.filled_mut()[before..]);
        read
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.look_at_answer(bytes);
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.look_at_answer(bytes.first().map_or(&[], |first| first));
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_line_feed_is_spoilt() {
        let mut reading = Reading::Requests(HeadReading::default());
        // The line ends may be cut in two.
        for (text, seen) in [("a\r\nb\r", "a\r\nb\r"), ("\n\n", "\n\0"), ("\r\n\n", "\r\n\0")] {
            let mut bytes = text.as_bytes().to_vec();
            reading.examine(&mut bytes);
            assert_eq!(bytes, seen.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn a_body_stays_as_it_is() {
        let mut reading = HeadReading::default();
        let mut bytes = b"GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nA: b\r\n\r\n1. e4\n\n1. d4\n".to_vec();
        let before = bytes.clone();
        reading.examine(&mut bytes);
        assert_eq!(bytes, before);
        // A request without a body does not hide the next one.
        let mut reading = HeadReading::default();
        let mut bytes = b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\n\n".to_vec();
        reading.examine(&mut bytes);
        assert!(bytes.ends_with(b"HTTP/1.1\0\0"));
    }
}
