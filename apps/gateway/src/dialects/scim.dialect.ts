import type { OperationDescription, RawParameters } from '@plinth/contract';
import { AppError, type ErrorCode } from '@plinth/errors';
import { jsonContent } from './content';
import type { OperationDialect, ReplyHead } from './dialect';

const leftOut = /^\/api\/scim\/v2\/(Bulk|Me|\.search)(\/|$)/i;
const SCIM_JSON = 'application/scim+json; charset=utf-8';

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

/** What kind of error the protocol takes this one for; undefined where it has no word for it. */
export const scimTypeOf = (error: AppError): string | undefined => scimTypes[error.code];

export const scimDialect: OperationDialect = {
  /** Some identity providers send the token as it was entered, without a scheme before it. */
  authorization: (header) => (header !== undefined && /^\S+$/.test(header) ? `Bearer ${header}` : header),
  query: withNamesOfContract,
  requireMediaType: requireScimMediaType,
  replyHead: resourceHead,
  replyContent: (body) => jsonContent(body, SCIM_JSON),
  errorContent: (error) => jsonContent(scimErrorBody(error), SCIM_JSON),
  /** Parts of the protocol that are left out answer 501 rather than 404 (RFC 7644, sections 3.4.3, 3.7 and 3.11). */
  missing: (error, path) =>
    leftOut.test(path) ? new AppError('scim.not_supported', 'This part of SCIM is not supported') : error,
};

function scimErrorBody(error: AppError): ScimErrorBody {
  const scimType = scimTypeOf(error);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(error.status),
    ...(scimType !== undefined && { scimType }),
    detail: error.message,
  };
}

/** Identity providers write the names of query parameters in other cases too (`startindex`). */
function withNamesOfContract({ queryParameters }: OperationDescription, query: RawParameters): RawParameters {
  const names = new Map(queryParameters.map(({ name }) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [names.get(key.toLowerCase()) ?? key, value]));
}

/** Anything but the two JSON types, in UTF-8, is refused. */
function requireScimMediaType(contentType: string | undefined): void {
  if (contentType === undefined) return;
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((each) => each.startsWith('charset='))?.replace(/^charset=|"/g, '') ?? 'utf-8';
  if (['application/scim+json', 'application/json'].includes(type) && charset === 'utf-8') return;
  throw new AppError(
    'request.unsupported_media_type',
    'Send the body as application/scim+json or application/json, in UTF-8',
  );
}

/** What a resource brings along (RFC 7644, sections 3.1 and 3.14); without one there is nothing to say. */
function resourceHead({ successStatus }: OperationDescription, path: string, body: unknown): ReplyHead {
  const { id, meta } = (body ?? {}) as { id?: string; meta?: { version?: string; location?: string } };
  const status = body === undefined ? 204 : successStatus;
  const location = meta?.location ?? (id === undefined ? undefined : `${path.replace(/\/+$/, '')}/${id}`);
  return {
    status,
    headers: {
      ...(meta?.version !== undefined && { etag: meta.version }),
      ...(status === 201 && location !== undefined && { location }),
    },
  };
}
