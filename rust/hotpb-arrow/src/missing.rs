//! Required fields, looked for after a message was decoded (ERR-5), in the columns.

use crate::finish::{elements, last_of_each_key};
use crate::store::Stores;
use crate::table::{Inner, Kind, Node, ROOT};

/// Returns the path of the first required field of the root's row that is missing (ERR-10).
pub(crate) fn missing(table: &Inner, stores: &Stores, row: usize) -> Option<String> {
    Search { table, stores }.message(&table.nodes[ROOT as usize], row)
}

struct Search<'t> {
    table: &'t Inner,
    stores: &'t Stores,
}

impl Search<'_> {
    fn message(&self, node: &Node, row: usize) -> Option<String> {
        let columns = &self.table.columns;
        if let Some(&column) = node.required.iter().find(|&&column| !self.present(column, row)) {
            return Some(columns[column as usize].name.clone());
        }
        node.below.iter().find_map(|&column| {
            let name = &columns[column as usize].name;
            match columns[column as usize].kind {
                Kind::Struct(..) if self.present(column, row) => {
                    Some(format!("{name}.{}", self.message(self.node(column), row)?))
                }
                Kind::List(list, child) | Kind::Map(list, child) => {
                    let all = elements(columns, self.stores, list, child);
                    let range = self.stores.lists[list as usize].range(row, all);
                    let rows = match (&columns[column as usize].kind, &columns[child as usize].kind) {
                        (Kind::Map(..), Kind::Struct(pair, _)) => {
                            last_of_each_key(self.table, self.stores, pair[0], range.clone())
                        }
                        _ => None,
                    };
                    let rows = rows.unwrap_or_else(|| range.map(|row| row as u32).collect());
                    let found = |(i, row): (usize, u32)| Some((i, self.message(self.node(child), row as usize)?));
                    let (i, path) = rows.into_iter().enumerate().find_map(found)?;
                    Some(format!("{name}[{i}].{path}"))
                }
                _ => None,
            }
        })
    }

    fn node(&self, column: u32) -> &Node {
        &self.table.nodes[self.table.columns[column as usize].node as usize]
    }

    /// Reports whether a singular column has a value in the row; the value of a map entry always has.
    fn present(&self, column: u32, row: usize) -> bool {
        let s = self.stores;
        row < match &self.table.columns[column as usize].kind {
            Kind::W4(at) | Kind::EnumName(at, _, _) | Kind::TextKey(at, _) => s.w4[*at as usize].values.len(),
            Kind::W8(at) => s.w8[*at as usize].values.len(),
            Kind::Bool(at) => s.bools[*at as usize].len,
            Kind::Blob(at) => s.blobs[*at as usize].len(),
            Kind::Time(at) => s.times[*at as usize].fixed.values.len(),
            Kind::Struct(_, present) => match s.present.get(*present as usize) {
                Some(present) => return present.get(row),
                None => return true,
            },
            _ => return true,
        }
    }
}
