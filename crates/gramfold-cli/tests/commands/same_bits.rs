//! The library and the program give the same bits for one spec. The Python package's tests compare it with the program.

use std::path::Path;

use crate::common::{KARATE, gramfold, text};
use gramfold::{Problem, Spec, factorise, loss::Quadratic};
use gramfold_io::{Asymmetry, read_matrix_market, read_npy};
use tempfile::TempDir;

#[test]
fn the_library_repeats_what_the_program_wrote() {
    for flags in [&[][..], &["--nonnegative"], &["--ridge", "0.5", "--start", "random"]] {
        let directory = TempDir::new().unwrap();
        let all =
            [&["factor", KARATE, "--rank", "3", "--seed", "11", "--json", "--out", "out"], flags];
        let output = gramfold(directory.path(), &all.concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let claims: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let spec: Spec = serde_json::from_value(claims["spec"].clone()).unwrap();
        let loss =
            Quadratic::new(read_matrix_market(Path::new(KARATE), Asymmetry::Refuse).unwrap());
        let regulariser = spec.regulariser().unwrap();
        let problem = Problem::new(&loss, &*regulariser, spec.rank).unwrap();
        let solution = factorise(&problem, &spec, &mut ()).unwrap();
        for (name, matrix) in [("factor", &solution.factor), ("X", &solution.x), ("Y", &solution.y)]
        {
            let written = read_npy(&directory.path().join(format!("out/{name}.npy"))).unwrap();
            assert!(written == *matrix, "{name} differs with {flags:?}");
        }
    }
}
