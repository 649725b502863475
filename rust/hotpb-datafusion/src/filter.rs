//! Which filters a table applies itself (ARW-64).

use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

/// Reports whether a filter is of columns that are not nested, literals, and operators on them. Functions are
/// left to the engine, which may know how to do less of them.
pub(crate) fn simple(expr: &Expr, schema: &Schema) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And | Operator::Or, right }) => {
            simple(left, schema) && simple(right, schema)
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(*op) => {
            operand(left, schema) && operand(right, schema)
        }
        Expr::Not(inner) => simple(inner, schema),
        Expr::IsNull(inner) | Expr::IsNotNull(inner) => operand(inner, schema),
        Expr::IsTrue(inner) | Expr::IsFalse(inner) | Expr::IsNotTrue(inner) | Expr::IsNotFalse(inner) => {
            simple(inner, schema)
        }
        Expr::InList(list) => operand(&list.expr, schema) && list.list.iter().all(literal),
        Expr::Between(between) => operand(&between.expr, schema) && literal(&between.low) && literal(&between.high),
        Expr::Like(like) => operand(&like.expr, schema) && literal(&like.pattern),
        // A column of bool.
        Expr::Column(column) => {
            schema.field_with_name(&column.name).is_ok_and(|field| *field.data_type() == DataType::Boolean)
        }
        _ => false,
    }
}

fn is_comparison(op: Operator) -> bool {
    use Operator::*;
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

fn operand(expr: &Expr, schema: &Schema) -> bool {
    match expr {
        Expr::Column(column) => schema.field_with_name(&column.name).is_ok_and(|field| !field.data_type().is_nested()),
        Expr::Cast(cast) => operand(&cast.expr, schema),
        Expr::TryCast(cast) => operand(&cast.expr, schema),
        other => literal(other),
    }
}

fn literal(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(..) => true,
        Expr::Cast(cast) => literal(&cast.expr),
        Expr::TryCast(cast) => literal(&cast.expr),
        _ => false,
    }
}
