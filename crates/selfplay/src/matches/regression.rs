//! Least squares with columns of ±1 and without a constant.

/// Sums over the rows.
#[derive(Clone, Debug)]
pub(super) struct LeastSquares {
    rows: u64,
    /// The products of columns, summed over the rows.
    products: Vec<Vec<f64>>,
    /// The products of columns and the response.
    responses: Vec<f64>,
    /// The squares of the response.
    squares: f64,
}

/// The coefficients and what they leave unexplained.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// For each column the coefficient and its standard error.
    pub(super) coefficients: Vec<(f64, f64)>,
    /// The mean square that is left.
    pub(super) residual: f64,
}

impl LeastSquares {
    pub(super) fn new(columns: usize) -> LeastSquares {
        LeastSquares {
            rows: 0,
            products: vec![vec![0.0; columns]; columns],
            responses: vec![0.0; columns],
            squares: 0.0,
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The mean of the squared responses.
    pub(super) fn mean_square(&self) -> f64 {
        self.squares / self.rows.max(1) as f64
    }

    /// Adds a row: the sign of each column, and the response.
    pub(super) fn add(&mut self, signs: &[bool], response: f64) {
        let value = |sign: bool| if sign { 1.0 } else { -1.0 };
        for (index, &sign) in signs.iter().enumerate() {
            for (product, &other) in self.products[index].iter_mut().zip(signs) {
                *product += value(sign == other);
            }
            self.responses[index] += value(sign) * response;
        }
        self.squares += response * response;
        self.rows += 1;
    }

    /// The coefficients; `None` if the rows do not determine them.
    pub(super) fn fit(&self) -> Option<Fit> {
        let columns = self.responses.len();
        let freedom = (self.rows as f64) - columns as f64;
        let inverse = inverse(&self.products).filter(|_| freedom > 0.0)?;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let estimates: Vec<f64> = inverse.iter().map(|row| dot(row, &self.responses)).collect();
        let residual = (self.squares - dot(&estimates, &self.responses)).max(0.0) / freedom;
        let errors = (0..columns).map(|index| (residual * inverse[index][index]).sqrt());
        Some(Fit { coefficients: estimates.iter().copied().zip(errors).collect(), residual })
    }
}

/// The inverse of a matrix by elimination with pivots; `None` if there is none.
fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let unit = |row: usize| (0..size).map(move |column| f64::from(u8::from(row == column)));
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(index, row)| row.iter().copied().chain(unit(index)).collect())
        .collect();
    for column in 0..size {
        let pivot =
            (column..size).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let lead = rows[column][column];
        if lead.abs() < 1e-9 {
            return None;
        }
        rows[column].iter_mut().for_each(|value| *value /= lead);
        let pivot = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    Some(rows.into_iter().map(|mut row| row.split_off(size)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the rows (+,+) 3, (+,-) 1, (-,+) 1, (-,-) -1, (+,+) 3 have the products [[5, 1], [1, 5]] and the
    /// responses [7, 7], so both coefficients are 7/6.
    #[test]
    fn a_small_example() {
        let mut sums = LeastSquares::new(2);
        for (signs, response) in [
            ([true, true], 3.0),
            ([true, false], 1.0),
            ([false, true], 1.0),
            ([false; 2], -1.0),
            ([true; 2], 3.0),
        ] {
            sums.add(&signs, response);
        }
        let fit = sums.fit().unwrap();
        // 21 - 49/3 over 3 degrees of freedom; the inverse has 5/24 in its diagonal.
        let residual = (21.0 - 49.0 / 3.0) / 3.0;
        assert!((fit.residual - residual).abs() < 1e-12 && (sums.mean_square() - 4.2).abs() < 1e-12);
        for (estimate, error) in fit.coefficients {
            assert!((estimate - 7.0 / 6.0).abs() < 1e-12, "{estimate}");
            assert!((error - (residual * 5.0 / 24.0).sqrt()).abs() < 1e-12, "{error}");
        }
    }

    #[test]
    fn too_few_rows_determine_nothing() {
        let mut sums = LeastSquares::new(2);
        assert!(sums.fit().is_none());
        // The columns are the same.
        (0..10).for_each(|row| sums.add(&[row % 2 == 0; 2], 1.0));
        assert!(sums.fit().is_none());
    }
}
