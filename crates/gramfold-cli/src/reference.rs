//! docs/reference.md, made from the definitions of the command line and kept as they are by a test.

use std::{env, fs, path::Path};

use clap::{Arg, Command, CommandFactory};
use serde_json::Value;

use crate::{Exit, cli::Cli};

const SCHEMA: &str = include_str!("../../../docs/schema/solution.json");

/// The page: every command, with every argument and flag.
fn page() -> String {
    let mut program = Cli::command();
    program.build();
    let mut text = String::from(
        "# Reference\n\nEvery command and flag, made from what `gramfold --help` is made from. What files may hold is in \
         [inputs.md](inputs.md).\n",
    );
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        text += &section(command);
    }
    text + &codes() + &fields()
}

/// The exit codes.
fn codes() -> String {
    let all = [Exit::Solved, Exit::Unsolved, Exit::Refused];
    let row = |exit: Exit| format!("| {} | {} |\n", exit.code(), exit.meaning());
    let rows: String = all.into_iter().map(row).collect();
    format!("\n## Exit codes\n\n| code | means |\n|---|---|\n{rows}")
}

/// The fields of `solution.json` that every command has, from the schema.
fn fields() -> String {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let fields = schema["properties"].as_object().expect("the schema has properties");
    let row = |(name, field): (&String, &Value)| {
        let meaning =
            field["description"].as_str().unwrap_or_else(|| panic!("{name} is not described"));
        format!("| `{name}` | {} |\n", cell(meaning))
    };
    let rows: String = fields.iter().map(row).collect();
    format!(
        "\n## JSON\n\nWhat `--json` prints and `solution.json` holds, of every command. What a command has beside it, and the types, are in \
         [schema/solution.json](schema/solution.json).\n\n| field | meaning |\n|---|---|\n{rows}"
    )
}

fn section(command: &Command) -> String {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let mut text = format!("\n## gramfold {}\n\n{}\n", command.get_name(), about.trim());
    let mut rows = String::new();
    for arg in command.get_arguments().filter(|arg| arg.get_id() != "help" && !arg.is_hide_set()) {
        rows += &format!("| {} | {} |\n", signature(arg), cell(&meaning(arg)));
    }
    if !rows.is_empty() {
        text += &format!("\n| argument | meaning |\n|---|---|\n{rows}");
    }
    text
}

/// `-k`, `--k K`; `INPUT`.
fn signature(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    let values: Vec<_> = values.iter().map(ToString::to_string).collect();
    let takes = arg.get_num_args().is_none_or(|range| range.takes_values());
    let value = match values.join(" ") {
        value if !takes || value.is_empty() => String::new(),
        value if arg.is_require_equals_set() => format!("[={value}]"),
        value => format!(" {value}"),
    };
    let names = [
        arg.get_short().map(|short| format!("`-{short}`")),
        arg.get_long().map(|long| format!("`--{long}{value}`")),
    ];
    let names: Vec<_> = names.into_iter().flatten().collect();
    if names.is_empty() { format!("`{}`", value.trim()) } else { names.join(", ") }
}

fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().or(arg.get_long_help());
    let mut text = help.map(ToString::to_string).unwrap_or_default();
    if arg.get_action().takes_values() && !arg.is_hide_possible_values_set() {
        let values: Vec<_> = arg
            .get_possible_values()
            .iter()
            .map(|value| match value.get_help() {
                Some(help) => {
                    format!("`{}` ({})", value.get_name(), help.to_string().trim_end_matches('.'))
                }
                None => format!("`{}`", value.get_name()),
            })
            .collect();
        if !values.is_empty() {
            text += &format!(" One of {}.", values.join(", "));
        }
    }
    let defaults: Vec<_> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && arg.get_action().takes_values() {
        text += &format!(" [default: {}]", defaults.join(", "));
    }
    text
}

/// Text within a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").trim().to_owned()
}

#[test]
fn the_reference_is_as_the_command_line_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let page = page();
    if env::var_os("UPDATE_REFERENCE").is_some() {
        fs::write(&path, &page).expect("written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/reference.md is not up to date: run this test with UPDATE_REFERENCE=1"
    );
}

#[test]
fn every_command_and_flag_is_in_the_reference() {
    let page = page();
    let mut program = Cli::command();
    program.build();
    let about = program.get_long_about().map(ToString::to_string).unwrap_or_default();
    for exit in [Exit::Solved, Exit::Unsolved, Exit::Refused] {
        assert!(about.contains(&format!("{} ", exit.code())), "--help says nothing of {exit:?}");
    }
    let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
    for command in commands {
        let heading = format!("\n## gramfold {}\n", command.get_name());
        let (_, rest) = page.split_once(&heading).expect("a section for every command");
        let section = rest.split("\n## ").next().unwrap_or_default();
        for long in command.get_arguments().filter_map(Arg::get_long).filter(|long| *long != "help")
        {
            let found = section.contains(&format!("`--{long}`"))
                || section.contains(&format!("`--{long} "))
                || section.contains(&format!("`--{long}[="));
            assert!(found, "{} --{long}", command.get_name());
        }
    }
}
