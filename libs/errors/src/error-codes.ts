/**
 * Every error that a client can see, with the HTTP status it maps to.
 * A code is `<area>.<reason>`, part of the public contract, and never reused for another meaning.
 */
export const errorCodes = {
  'request.invalid': 400,
  'request.malformed_body': 400,
  'request.unsupported_media_type': 415,
  'request.too_large': 413,
  'request.not_found': 404,
  'request.method_not_allowed': 405,
  'request.rate_limited': 429,
  'request.cursor_invalid': 400,
  'transport.https_required': 403,
  'tenant.unknown_host': 404,
  'tenant.exists': 409,
  'auth.credential_missing': 401,
  'auth.credential_malformed': 401,
  'auth.credential_invalid': 401,
  'access.denied': 403,
  'access.no_licence': 403,
  'access.personal_keys_off': 403,
  'access.deployment_out_of_scope': 403,
  'access.credential_not_accepted': 403,
  'idempotency.key_invalid': 400,
  'idempotency.key_reused': 422,
  'idempotency.in_progress': 409,
  'api_key.not_found': 404,
  'user.not_found': 404,
  'role.not_found': 404,
  'role.name_reserved': 400,
  'role.name_taken': 409,
  'deployment.not_found': 404,
  'deployment.name_taken': 409,
  'deployment.state_conflict': 409,
  'deployment.unknown_region': 400,
  'deployment.unknown_version': 400,
  'environment.not_found': 404,
  'env_variable.invalid': 400,
  'branch.not_found': 404,
  'branch.exists': 409,
  'branch.invalid_name': 400,
  'branch.not_dev_mode': 400,
  'branch.not_owner': 403,
  'branch.protected': 400,
  'branch.moved': 409,
  'file.invalid_path': 400,
  'file.not_found': 404,
  'file.exists': 409,
  'merge.conflict': 409,
  'service.unavailable': 503,
  'service.deadline_exceeded': 504,
  'service.internal': 500,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** HTTP status of a code; what a code means is decided here and nowhere else. */
export const statusOf = (code: ErrorCode): number => errorCodes[code];
