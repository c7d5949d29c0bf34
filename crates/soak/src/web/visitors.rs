//! Those who load the page: every file of it, again and again.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::World;
use super::figures::Breach;
use super::wire;
use crate::random::Random;

/// The files that the page names, with their contents.
pub(super) fn files(port: u16) -> Result<HashMap<String, Vec<u8>>> {
    let index = wire::get(port, "/")?;
    let text = String::from_utf8_lossy(&index).into_owned();
    let mut files = HashMap::from([("/".to_owned(), index)]);
    for start in ["href=\"", "src=\""] {
        for rest in text.split(start).skip(1) {
            let name = rest.split('"').next().unwrap_or_default();
            if name.contains('.') && !name.contains(':') {
                let path = format!("/{}", name.trim_start_matches(['.', '/']));
                files.insert(path.clone(), wire::get(port, &path)?);
            }
        }
    }
    ensure!(files.len() > 3, "the page names only {} files", files.len());
    Ok(files)
}

/// Gets files until the run is over. They never change.
pub(super) fn visit(world: &World, seed: u64, files: &HashMap<String, Vec<u8>>) {
    let mut random = Random::new(seed);
    let mut paths: Vec<_> = files.keys().collect();
    paths.sort_unstable();
    while world.is_on() {
        world.rest_if_asked();
        let path = *random.pick(&paths);
        let (life, floods) = (world.life.load(Relaxed), world.floods.load(Relaxed));
        let start = Instant::now();
        match wire::get(world.port, path) {
            Ok(body) if files.get(path) == Some(&body) => world.figures.gets.add(start.elapsed()),
            Ok(_) => world.figures.note(Breach::WrongAnswer, &format!("{path} has changed")),
            Err(_) if world.is_disturbed(life, floods) => {}
            Err(error) => world.figures.note(Breach::Lost, &format!("{path}: {error}")),
        }
        world.pause(Duration::from_millis(20 + random.below(80) as u64));
    }
}
