//! Extractors whose rejections are problem documents.

use axum::extract::{FromRequestParts, rejection};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::AppError;

/// Parameters of the path.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// Parameters of the query.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AppError> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(rejection::PathRejection::FailedToDeserializePathParams(error)) => {
                Err(AppError::NotFound(format!("{} ({})", parts.uri.path(), error.body_text())))
            }
            Err(error) => Err(AppError::bad_request("path", error.body_text())),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AppError> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(value)) => Ok(Self(value)),
            Err(error) => Err(AppError::bad_request("query", error.body_text())),
        }
    }
}
