//! What a run has come to, and the file that survives it.
//!
//! The first line is `pairs` and how many were played, every other one a number's name, its value when the run
//! began, and its value now.

use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use ferz_search::{Parameter, Parameters};

/// How far a run has come.
#[derive(Debug)]
pub struct State {
    /// How many were learned from.
    pub pairs: u64,
    pub numbers: Vec<Tuned>,
}

/// A number that is tuned.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// Among all of them.
    pub index: usize,
    /// When the run began.
    pub start: f64,
    pub now: f64,
}

impl Tuned {
    pub fn parameter(&self) -> &'static Parameter {
        &Parameter::all()[self.index]
    }

    /// How far it went, in steps.
    pub fn distance(&self) -> f64 {
        (self.now - self.start) / self.parameter().step
    }

    pub fn move_by(&mut self, distance: f64) {
        let range = &self.parameter().range;
        self.now = (self.now + distance).clamp((*range.start()).into(), (*range.end()).into());
    }
}

impl State {
    /// As in the source: all numbers, or those whose names begin with one of these.
    pub fn new(only: &[String]) -> Result<State, String> {
        if let Some(unused) =
            only.iter().find(|&start| !Parameter::all().iter().any(|it| it.name.starts_with(start)))
        {
            return Err(format!("--only: no number's name begins with {unused}; --list prints them"));
        }
        let is_wanted = |name: &str| only.is_empty() || only.iter().any(|start| name.starts_with(start));
        let numbers = Parameter::all()
            .iter()
            .enumerate()
            .filter(|(_, parameter)| is_wanted(parameter.name))
            .map(|(index, parameter)| (index, f64::from(parameter.value)))
            .map(|(index, value)| Tuned { index, start: value, now: value })
            .collect();
        Ok(State { pairs: 0, numbers })
    }

    pub fn read(path: &Path) -> Result<State, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        State::parse(&text).map_err(|problem| format!("{}: {problem}", path.display()))
    }

    fn parse(text: &str) -> Result<State, String> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let first = lines.next().and_then(|(_, line)| line.strip_prefix("pairs "));
        let pairs = first.and_then(|pairs| pairs.trim().parse().ok());
        let mut state = State {
            pairs: pairs.ok_or("line 1: `pairs` and their number are expected")?,
            numbers: Vec::new(),
        };
        for (number, line) in lines {
            let tuned = parse_line(line).map_err(|problem| format!("line {number}: {problem}"))?;
            if state.numbers.iter().any(|it| it.index == tuned.index) {
                return Err(format!("line {number}: {} comes twice", tuned.parameter().name));
            }
            state.numbers.push(tuned);
        }
        if state.numbers.is_empty() { Err("no number is in it".to_owned()) } else { Ok(state) }
    }

    /// Writes it beside the file and puts it in its place: there is always one that is whole.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let written = File::create(&beside)
            .and_then(|mut file| {
                write!(file, "{self}")?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&beside, path));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The nearest whole numbers.
    pub fn rounded(&self) -> Parameters {
        let mut parameters = Parameters::default();
        for tuned in &self.numbers {
            parameters.set(tuned.index, tuned.now.round() as i32);
        }
        parameters
    }

    /// How far the numbers went on average, in steps.
    pub fn distance(&self) -> f64 {
        self.numbers.iter().map(|tuned| tuned.distance().abs()).sum::<f64>() / self.numbers.len() as f64
    }
}

fn parse_line(line: &str) -> Result<Tuned, String> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [name, start, now] = words[..] else {
        return Err("a name and two numbers are expected".to_owned());
    };
    let index = Parameter::all().iter().position(|it| it.name == name);
    let index = index.ok_or_else(|| format!("there is no number {name}"))?;
    let range = &Parameter::all()[index].range;
    let value = |text: &str| match text.parse::<f64>() {
        Ok(value) if (f64::from(*range.start())..=f64::from(*range.end())).contains(&value) => Ok(value),
        _ => Err(format!("{name}: {text} is not between {} and {}", range.start(), range.end())),
    };
    Ok(Tuned { index, start: value(start)?, now: value(now)? })
}

/// As in the file.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pairs {}", self.pairs)?;
        let mut numbers = self.numbers.iter();
        numbers.try_for_each(|it| writeln!(f, "{} {} {}", it.parameter().name, it.start, it.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut state = State::new(&["null_move".to_owned(), "window".to_owned()]).unwrap();
        state.pairs = 17;
        state.numbers[1].move_by(0.1 + 0.2);
        let text = state.to_string();
        assert_eq!(State::parse(&text).unwrap().to_string(), text);
        assert_eq!(state.numbers.len(), 5);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, problem) in [
            ("", "line 1"),
            ("pairs x\nwindow 12 12", "line 1"),
            ("pairs 1", "no number"),
            ("pairs 1\nwindow 12", "line 2: a name and two numbers"),
            ("pairs 1\n\nwindows 12 12", "line 3: there is no number windows"),
            ("pairs 1\nwindow 12 NaN", "NaN is not between"),
            ("pairs 1\nwindow 12 12\nwindow 12 12", "line 3: window comes twice"),
        ] {
            let refusal = State::parse(text).unwrap_err();
            assert!(refusal.contains(problem), "{text:?}: {refusal}");
        }
        assert!(State::new(&["nothing".to_owned()]).is_err());
    }
}
