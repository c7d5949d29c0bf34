//! The state of a run, and its file.
//!
//! The first line of the file is `pairs` and the number of pairs played. Every other line is the name of a parameter,
//! its value at the start of the run, and its present value.

use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use ferz_search::{SearchParameter, SearchParameters};

/// The state of a run.
#[derive(Debug)]
pub struct State {
    /// The number of pairs played.
    pub pairs: u64,
    pub parameters: Vec<Tuned>,
}

/// A parameter that is tuned.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// Its index among all parameters.
    pub index: usize,
    /// Its value at the start of the run.
    pub start: f64,
    /// Its present value.
    pub now: f64,
}

impl Tuned {
    pub fn parameter(&self) -> &'static SearchParameter {
        &SearchParameter::all()[self.index]
    }

    /// The distance from the start, in steps.
    pub fn distance(&self) -> f64 {
        (self.now - self.start) / self.parameter().step
    }

    pub fn move_by(&mut self, distance: f64) {
        let range = &self.parameter().range;
        self.now = (self.now + distance).clamp((*range.start()).into(), (*range.end()).into());
    }
}

impl State {
    /// The values in the source: of all parameters, or of those whose names begin with one of these.
    pub fn new(only: &[String]) -> Result<State, String> {
        if let Some(unused) =
            only.iter().find(|&start| !SearchParameter::all().iter().any(|it| it.name.starts_with(start)))
        {
            return Err(format!("--only: no parameter begins with {unused}; see --list"));
        }
        let is_wanted = |name: &str| only.is_empty() || only.iter().any(|start| name.starts_with(start));
        let parameters = SearchParameter::all()
            .iter()
            .enumerate()
            .filter(|(_, parameter)| is_wanted(parameter.name))
            .map(|(index, parameter)| (index, f64::from(parameter.value)))
            .map(|(index, value)| Tuned { index, start: value, now: value })
            .collect();
        Ok(State { pairs: 0, parameters })
    }

    pub fn read(path: &Path) -> Result<State, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        State::parse(&text).map_err(|problem| format!("{}: {problem}", path.display()))
    }

    fn parse(text: &str) -> Result<State, String> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let first = lines.next().and_then(|(_, line)| line.strip_prefix("pairs "));
        let pairs = first.and_then(|pairs| pairs.trim().parse().ok());
        let mut state =
            State { pairs: pairs.ok_or("line 1: expected `pairs` and a number")?, parameters: Vec::new() };
        for (number, line) in lines {
            let tuned = parse_line(line).map_err(|problem| format!("line {number}: {problem}"))?;
            if state.parameters.iter().any(|it| it.index == tuned.index) {
                return Err(format!("line {number}: {} is there twice", tuned.parameter().name));
            }
            state.parameters.push(tuned);
        }
        if state.parameters.is_empty() { Err("there is no parameter in it".to_owned()) } else { Ok(state) }
    }

    /// Writes a new file and renames it, so that there is always a complete one.
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

    /// The nearest integers.
    pub fn rounded(&self) -> SearchParameters {
        let mut parameters = SearchParameters::default();
        for tuned in &self.parameters {
            parameters.set(tuned.index, tuned.now.round() as i32);
        }
        parameters
    }

    /// The average distance from the start, in steps.
    pub fn distance(&self) -> f64 {
        self.parameters.iter().map(|tuned| tuned.distance().abs()).sum::<f64>() / self.parameters.len() as f64
    }
}

fn parse_line(line: &str) -> Result<Tuned, String> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [name, start, now] = words[..] else {
        return Err("expected a name and two numbers".to_owned());
    };
    let index = SearchParameter::all().iter().position(|it| it.name == name);
    let index = index.ok_or_else(|| format!("unknown parameter {name}"))?;
    let range = &SearchParameter::all()[index].range;
    let value = |text: &str| match text.parse::<f64>() {
        Ok(value) if (f64::from(*range.start())..=f64::from(*range.end())).contains(&value) => Ok(value),
        _ => Err(format!("{name}: {text} is not between {} and {}", range.start(), range.end())),
    };
    Ok(Tuned { index, start: value(start)?, now: value(now)? })
}

/// The text of the file.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pairs {}", self.pairs)?;
        let mut parameters = self.parameters.iter();
        parameters.try_for_each(|it| writeln!(f, "{} {} {}", it.parameter().name, it.start, it.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut state = State::new(&["nmp".to_owned(), "aspiration_delta".to_owned()]).unwrap();
        state.pairs = 17;
        state.parameters[1].move_by(0.1 + 0.2);
        let text = state.to_string();
        assert_eq!(State::parse(&text).unwrap().to_string(), text);
        assert_eq!(state.parameters.len(), 5);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, problem) in [
            ("", "line 1"),
            ("pairs x\naspiration_delta 12 12", "line 1"),
            ("pairs 1", "no parameter"),
            ("pairs 1\naspiration_delta 12", "line 2: expected a name"),
            ("pairs 1\n\nwindow 12 12", "line 3: unknown parameter window"),
            ("pairs 1\naspiration_delta 12 NaN", "NaN is not between"),
            (
                "pairs 1\naspiration_delta 12 12\naspiration_delta 12 12",
                "line 3: aspiration_delta is there twice",
            ),
        ] {
            let refusal = State::parse(text).unwrap_err();
            assert!(refusal.contains(problem), "{text:?}: {refusal}");
        }
        assert!(State::new(&["nothing".to_owned()]).is_err());
    }
}
