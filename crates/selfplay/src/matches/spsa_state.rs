//! The state of a run of tuning, and its file.
//!
//! The first line of the file is `pairs` and the number of pairs played. The second line is `settings`; older versions
//! did not write it. Every other line is the name of a parameter, its value at the start of the run, and its present
//! value.

use std::fmt;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use ferz_search::{SearchParameter, SearchParameters};

use super::parameters::{ParameterError, index_of, is_switch};
use super::screen::difference;
use crate::Error;

/// The longest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// The state of a run of tuning.
#[derive(Debug)]
pub struct SpsaState {
    /// The number of pairs played.
    pub pairs: u64,
    /// What its games depend on, on one line; `None` in the files of older versions.
    pub settings: Option<String>,
    /// The parameters that are tuned.
    pub parameters: Vec<TunedParameter>,
}

/// A parameter that is tuned.
#[derive(Clone, Debug)]
pub struct TunedParameter {
    /// Its index among all parameters.
    pub index: usize,
    /// Its value at the start of the run.
    pub start: f64,
    /// Its present value.
    pub now: f64,
}

impl TunedParameter {
    /// The parameter.
    #[must_use]
    pub fn parameter(&self) -> &'static SearchParameter {
        &SearchParameter::all()[self.index]
    }

    /// The distance from the start, in steps.
    #[must_use]
    pub fn distance(&self) -> f64 {
        (self.now - self.start) / self.parameter().step
    }

    /// Moves the present value, within its range.
    pub fn move_by(&mut self, distance: f64) {
        let range = &self.parameter().range;
        self.now = (self.now + distance).clamp((*range.start()).into(), (*range.end()).into());
    }
}

impl SpsaState {
    /// The values of `base`: of the parameters whose names begin with one of these. Without names, of all but switches,
    /// and of those of time management only with a clock.
    pub fn new(
        only: &[String],
        has_clock: bool,
        base: &SearchParameters,
        settings: String,
    ) -> Result<SpsaState, ParameterError> {
        let all = SearchParameter::all();
        if let Some(unused) = only.iter().find(|&start| !all.iter().any(|it| it.name.starts_with(start))) {
            return Err(ParameterError::NoneBeginsWith(unused.clone()));
        }
        let is_wanted = |parameter: &SearchParameter| {
            if only.is_empty() {
                !is_switch(parameter) && (has_clock || !parameter.needs_clock())
            } else {
                only.iter().any(|start| parameter.name.starts_with(start))
            }
        };
        let parameters = all
            .iter()
            .zip(base.values())
            .enumerate()
            .filter(|(_, (parameter, _))| is_wanted(parameter))
            .map(|(index, (_, &value))| TunedParameter { index, start: value.into(), now: value.into() })
            .collect();
        Ok(SpsaState { pairs: 0, settings: Some(settings), parameters })
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<SpsaState, Error> {
        let problem = |(line, reason)| Error::TuneFile { path: path.to_owned(), line, reason };
        let mut text = String::new();
        let file = File::open(path).map_err(Error::io(path))?;
        file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(Error::io(path))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(problem((1, "the file is too long".to_owned())));
        }
        SpsaState::parse(&text).map_err(problem)
    }

    /// Reads the file of a run that has these settings.
    pub fn resume(path: &Path, settings: &str) -> Result<SpsaState, Error> {
        let state = SpsaState::read(path)?;
        let reason = match &state.settings {
            Some(found) => difference(found, settings),
            None => Some(
                "no `settings`: an older version wrote the file. Begin a new run with `--base @FILE`"
                    .to_owned(),
            ),
        };
        reason.map_or(Ok(state), |reason| Err(Error::TuneFile { path: path.to_owned(), line: 2, reason }))
    }

    /// An error is the line and what is wrong there.
    fn parse(text: &str) -> Result<SpsaState, (usize, String)> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let first = lines.next().and_then(|(_, line)| line.strip_prefix("pairs "));
        let pairs = first.and_then(|pairs| pairs.trim().parse().ok());
        let mut state = SpsaState {
            pairs: pairs.ok_or_else(|| (1, "expected `pairs` and a number".to_owned()))?,
            settings: None,
            parameters: Vec::new(),
        };
        for (number, line) in lines {
            if let Some(settings) = line.strip_prefix("settings ") {
                state.settings = Some(settings.to_owned());
                continue;
            }
            let tuned = parse_line(line).map_err(|problem| (number, problem))?;
            if state.parameters.iter().any(|it| it.index == tuned.index) {
                return Err((number, format!("{} occurs twice", tuned.parameter().name)));
            }
            state.parameters.push(tuned);
        }
        if state.parameters.is_empty() { Err((2, "the file has no parameter".to_owned())) } else { Ok(state) }
    }

    /// Writes a new file and renames it, so that there is always a complete one.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let written = File::create(&beside)
            .and_then(|mut file| {
                write!(file, "{self}")?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&beside, path));
        written.map_err(Error::io(path))
    }

    /// The nearest integers.
    pub fn rounded(&self) -> impl Iterator<Item = (usize, i32)> {
        self.parameters.iter().map(|tuned| (tuned.index, tuned.now.round() as i32))
    }

    /// The average distance from the start, in steps.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.parameters.iter().map(|tuned| tuned.distance().abs()).sum::<f64>() / self.parameters.len() as f64
    }
}

fn parse_line(line: &str) -> Result<TunedParameter, String> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [name, start, now] = words[..] else {
        return Err("expected a name and two numbers".to_owned());
    };
    let index = index_of(name).map_err(|error| error.to_string())?;
    let range = &SearchParameter::all()[index].range;
    let value = |text: &str| match text.parse::<f64>() {
        Ok(value) if (f64::from(*range.start())..=f64::from(*range.end())).contains(&value) => Ok(value),
        _ => Err(format!("{name}: {text} is not between {} and {}", range.start(), range.end())),
    };
    Ok(TunedParameter { index, start: value(start)?, now: value(now)? })
}

/// The text of the file.
impl fmt::Display for SpsaState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pairs {}", self.pairs)?;
        if let Some(settings) = &self.settings {
            writeln!(f, "settings {settings}")?;
        }
        let mut parameters = self.parameters.iter();
        parameters.try_for_each(|it| writeln!(f, "{} {} {}", it.parameter().name, it.start, it.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let only = ["nmp", "aspiration_delta"].map(str::to_owned);
        let settings = "seed=0 nodes=1".to_owned();
        let mut state = SpsaState::new(&only, false, &SearchParameters::default(), settings).unwrap();
        state.pairs = 17;
        state.parameters[1].move_by(0.1 + 0.2);
        let text = state.to_string();
        assert!(text.starts_with("pairs 17\nsettings seed=0 nodes=1\n"), "{text}");
        assert_eq!(SpsaState::parse(&text).unwrap().to_string(), text);
        assert_eq!(state.parameters.len(), 5);
        // Older versions wrote no settings.
        let text = text.replace("settings seed=0 nodes=1\n", "");
        assert_eq!(SpsaState::parse(&text).unwrap().to_string(), text);
    }

    #[test]
    fn what_does_not_count_is_left_out() {
        for has_clock in [false, true] {
            let state = SpsaState::new(&[], has_clock, &SearchParameters::default(), String::new()).unwrap();
            let parameters = || state.parameters.iter().map(TunedParameter::parameter);
            assert_eq!(parameters().any(SearchParameter::needs_clock), has_clock);
            assert!(!parameters().any(is_switch));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, problem) in [
            ("", "line 1"),
            ("pairs x\naspiration_delta 12 12", "line 1"),
            ("pairs 1", "no parameter"),
            ("pairs 1\naspiration_delta 12", "line 2: expected a name"),
            ("pairs 1\n\nwindow 12 12", "line 3: unknown parameter \"window\""),
            ("pairs 1\naspiration_delta 12 NaN", "NaN is not between"),
            (
                "pairs 1\naspiration_delta 12 12\naspiration_delta 12 12",
                "line 3: aspiration_delta occurs twice",
            ),
        ] {
            let (line, reason) = SpsaState::parse(text).unwrap_err();
            let refusal = format!("line {line}: {reason}");
            assert!(refusal.contains(problem), "{text:?}: {refusal}");
        }
        let only = ["nothing".to_owned()];
        assert!(SpsaState::new(&only, false, &SearchParameters::default(), String::new()).is_err());
    }
}
