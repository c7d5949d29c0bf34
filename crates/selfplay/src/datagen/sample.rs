//! Positions met inside the searches, as training records (feature `sample`).

use std::fs::File;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ferz_search::{SampleRates, SampledPosition};

use crate::Error;
use crate::data::{FinalResult, GameScore, training};
use crate::growing_file::{cut, lock};

/// A file of sampled positions, in the layout of training records.
///
/// They have no score (0) and no result (1). In place of the ply they have 1 if the position was quiet, otherwise 0.
/// Games follow each other in the order in which they end, so with several threads the order differs from run to run.
/// A resumed run plays the games again that had not been written yet, and samples them again.
#[derive(Debug)]
pub struct SampleFile {
    path: PathBuf,
    /// The file, or why nothing more is written to it.
    file: Mutex<Result<File, Option<io::Error>>>,
    pub(super) rates: SampleRates,
}

impl SampleFile {
    /// Opens a file to append to. An incomplete last record, which would shift all that follow, is removed.
    pub fn open(path: &Path, rates: SampleRates) -> Result<SampleFile, Error> {
        let open = || File::options().create(true).write(true).truncate(false).open(path);
        let mut file = open().map_err(Error::io(path))?;
        lock(&file, path)?;
        let length = file.metadata().map_err(Error::io(path))?.len();
        // Devices and pipes have no length and may be unable to seek.
        if length > 0 {
            cut(&mut file, length - length % training::LENGTH as u64).map_err(Error::io(path))?;
        }
        Ok(SampleFile { path: path.to_owned(), file: Mutex::new(Ok(file)), rates })
    }

    /// Writes the sample of a game. Whether that worked; see [`SampleFile::check`].
    pub(super) fn append(&self, sample: &[SampledPosition]) -> bool {
        let records: Vec<u8> = sample.iter().flat_map(record).collect();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = &mut *file
            && let Err(error) = open.write_all(&records)
        {
            *file = Err(Some(error));
        }
        file.is_ok()
    }

    /// The error that ended the writing, once.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &mut *self.file.lock().unwrap_or_else(PoisonError::into_inner) {
            Err(error) => error.take().map_or(Ok(()), |error| Err(Error::io(&self.path)(error))),
            Ok(_) => Ok(()),
        }
    }
}

fn record(sampled: &SampledPosition) -> [u8; training::LENGTH] {
    let mut record = training::record(&sampled.position, GameScore(0), FinalResult::Draw);
    record[29..31].copy_from_slice(&u16::from(sampled.is_quiet).to_le_bytes());
    record
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::data::header::{GamesOrigin, ScoreUnit};
    use crate::datagen::{DatagenRun, Goal, RunProgress};

    #[test]
    fn an_incomplete_record_is_removed() {
        let path = std::env::temp_dir().join(format!("ferz-incomplete-{}.sample", std::process::id()));
        for length in [0, 1, training::LENGTH, 3 * training::LENGTH - 1] {
            fs::write(&path, vec![7; length]).unwrap();
            SampleFile::open(&path, SampleRates { quiet: 1, evaluated: 1 }).unwrap();
            let left = fs::read(&path).unwrap().len();
            assert_eq!(left, length - length % training::LENGTH);
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn searches_leave_records_beside_the_same_games() {
        let folder = std::env::temp_dir().join(format!("ferz-sample-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let origin = GamesOrigin {
            engine: "test".to_owned(),
            bench: 0,
            net: "classical".to_owned(),
            note: String::new(),
            seed: 3,
            nodes: 100,
            hash: 1,
            chess960: 0,
            opening_score: 400,
            win_score: 600,
            scores: ScoreUnit::Raw,
            wdl_model: None,
            tables: None,
        };
        let play = |name: &str, sample: Option<SampleFile>| {
            let run = DatagenRun { sample, ..DatagenRun::new(&origin, Goal::Games(2)) };
            let file = folder.join(name);
            run.execute(&file, &RunProgress::new()).unwrap();
            fs::read(file).unwrap()
        };
        let path = folder.join("sample.records");
        let sample = SampleFile::open(&path, SampleRates { quiet: 6, evaluated: 20 }).unwrap();
        assert_eq!(play("with", Some(sample)), play("without", None));

        let records = fs::read(&path).unwrap();
        assert_eq!(records.len() % training::LENGTH, 0);
        let mut kinds = [0; 2];
        for record in records.chunks_exact(training::LENGTH) {
            assert_eq!((&record[24..27], record[30], record[31]), (&[0, 0, 1][..], 0, 0));
            kinds[usize::from(record[29])] += 1;
        }
        assert!(kinds.iter().all(|&count| count > 20), "{kinds:?}");

        // A full disk ends the run with its own error.
        let full = SampleFile::open(Path::new("/dev/full"), SampleRates { quiet: 1, evaluated: 1 });
        if let (true, Ok(full)) = (cfg!(target_os = "linux"), full) {
            let run = DatagenRun { sample: Some(full), ..DatagenRun::new(&origin, Goal::Games(2)) };
            let error = run.execute(&folder.join("full"), &RunProgress::new()).unwrap_err();
            assert!(matches!(error, Error::Io { path, .. } if path == Path::new("/dev/full")));
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
