import type { OperationDescription, RawParameters } from '@plinth/contract';
import { AppError, type ErrorCode } from '@plinth/errors';

const root = '/api/scim/';
const notSupported = /^\/api\/scim\/v2\/(Bulk|Me|\.search)(\/|$)/i;

/** Error body of the SCIM protocol (RFC 7644, section 3.12). */
export interface ScimErrorBody {
  schemas: string[];
  status: string;
  scimType?: string;
  detail: string;
}

const scimTypes: Partial<Record<ErrorCode, string>> = {
  'request.invalid': 'invalidValue',
  'request.malformed_body': 'invalidSyntax',
  'scim.invalid_syntax': 'invalidSyntax',
  'scim.invalid_filter': 'invalidFilter',
  'scim.invalid_path': 'invalidPath',
  'scim.invalid_value': 'invalidValue',
  'scim.no_target': 'noTarget',
  'scim.mutability': 'mutability',
  'user.email_taken': 'uniqueness',
  'user.username_taken': 'uniqueness',
  'user_group.name_taken': 'uniqueness',
};

export const SCIM_JSON = 'application/scim+json; charset=utf-8';

/** Whether everything that is said about this path follows SCIM, whatever is at it. */
export const isScimPath = (path: string): boolean => path.startsWith(root) || `${path}/` === root;

/** What kind of error the protocol takes this one for; undefined where it has no word for it. */
export const scimTypeOf = (error: AppError): string | undefined => scimTypes[error.code];

export function scimErrorBody(error: AppError): ScimErrorBody {
  const scimType = scimTypeOf(error);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(error.status),
    ...(scimType !== undefined && { scimType }),
    detail: error.message,
  };
}

/** Identity providers write the names of query parameters in other cases too (`startindex`). */
export function scimQuery({ queryParameters }: OperationDescription, query: RawParameters): RawParameters {
  const names = new Map(queryParameters.map(({ name }) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [names.get(key.toLowerCase()) ?? key, value]));
}

/** Some identity providers send the token as it was entered, without a scheme before it. */
export const scimAuthorization = (header: string | undefined): string | undefined =>
  header !== undefined && /^\S+$/.test(header) ? `Bearer ${header}` : header;

/** @throws AppError `request.unsupported_media_type` (415) for anything but the two JSON types, in UTF-8. */
export function requireScimMediaType(contentType: string | undefined): void {
  if (contentType === undefined) return;
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((each) => each.startsWith('charset='))?.replace(/^charset=|"/g, '') ?? 'utf-8';
  if (['application/scim+json', 'application/json'].includes(type) && charset === 'utf-8') return;
  throw new AppError(
    'request.unsupported_media_type',
    'Send the body as application/scim+json or application/json, in UTF-8',
  );
}

/** Parts of the protocol that are left out answer 501 rather than 404 (RFC 7644, sections 3.4.3, 3.7 and 3.11). */
export const unlessLeftOut = (path: string, error: AppError): AppError =>
  notSupported.test(path) ? new AppError('scim.not_supported', 'This part of SCIM is not supported') : error;

/** Headers that a resource brings along (RFC 7644, sections 3.1 and 3.14). */
export function scimHeaders(path: string, status: number, body: unknown): Record<string, string> {
  const { id, meta } = (body ?? {}) as { id?: string; meta?: { version?: string; location?: string } };
  const location = meta?.location ?? (id === undefined ? undefined : `${path.replace(/\/+$/, '')}/${id}`);
  return {
    ...(meta?.version !== undefined && { etag: meta.version }),
    ...(status === 201 && location !== undefined && { location }),
  };
}
