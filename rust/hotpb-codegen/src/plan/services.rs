//! Services: the methods of a schema with their types, for generators of RPC code.

use crate::descriptor::{FileProto, MethodProto, ServiceProto};
use crate::error::SchemaError;
use crate::plan::analyse::{Builder, FROM_PROTOC, RENAME, at, is_identifier, join, refuse, step};
use crate::plan::*;

/// Adds the services of all files to the plan.
pub(crate) fn resolve(builder: &mut Builder<'_>) {
    let mut services = Vec::new();
    for (index, scope) in builder.scopes.iter().enumerate() {
        for (i, proto) in scope.proto.services.iter().enumerate() {
            let path = step(&[], at::FILE_SERVICE, i);
            let found = methods(builder, scope.proto, proto, &path);
            let (methods, fault) = found.map_or_else(|fault| (Vec::new(), Some(fault)), |methods| (methods, None));
            services.push(Service {
                name: join(&scope.proto.package, &proto.name),
                short_name: proto.name.clone(),
                file: FileId(index),
                methods,
                fault,
                doc: scope.proto.source.comment(&path),
            });
        }
    }
    builder.plan.services = services;
}

fn methods(
    builder: &Builder<'_>,
    file: &FileProto,
    service: &ServiceProto,
    path: &[i32],
) -> Result<Vec<Method>, SchemaError> {
    let name = join(&file.package, &service.name);
    if !is_identifier(&service.name) {
        let problem = format!("{:?} is not a valid name of a service", service.name);
        return Err(refuse(file, path, &name, problem, RENAME));
    }
    let method = |(i, proto): (usize, &MethodProto)| {
        let path = step(path, at::SERVICE_METHOD, i);
        let name = join(&name, &proto.name);
        if !is_identifier(&proto.name) {
            let problem = format!("{:?} is not a valid name of a method", proto.name);
            return Err(refuse(file, &path, &name, problem, RENAME));
        }
        let message = |type_name: &str| {
            let problem = format!("its type {type_name:?} is not a message of the descriptor set");
            builder.message(type_name).ok_or_else(|| refuse(file, &path, &name, problem, FROM_PROTOC))
        };
        Ok(Method {
            name: proto.name.clone(),
            input: message(&proto.input)?,
            output: message(&proto.output)?,
            client_streaming: proto.client_streaming,
            server_streaming: proto.server_streaming,
            deprecated: proto.deprecated,
            doc: file.source.comment(&path),
        })
    };
    service.methods.iter().enumerate().map(method).collect()
}
