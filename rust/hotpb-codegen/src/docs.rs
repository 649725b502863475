//! Converts comments of the schema to doc comments.

use proc_macro2::TokenStream;
use quote::quote;

/// Returns `#[doc]` attributes for a raw comment. Rustdoc must not run anything in it as a test: fenced code is marked
/// as text, and lines are not indented enough to count as code.
pub fn attributes(comment: &str) -> TokenStream {
    lines(comment).iter().map(|line| quote!(#[doc = #line])).collect()
}

/// Returns the doc attributes of an element, with `#[deprecated]` if the schema marks it so.
pub fn with_deprecation(comment: &str, deprecated: bool) -> TokenStream {
    let docs = attributes(comment);
    if deprecated { quote!(#docs #[deprecated]) } else { docs }
}

/// Returns the lines of the doc comment for a raw comment; see [`attributes`].
pub fn lines(comment: &str) -> Vec<String> {
    let mut fence: Option<String> = None;
    let mut lines = Vec::new();
    for raw in comment.trim_end().lines() {
        let line: String = raw.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|&c| is_plain(c)).collect();
        let (indent, body) = split_indent(line.trim_end());
        let ticks: String = body.chars().take_while(|&c| c == '`').collect();
        let tildes: String = body.chars().take_while(|&c| c == '~').collect();
        let mark = if ticks.len() >= 3 { ticks } else { tildes };
        let line = match &fence {
            None if mark.len() >= 3 => {
                let opened = format!("{mark}text");
                fence = Some(mark);
                opened
            }
            Some(open) if mark.starts_with(open.as_str()) && body[mark.len()..].trim().is_empty() => {
                fence = None;
                mark
            }
            Some(_) => line.trim_end().to_string(),
            None => format!("{indent}{body}"),
        };
        // The blank that separates the text from the slashes.
        lines.push(if line.is_empty() { line } else { format!(" {}", line.strip_prefix(' ').unwrap_or(&line)) });
    }
    if let Some(open) = fence {
        lines.push(format!(" {open}"));
    }
    lines
}

/// Returns the blanks and the list or quote marks at the start of a line, and the rest of the line. Each run of blanks
/// is cut below the width that would turn the rest into code.
fn split_indent(line: &str) -> (String, &str) {
    let end = line.find(|c: char| !matches!(c, ' ' | '>' | '*' | '-' | '+')).unwrap_or(line.len());
    let (start, rest) = line.split_at(end);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = match rest[digits..].starts_with(['.', ')']) && digits > 0 {
        true => rest.split_at(digits + 1),
        false => ("", rest),
    };
    let mut indent = String::new();
    let mut blanks = 0;
    for c in start.chars() {
        blanks = if c == ' ' { blanks + 1 } else { 0 };
        if blanks <= 2 {
            indent.push(c);
        }
    }
    if number.is_empty() {
        return (indent, rest);
    }
    let text = rest.trim_start();
    indent.push_str(number);
    if text.len() < rest.len() {
        indent.push(' ');
    }
    (indent, text)
}

/// Reports whether a character is neither a control character nor one that changes the direction of the text, which the
/// compiler rejects.
fn is_plain(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn plain_text_keeps_its_lines() {
        assert_eq!(lines(" One.\n\n Two.\n"), [" One.", "", " Two."]);
    }

    #[test]
    fn code_in_a_comment_is_no_test() {
        assert_eq!(lines(" ```\n panic!();\n ```\n"), [" ```text", " panic!();", " ```"]);
        assert_eq!(lines(" ```rust\n panic!();"), [" ```text", " panic!();", " ```"]);
        assert_eq!(lines("      panic!();"), ["  panic!();"]);
        assert_eq!(lines("\tpanic!();"), [" panic!();"]);
        assert_eq!(lines(" -      panic!();"), [" -  panic!();"]);
        assert_eq!(lines(" 1.      panic!();"), [" 1. panic!();"]);
    }

    #[test]
    fn what_the_compiler_refuses_in_comments_is_left_out() {
        assert_eq!(lines(" a\u{202e}b\u{1}c"), [" abc"]);
    }
}
