export { AppError, invalidRequest, type AppErrorOptions, type ErrorDetail, type WireError } from './app-error';
export { errorCodes, statusOf, type ErrorCode } from './error-codes';
