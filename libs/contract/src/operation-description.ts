import type { components, operations as Operations } from './generated/types';

/** Schemas of the contract by name. */
export type Schemas = components['schemas'];

/** Key of everything about an operation: type, validator, route, permission, subject on the bus, handler. */
export type OperationId = keyof Operations;

/** The service that owns an operation. */
export type ServiceName =
  'control-plane' | 'build-worker' | 'runtime' | 'workspace' | 'embed' | 'agents' | 'scim' | 'gateway';

/**
 * What a caller needs: a policy action, to be an administrator (`admin`), any licence tier (`self`), a valid credential
 * alone (`signed-in`), nothing (`public`), or to be the platform itself (`system`).
 */
export type Permission = Schemas['PolicyAction'] | 'admin' | 'self' | 'signed-in' | 'public' | 'system';

/**
 * What a credential that is limited to deployments may do: the operation on those of them that the path names
 * (`deployment`), nothing, because the operation concerns the whole account (`account`), or what its owner may do, with
 * what it does not reach left out (`any`).
 */
export type Scope = 'deployment' | 'account' | 'any';

/** Kinds of credentials. */
export const credentialKinds = [
  'api-key',
  'access-token',
  'mcp-token',
  'embed-session',
  'scim-token',
  'deployment-token',
] as const;

export type CredentialKind = (typeof credentialKinds)[number];

/** Who may call an operation. The gateway and whatever takes the call off the bus enforce it; services add nothing to it. */
export interface AccessDescription {
  permission: Permission;
  scope: Scope;
  /** Kinds of credentials that are accepted. The platform itself and callers without a credential are no matter of this. */
  credentials: readonly CredentialKind[];
}

/** How requests and replies are written: as the platform's own API does it, or as a protocol demands. */
export type DialectName = 'platform' | 'scim' | 'mcp';

/** The audit event of an operation. */
export interface AuditDescription {
  event: string;
  /**
   * What to record: names of body fields, query or path parameters, looked up in this order. A dot leads into an
   * object or into every item of an array (`files.path`).
   */
  fields: readonly string[];
  /**
   * Name under which to record the `id` in the reply, for operations that make something: that of the parameter which
   * names the thing in other operations.
   */
  target?: string;
}

/** A path or query parameter. `type` is that of the items when `array` is set. */
export interface ParameterDescription {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean';
  array: boolean;
  required: boolean;
  /** An empty text is a value like any other; absent, it says nothing. */
  allowEmptyValue?: boolean;
}

/** Everything that the edge and the bus need to know of an operation, generated from the contract. */
export interface OperationDescription {
  operationId: OperationId;
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path template, for example `/api/v1/deployments/{deploymentId}`; only a name when `internal` is set. */
  path: string;
  tag: string;
  /** Absent: the platform's own. */
  dialect?: DialectName;
  service: ServiceName;
  /** Carried by the bus alone, never routed by HTTP. */
  internal: boolean;
  access: AccessDescription;
  audit?: AuditDescription;
  /** Which body is bytes that must not travel as one message. */
  stream?: 'request' | 'response';
  /** The body is a form that brings a file, which alone is the stream. */
  form?: boolean;
  /** The service gets the body as it came, byte for byte, and reads it itself (a signature covers it). */
  rawBody?: boolean;
  bodyLimitBytes: number;
  timeoutMs: number;
  successStatus: number;
  hasBody: boolean;
  bodyRequired: boolean;
  pathParameters: readonly ParameterDescription[];
  queryParameters: readonly ParameterDescription[];
  /** Headers that the service gets to see, in lower case; absent without any. Their values are checked by the service. */
  headerParameters?: readonly string[];
}
