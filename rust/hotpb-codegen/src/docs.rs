//! Comments of the schema as doc comments.

use proc_macro2::TokenStream;
use quote::quote;

/// `#[doc]` attributes for a raw comment. Nothing in it is run by rustdoc as a test: fenced code is marked as
/// text, and indented lines are not left indented enough to be code.
pub fn attributes(comment: &str) -> TokenStream {
    lines(comment).iter().map(|line| quote!(#[doc = #line])).collect()
}

/// Doc attributes of an element, with `#[deprecated]` where the schema says so.
pub fn with_deprecation(comment: &str, deprecated: bool) -> TokenStream {
    let docs = attributes(comment);
    if deprecated { quote!(#docs #[deprecated]) } else { docs }
}

fn lines(comment: &str) -> Vec<String> {
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
        // The blank that sets the text off from the slashes.
        lines.push(if line.is_empty() { line } else { format!(" {}", line.strip_prefix(' ').unwrap_or(&line)) });
    }
    if let Some(open) = fence {
        lines.push(format!(" {open}"));
    }
    lines
}

/// The blanks and list or quote marks that a line starts with, each run of blanks cut below what makes code of
/// what follows; and the rest.
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

/// Not a control character, and none that would turn the direction of the text: the compiler refuses those.
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
