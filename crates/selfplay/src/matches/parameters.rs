//! Search parameters by name.

use std::fmt;

use ferz_search::SearchParameter;

/// What is wrong with a text about search parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no parameter with this name.
    Unknown(String),
    /// No parameter has a name that begins like this.
    NoneBeginsWith(String),
    /// A part of the text has the wrong form.
    Malformed {
        /// The part.
        text: String,
        /// The right form.
        expected: &'static str,
    },
    /// A value is outside of the range of its parameter.
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: i32,
    },
    /// The parameter has more than two values, so both levels of the factor must be given.
    NotASwitch(&'static str),
    /// Both levels of a factor are the same.
    SameLevels(&'static str),
    /// A parameter is named twice.
    Twice(&'static str),
    /// A `+` has no parameter on one of its sides.
    EmptyInGroup(String),
    /// A `prefix*` is joined with `+`.
    StarInGroup(String),
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterError::Unknown(name) => write!(f, "unknown parameter {name:?}"),
            ParameterError::NoneBeginsWith(start) => write!(f, "no parameter begins with {start:?}"),
            ParameterError::Malformed { text, expected } => {
                write!(f, "{text:?} is not of the form {expected}")
            }
            ParameterError::OutOfRange { name, value } => {
                let range = SearchParameter::all().iter().find(|it| it.name == *name).map(|it| &it.range);
                let range = range.map_or_else(String::new, |it| format!("{} and {}", it.start(), it.end()));
                write!(f, "{name}: {value} is not between {range}")
            }
            ParameterError::NotASwitch(name) => write!(f, "{name} is not a switch: use {name}=LOW:HIGH"),
            ParameterError::SameLevels(name) => write!(f, "{name}: both levels are the same"),
            ParameterError::Twice(name) => write!(f, "{name} is named twice"),
            ParameterError::EmptyInGroup(text) => write!(f, "{text:?}: + needs a parameter on both sides"),
            ParameterError::StarInGroup(text) => {
                write!(f, "{text:?}: + does not join prefix*. Name the switches one by one")
            }
        }
    }
}

impl std::error::Error for ParameterError {}

/// A factor of an experiment: search parameters that change together between two levels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor {
    /// The parameters, at least one.
    pub parameters: Vec<FactorParameter>,
}

/// The two levels of a search parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactorParameter {
    /// The index of the parameter.
    pub index: usize,
    /// The value of one player.
    pub low: i32,
    /// The value of the other player.
    pub high: i32,
}

impl FactorParameter {
    /// The name of the parameter.
    #[must_use]
    pub fn name(&self) -> &'static str {
        SearchParameter::all()[self.index].name
    }
}

/// `name=low:high`, joined by `+`
impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, parameter) in self.parameters.iter().enumerate() {
            let joint = if number == 0 { "" } else { "+" };
            write!(f, "{joint}{}={}:{}", parameter.name(), parameter.low, parameter.high)?;
        }
        Ok(())
    }
}

/// Reads values of parameters: `name=value,name=value`.
pub fn parse_values(text: &str) -> Result<Vec<(usize, i32)>, ParameterError> {
    let mut values: Vec<(usize, i32)> = Vec::new();
    for part in parts(text) {
        let malformed = || ParameterError::Malformed { text: part.to_owned(), expected: "name=value" };
        let (name, value) = part.split_once('=').ok_or_else(malformed)?;
        let index = index_of(name)?;
        let value = in_range(index, value).ok_or_else(malformed)??;
        if values.iter().any(|it| it.0 == index) {
            return Err(ParameterError::Twice(SearchParameter::all()[index].name));
        }
        values.push((index, value));
    }
    Ok(values)
}

/// Reads factors: `name=low:high,switch,prefix*`. A switch is a parameter with the values 0 and 1, and `prefix*` means
/// all switches whose names begin with it. Parameters joined by `+` are one factor: `name=low:high+name=low:high`.
pub fn parse_factors(text: &str) -> Result<Vec<Factor>, ParameterError> {
    let mut factors: Vec<Factor> = Vec::new();
    for part in parts(text) {
        let group: Vec<_> = part.split('+').map(str::trim).collect();
        if group.contains(&"") {
            return Err(ParameterError::EmptyInGroup(part.to_owned()));
        }
        if group.len() > 1 && part.contains('*') {
            return Err(ParameterError::StarInGroup(part.to_owned()));
        }
        if let Some(start) = part.strip_suffix('*') {
            factors.extend(switches(start)?);
        } else {
            let parameters: Result<_, _> = group.into_iter().map(parse_factor_parameter).collect();
            factors.push(Factor { parameters: parameters? });
        }
    }
    let mut parameters: Vec<_> = factors.iter().flat_map(|it| &it.parameters).collect();
    parameters.sort_by_key(|it| it.index);
    match parameters.windows(2).find(|pair| pair[0].index == pair[1].index) {
        Some(pair) => Err(ParameterError::Twice(pair[0].name())),
        None => Ok(factors),
    }
}

fn parse_factor_parameter(part: &str) -> Result<FactorParameter, ParameterError> {
    let Some((name, levels)) = part.split_once('=') else {
        let index = index_of(part)?;
        let is_switch = is_switch(&SearchParameter::all()[index]);
        let switch = is_switch.then_some(FactorParameter { index, low: 0, high: 1 });
        return switch.ok_or(ParameterError::NotASwitch(SearchParameter::all()[index].name));
    };
    let malformed = || ParameterError::Malformed { text: part.to_owned(), expected: "name=low:high" };
    let index = index_of(name)?;
    let (low, high) = levels.split_once(':').ok_or_else(malformed)?;
    let low = in_range(index, low).ok_or_else(malformed)??;
    let high = in_range(index, high).ok_or_else(malformed)??;
    if low == high {
        return Err(ParameterError::SameLevels(SearchParameter::all()[index].name));
    }
    Ok(FactorParameter { index, low, high })
}

fn switches(start: &str) -> Result<Vec<Factor>, ParameterError> {
    let all = SearchParameter::all().iter().enumerate();
    let found: Vec<_> = all
        .filter(|(_, parameter)| parameter.name.starts_with(start) && is_switch(parameter))
        .map(|(index, _)| Factor { parameters: vec![FactorParameter { index, low: 0, high: 1 }] })
        .collect();
    if found.is_empty() { Err(ParameterError::NoneBeginsWith(start.to_owned())) } else { Ok(found) }
}

/// Whether a parameter has only the values 0 and 1.
pub(super) fn is_switch(parameter: &SearchParameter) -> bool {
    parameter.range == (0..=1)
}

pub(super) fn index_of(name: &str) -> Result<usize, ParameterError> {
    let index = SearchParameter::all().iter().position(|it| it.name == name);
    index.ok_or_else(|| ParameterError::Unknown(name.to_owned()))
}

/// `None` if the text is not a number.
fn in_range(index: usize, text: &str) -> Option<Result<i32, ParameterError>> {
    let SearchParameter { name, range, .. } = &SearchParameter::all()[index];
    let value = text.trim().parse().ok()?;
    Some(if range.contains(&value) { Ok(value) } else { Err(ParameterError::OutOfRange { name, value }) })
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_factors_are_read() {
        let values = parse_values("nmp_base=100, aspiration_delta=20,").unwrap();
        let named: Vec<_> =
            values.iter().map(|&(index, value)| (SearchParameter::all()[index].name, value)).collect();
        assert_eq!(named, [("nmp_base", 100), ("aspiration_delta", 20)]);
        let factors = parse_factors("nmp_base=100:200,aspiration_delta=20:10").unwrap();
        assert_eq!(factors[1].to_string(), "aspiration_delta=20:10");
        let factors = parse_factors("nmp_base=100:200 + nmp_slope=10:12,aspiration_delta=20:10").unwrap();
        assert_eq!(factors.len(), 2);
        assert_eq!(factors[0].to_string(), "nmp_base=100:200+nmp_slope=10:12");
        assert!(parse_values("").unwrap().is_empty());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, problem) in [
            ("x=1", "unknown parameter \"x\""),
            ("nmp_base", "\"nmp_base\" is not of the form name=value"),
            ("nmp_base=much", "\"nmp_base=much\" is not of the form name=value"),
            ("nmp_base=-1", "nmp_base: -1 is not between 0 and 320"),
            ("nmp_base=1,nmp_base=2", "nmp_base is named twice"),
        ] {
            assert_eq!(parse_values(text).unwrap_err().to_string(), problem);
        }
        for (text, problem) in [
            ("x", "unknown parameter \"x\""),
            ("nmp_base", "nmp_base is not a switch: use nmp_base=LOW:HIGH"),
            ("nmp_base=1", "\"nmp_base=1\" is not of the form name=low:high"),
            ("nmp_base=1:999", "nmp_base: 999 is not between 0 and 320"),
            ("nmp_base=1:1", "nmp_base: both levels are the same"),
            ("nothing_*", "no parameter begins with \"nothing_\""),
            ("nmp_base=1:2,nmp_base=1:3", "nmp_base is named twice"),
            ("nmp_slope=4:5,nmp_base=1:2+nmp_slope=4:6", "nmp_slope is named twice"),
            ("nmp_base=1:2+", "\"nmp_base=1:2+\": + needs a parameter on both sides"),
            (
                "nmp_base=1:2+trial_*",
                "\"nmp_base=1:2+trial_*\": + does not join prefix*. Name the switches one by one",
            ),
            (
                "trial_*+nmp_base=1:2",
                "\"trial_*+nmp_base=1:2\": + does not join prefix*. Name the switches one by one",
            ),
        ] {
            assert_eq!(parse_factors(text).unwrap_err().to_string(), problem);
        }
    }
}
