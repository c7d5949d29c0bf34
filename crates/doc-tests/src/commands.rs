//! Commands that are not run: what they name must exist.
//!
//! Known are `ferz` (subcommands and options, by its help), `make` (targets and variables) and `cargo` (packages,
//! examples, features), and paths of the repository wherever they stand. Of other programs nothing is known.

use std::collections::BTreeMap;

use crate::program::Interface;
use crate::repository::{Repository, names_option};

/// A command with its words, and the line in which it begins, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShellCommand {
    /// From 0.
    pub line: usize,
    /// Without quotes, redirections and assignments in front.
    pub words: Vec<String>,
}

/// Takes a script apart: lines, pipes, lists and the bodies of functions. A call of a function of the script is replaced by
/// the function's command with the arguments of the call.
#[must_use]
pub fn split(lines: &[String]) -> Vec<ShellCommand> {
    let mut commands = Vec::new();
    let mut functions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut defining: Option<String> = None;
    let (mut from, mut text) = (0, String::new());
    for (number, line) in lines.iter().enumerate() {
        if text.is_empty() {
            from = number;
        }
        text.push_str(line);
        if text.ends_with('\\') && number + 1 < lines.len() {
            text.pop();
            continue;
        }
        let mut words: Vec<String> = Vec::new();
        let mut tokens = tokens(&text).into_iter().peekable();
        text.clear();
        loop {
            let token = tokens.next();
            match token {
                Some(Token::Word(word)) => words.push(word),
                Some(Token::Redirection) => drop(tokens.next()),
                Some(Token::Separator('('))
                    if words.len() == 1 && tokens.peek() == Some(&Token::Separator(')')) =>
                {
                    defining = words.pop();
                }
                Some(Token::Separator(_)) | None => {
                    while words.first().is_some_and(|word| is_assignment(word)) {
                        words.remove(0);
                    }
                    if !words.is_empty() {
                        let mut words = std::mem::take(&mut words);
                        if let Some(name) = defining.take() {
                            words.retain(|word| word != "$@");
                            functions.insert(name, words.clone());
                        } else if let Some(body) = functions.get(&words[0]) {
                            words = body.iter().chain(&words[1..]).cloned().collect();
                        }
                        commands.push(ShellCommand { line: from, words });
                    }
                    if token.is_none() {
                        break;
                    }
                }
            }
        }
    }
    commands
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Word(String),
    Separator(char),
    /// The next word is a file.
    Redirection,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                let quoted = letters.by_ref().take_while(|&c| c != '\'');
                word.get_or_insert_default().extend(quoted);
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = letters.next().filter(|&c| c != '"') {
                    word.push(if c == '\\' { letters.next().unwrap_or(c) } else { c });
                }
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            '#' if word.is_none() => break,
            '>' | '<' => {
                // A number in front is the stream.
                tokens.extend(word.take().filter(|word| word.parse::<u8>().is_err()).map(Token::Word));
                while letters.next_if(|c| "<>&".contains(*c)).is_some() {}
                tokens.push(Token::Redirection);
            }
            '|' | '&' | ';' | '(' | ')' => {
                tokens.extend(word.take().map(Token::Word));
                tokens.push(Token::Separator(letter));
            }
            '{' | '}' if word.is_none() && letters.peek().is_none_or(|c| c.is_whitespace() || *c == ';') => {
                tokens.push(Token::Separator(letter));
            }
            _ if letter.is_whitespace() => tokens.extend(word.take().map(Token::Word)),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
    })
}

/// What is wrong with a command; empty if nothing is.
#[must_use]
pub fn problems(words: &[String], repository: &Repository, interface: &Interface) -> Vec<String> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let mut problems = match program.as_str() {
        "ferz" | "./ferz" => ferz(arguments, interface),
        "make" => make(arguments, repository),
        "cargo" => cargo(arguments, repository, interface),
        _ => Vec::new(),
    };
    for word in words {
        let word = word.trim_start_matches("./");
        let top = word.split('/').next().unwrap_or_default();
        let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte));
        if word.contains('/') && is_plain && repository.paths.contains(top) && !repository.has(word) {
            problems.push(format!("there is no {word}"));
        }
    }
    problems
}

/// A placeholder for whatever the reader wants.
fn is_placeholder(word: &str) -> bool {
    word.contains(['<', '…', '$']) || word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

fn ferz(arguments: &[String], interface: &Interface) -> Vec<String> {
    let mut problems = Vec::new();
    // Alternatives, as in `ferz pgn check|fmt`, are all looked at.
    let mut levels = vec![String::new()];
    let mut is_open = true;
    for argument in arguments {
        if argument == "--" {
            break;
        }
        if argument.starts_with('-')
            && argument.len() > 1
            && !argument[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            for option in argument.split('|') {
                let option = option.split('=').next().unwrap_or_default();
                for level in &levels {
                    if interface.help(level).is_some_and(|help| !help.options.contains(option)) {
                        problems.push(format!("{} has no option {option}", format!("ferz {level}").trim()));
                    }
                }
            }
            continue;
        }
        let commands = &interface.help(&levels[0]).map(|help| help.commands.clone()).unwrap_or_default();
        if !is_open || commands.is_empty() || is_placeholder(argument) {
            is_open = false;
            continue;
        }
        let level = levels[0].clone();
        levels = Vec::new();
        for name in argument.split('|') {
            if !commands.contains(name) {
                return vec![format!("{} has no subcommand {name}", format!("ferz {level}").trim())];
            }
            levels.push(format!("{level} {name}").trim().to_owned());
        }
    }
    problems
}

fn make(arguments: &[String], repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for argument in
        arguments.iter().filter(|argument| !argument.starts_with('-') && !is_placeholder(argument))
    {
        if let Some((name, _)) = argument.split_once('=') {
            if !repository.has_variable(name) {
                problems.push(format!("the Makefile has no variable {name}"));
            }
        } else if !repository.targets.contains(argument) {
            problems.push(format!("the Makefile has no target {argument}"));
        }
    }
    problems
}

fn cargo(arguments: &[String], repository: &Repository, interface: &Interface) -> Vec<String> {
    let mut problems = Vec::new();
    let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let (own, passed) = (&arguments[..end], &arguments[arguments.len().min(end + 1)..]);
    let values = |names: &[&str]| -> Vec<&str> {
        let mut values = Vec::new();
        for (at, word) in own.iter().enumerate() {
            if names.contains(&word.as_str()) {
                values.extend(own.get(at + 1).map(String::as_str));
            } else if let Some((name, value)) = word.split_once('=')
                && names.contains(&name)
            {
                values.push(value);
            }
        }
        values
    };
    // What is installed is not ours.
    let command = own.iter().find(|word| !word.starts_with(['-', '+'])).map(String::as_str);
    if !matches!(
        command,
        Some("run" | "test" | "build" | "check" | "clippy" | "doc" | "bench" | "package" | "tree")
    ) {
        return problems;
    }
    let packages = values(&["-p", "--package"]);
    for name in
        packages.iter().filter(|name| !is_placeholder(name) && !repository.packages.contains_key(**name))
    {
        problems.push(format!("there is no package {name}"));
    }
    let named: Vec<_> = packages.iter().filter_map(|name| repository.packages.get(*name)).collect();
    for features in values(&["--features", "-F"]) {
        for feature in features.split([',', ' ']) {
            let exists = match feature.split_once('/') {
                Some((package, feature)) => {
                    repository.packages.get(package).is_some_and(|package| package.features.contains(feature))
                }
                None => named.is_empty() || named.iter().any(|package| package.features.contains(feature)),
            };
            if !exists && !is_placeholder(feature) {
                problems.push(format!("there is no feature {feature} in {}", packages.join(", ")));
            }
        }
    }
    let examples = values(&["--example"]);
    for name in examples.iter().filter(|name| !is_placeholder(name)) {
        let all: Vec<_> = repository.packages.values().collect();
        let candidates = if named.is_empty() { &all } else { &named };
        match candidates.iter().find_map(|package| repository.example(package, name)) {
            None => problems.push(format!("there is no example {name}")),
            Some(source) => {
                let options = passed.iter().filter(|word| word.starts_with("--") && word.len() > 2);
                for option in options.map(|word| word.split('=').next().unwrap_or_default()) {
                    if !names_option(&source, option) {
                        problems.push(format!("the example {name} has no option {option}"));
                    }
                }
            }
        }
    }
    if command == Some("run") && examples.is_empty() {
        let binaries = values(&["--bin"]);
        let has_default = repository.text("Cargo.toml").contains("default-members");
        if packages.is_empty()
            && binaries.is_empty()
            && !has_default
            && values(&["--manifest-path"]).is_empty()
        {
            problems.push("cargo run has several programs to choose from here: name the package".to_owned());
        }
        let is_program =
            (packages.is_empty() || packages == ["ferz"]) && (binaries.is_empty() || binaries == ["ferz"]);
        if is_program {
            problems.extend(ferz(passed, interface));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Vec<String>> {
        split(&line.lines().map(str::to_owned).collect::<Vec<_>>())
            .into_iter()
            .map(|command| command.words)
            .collect()
    }

    #[test]
    fn scripts_are_taken_apart() {
        assert_eq!(
            words("ferz position \"8/8 w - -\" --json  # a comment"),
            [["ferz", "position", "8/8 w - -", "--json"]]
        );
        assert_eq!(
            words("A=b make x && ferz 2> log < in | sort; echo 'a | b'").concat(),
            ["make", "x", "ferz", "sort", "echo", "a | b"]
        );
        assert_eq!(words("ferz a \\\n  b\nferz c"), [["ferz", "a", "b"].as_slice(), &["ferz", "c"]]);
        assert_eq!(
            words("go() { cargo run -- \"$@\"; }\ngo --fast").concat(),
            ["cargo", "run", "--", "cargo", "run", "--", "--fast"]
        );
    }
}
