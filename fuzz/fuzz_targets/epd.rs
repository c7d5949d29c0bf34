//! Property: an EPD that was read is the same after writing and reading it again, and the three parsers agree.

#![no_main]

use ferz_board::Repair;
use ferz_notation::epd::{Epd, EpdProblem, Severity};
use libfuzzer_sys::fuzz_target;

/// Whether what we write may have this problem.
fn may_be_written(problem: &EpdProblem) -> bool {
    matches!(
        problem,
        EpdProblem::RepeatedOpcode | EpdProblem::MateForm | EpdProblem::Repaired(Repair::ImpossibleCheck(_))
    )
}

fuzz_target!(|line: &str| {
    let (parsed, strict) = (Epd::parse(line), Epd::parse_strict(line));
    let (epd, problems) = match Epd::parse_lenient(line) {
        Ok(read) => read,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(parsed.as_ref(), Err(&error));
            return assert_eq!(strict.as_ref(), Err(&error));
        }
    };
    let worst = problems.iter().map(|error| error.problem.severity()).max();
    assert_eq!(parsed.as_ref().ok(), Some(&epd).filter(|_| worst <= Some(Severity::Form)));
    assert_eq!(strict.as_ref().ok(), Some(&epd).filter(|_| worst.is_none()));
    for error in &problems {
        assert!(!error.to_string().is_empty());
        assert!(error.column.is_some_and(|column| (1..=line.len() + 1).contains(&column)), "{error}");
    }

    let written = epd.to_string();
    let (again, problems) = Epd::parse_lenient(&written).expect("it has just been written");
    assert_eq!(again, epd, "{written}");
    assert_eq!(again.to_string(), written);
    assert!(problems.iter().all(|error| may_be_written(&error.problem)), "{written} {problems:?}");

    // What can be read can be set.
    let mut copy = Epd::new(*epd.position());
    for operation in epd.operations() {
        let set = copy.set(operation.opcode().as_str(), operation.operand().clone());
        assert_eq!(set, Ok(()), "{written} {operation:?}");
    }
    assert_eq!(Epd::parse(&copy.to_string()), Ok(copy));
});
