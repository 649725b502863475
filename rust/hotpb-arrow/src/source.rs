//! The arrays of a batch, matched with the fields of a message.

use crate::error::Error;
use crate::table::{Column, Inner, Kind, Shape};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, StringArray};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use hotpb_codegen::plan::Type;

/// A field and its values.
pub(crate) struct Field {
    pub number: u32,
    pub ty: Type,
    pub inner: Type,
    pub shape: Shape,
    pub implicit: bool,
    pub packed: bool,
    pub delimited: bool,
    /// Whether it is a duration.
    pub signed: bool,
    pub nulls: Option<NullBuffer>,
    /// In a union: the types of the rows, and the type that stands for this field.
    pub only: Option<(ScalarBuffer<i8>, i8)>,
    pub data: Data,
    pub path: String,
}

/// The values of a field; integers and floats as their bits.
pub(crate) enum Data {
    W4(ScalarBuffer<u32>),
    W8(ScalarBuffer<u64>),
    Bool(BooleanArray),
    Bytes(BinaryArray),
    Text(StringArray),
    /// Keys and texts.
    Keys(ScalarBuffer<i32>, StringArray),
    /// Keys, and the number of each of the dictionary's names, or the name that the enum does not have.
    Numbers(ScalarBuffer<i32>, Vec<Result<i32, String>>),
    /// Times, and how many units a second has.
    Time(ScalarBuffer<i64>, i64),
    Struct(Vec<Field>),
    List(OffsetBuffer<i32>, Box<Field>),
}

/// Reads arrays as the columns of a table.
pub(crate) struct Source<'t> {
    pub table: &'t Inner,
}

impl Source<'_> {
    /// Matches arrays with columns by name; `within` are the rows in which the message around them is absent.
    pub fn fields<'b>(
        &mut self,
        columns: &[u32],
        arrays: impl Iterator<Item = (&'b str, &'b ArrayRef)>,
        within: Option<&NullBuffer>,
        path: &str,
    ) -> Result<Vec<Field>, Error> {
        let mut fields = Vec::new();
        for (name, array) in arrays {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            let found = columns.iter().map(|&c| &self.table.columns[c as usize]).find(|c| c.field.name() == name);
            let column = found.ok_or_else(|| Error::mismatch(&path, "the message has no such column"))?;
            match &column.kind {
                Kind::Union(members) => self.union(members, array, &path, &mut fields)?,
                _ => {
                    let field = self.field(column, array, within, path)?;
                    fields.push(field);
                }
            }
        }
        fields.sort_by_key(|field| field.number);
        if let Some(pair) = fields.windows(2).find(|pair| pair[0].number == pair[1].number) {
            return Err(Error::mismatch(&pair[1].path, "the batch has two such columns"));
        }
        for column in columns.iter().map(|&c| &self.table.columns[c as usize]).filter(|c| c.required) {
            if !fields.iter().any(|field| field.number == column.number) {
                return Err(Error::mismatch(column.field.name(), "a required field, but the batch has no such column"));
            }
        }
        Ok(fields)
    }

    fn union(&mut self, members: &[u32], array: &ArrayRef, path: &str, fields: &mut Vec<Field>) -> Result<(), Error> {
        let wrong = || Error::mismatch(path, "a oneof is a sparse union, whose first member is `none`");
        let union = array.as_union_opt().filter(|union| union.offsets().is_none()).ok_or_else(wrong)?;
        let DataType::Union(types, _) = array.data_type() else { return Err(wrong()) };
        for (id, ty) in types.iter().filter(|(id, ty)| !(*id == 0 && ty.name() == "none")) {
            let path = format!("{path}.{}", ty.name());
            let found = members.iter().map(|&c| &self.table.columns[c as usize]).find(|c| c.field.name() == ty.name());
            let column = found.ok_or_else(|| Error::mismatch(&path, "the oneof has no such member"))?;
            let mut field = self.field(column, union.child(id), None, path)?;
            field.only = Some((union.type_ids().clone(), id));
            fields.push(field);
        }
        Ok(())
    }

    fn field(
        &mut self,
        column: &Column,
        array: &ArrayRef,
        within: Option<&NullBuffer>,
        path: String,
    ) -> Result<Field, Error> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let nullable = column.field.is_nullable();
        // Where the message itself is absent, a null in it says nothing.
        let null_outside =
            |row: usize, nulls: &NullBuffer| nulls.is_null(row) && within.is_none_or(|w| w.is_valid(row));
        let is_list = matches!(column.kind, Kind::List(..) | Kind::Map(..));
        if let Some(row) =
            nulls.as_ref().filter(|_| !nullable && !is_list).and_then(|n| (0..n.len()).find(|&r| null_outside(r, n)))
        {
            return Err(Error::mismatch(&path, format!("a null at index {row}, where the message must have a value")));
        }
        let data = self.data(column, array, nulls.as_ref(), &path)?;
        Ok(Field {
            number: column.number,
            ty: column.ty,
            inner: column.inner,
            shape: column.shape,
            implicit: column.implicit,
            packed: column.packed,
            delimited: column.delimited,
            signed: matches!(column.field.data_type(), DataType::Duration(_)),
            nulls,
            only: None,
            data,
            path,
        })
    }

    fn data(
        &mut self,
        column: &Column,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
        path: &str,
    ) -> Result<Data, Error> {
        let want = column.field.data_type();
        let wrong = || Error::mismatch(path, format!("the column is {}, the message needs {want}", array.data_type()));
        let same = array.data_type() == want;
        Ok(match &column.kind {
            Kind::W4(_) => {
                let len = array.len();
                let buffer = match array.data_type() {
                    DataType::Int32 if same => array.as_primitive::<Int32Type>().values().inner().clone(),
                    DataType::UInt32 if same => array.as_primitive::<UInt32Type>().values().inner().clone(),
                    DataType::Float32 if same => array.as_primitive::<Float32Type>().values().inner().clone(),
                    _ => return Err(wrong()),
                };
                Data::W4(ScalarBuffer::new(buffer, 0, len))
            }
            Kind::W8(_) => {
                let len = array.len();
                let buffer = match array.data_type() {
                    DataType::Int64 if same => array.as_primitive::<Int64Type>().values().inner().clone(),
                    DataType::UInt64 if same => array.as_primitive::<UInt64Type>().values().inner().clone(),
                    DataType::Float64 if same => array.as_primitive::<Float64Type>().values().inner().clone(),
                    _ => return Err(wrong()),
                };
                Data::W8(ScalarBuffer::new(buffer, 0, len))
            }
            Kind::Bool(_) => Data::Bool(array.as_boolean_opt().ok_or_else(wrong)?.clone()),
            Kind::Blob(_) | Kind::TextKey(..) => match (array.data_type(), want) {
                (DataType::Utf8, DataType::Utf8 | DataType::Dictionary(..)) => {
                    Data::Text(array.as_string::<i32>().clone())
                }
                (DataType::Binary, DataType::Binary) => Data::Bytes(array.as_binary::<i32>().clone()),
                (DataType::Dictionary(..), DataType::Utf8 | DataType::Dictionary(..)) => {
                    let (keys, values) = dictionary(array).ok_or_else(wrong)?;
                    Data::Keys(keys, values)
                }
                _ => return Err(wrong()),
            },
            Kind::EnumName(_, _, id) => {
                let (keys, values) = dictionary(array).ok_or_else(wrong)?;
                let table = &self.table.enums[*id as usize];
                let number = |name: &str| {
                    let named = table.names.iter().find(|(n, _)| n == name).map(|(_, number)| *number);
                    // An open enum's unknown number is its text, in the shortest form.
                    let parsed = || name.parse::<i32>().ok().filter(|n| !table.closed && n.to_string() == name);
                    named.or_else(parsed).ok_or_else(|| name.to_string())
                };
                Data::Numbers(keys, values.iter().map(|name| number(name.unwrap_or_default())).collect())
            }
            Kind::Time(_) => {
                if !same {
                    return Err(wrong());
                }
                let (unit, buffer) = match want {
                    DataType::Timestamp(unit, _) | DataType::Duration(unit) => {
                        (unit, array.to_data().buffers()[0].clone())
                    }
                    _ => return Err(wrong()),
                };
                let per_second = match unit {
                    TimeUnit::Second => 1,
                    TimeUnit::Millisecond => 1_000,
                    TimeUnit::Microsecond => 1_000_000,
                    TimeUnit::Nanosecond => 1_000_000_000,
                };
                Data::Time(ScalarBuffer::new(buffer, array.offset(), array.len()), per_second)
            }
            Kind::Struct(children, _) => {
                let structs = array.as_struct_opt().ok_or_else(wrong)?;
                let arrays = structs.fields().iter().map(|f| f.name().as_str()).zip(structs.columns());
                Data::Struct(self.fields(&children.clone(), arrays, nulls, path)?)
            }
            Kind::List(_, child) => {
                let list = array.as_list_opt::<i32>().ok_or_else(wrong)?;
                self.elements(*child, list.offsets().clone(), list.nulls(), list.values(), path)?
            }
            Kind::Map(_, child) => {
                let map = array.as_map_opt().ok_or_else(wrong)?;
                let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
                self.elements(*child, map.offsets().clone(), map.nulls(), &entries, path)?
            }
            Kind::Union(_) => return Err(wrong()),
        })
    }

    /// Reads lists. A list that is null is empty; Arrow allows elements under a null, so those lists are cut.
    fn elements(
        &mut self,
        child: u32,
        offsets: OffsetBuffer<i32>,
        nulls: Option<&NullBuffer>,
        values: &ArrayRef,
        path: &str,
    ) -> Result<Data, Error> {
        let hidden =
            |nulls: &NullBuffer| (0..nulls.len()).any(|row| nulls.is_null(row) && offsets[row] != offsets[row + 1]);
        if nulls.is_some_and(hidden) {
            return Err(Error::mismatch(path, "a list that is null has elements"));
        }
        let column = &self.table.columns[child as usize];
        let element = self.field(column, values, None, path.to_string())?;
        Ok(Data::List(offsets, Box::new(element)))
    }
}

/// Returns the keys and texts of a dictionary by int32.
fn dictionary(array: &ArrayRef) -> Option<(ScalarBuffer<i32>, StringArray)> {
    let dictionary = array.as_dictionary_opt::<Int32Type>()?;
    let values = dictionary.values().as_string_opt::<i32>()?;
    Some((dictionary.keys().values().clone(), values.clone()))
}
