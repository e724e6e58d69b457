export type {
  AccessDescription,
  AuditDescription,
  CredentialKind,
  DialectName,
  OperationDescription,
  OperationId,
  ParameterDescription,
  Permission,
  Schemas,
  Scope,
  ServiceName,
} from './operation-description';
export { credentialKinds } from './operation-description';
export type { BodyOf, OperationsOf, PathOf, QueryOf, ReplyOf, TagOf } from './operation-types';
export type { RawParameters } from './coercion';
export type { Misspelt } from './misspelt';
export type { Problem } from './problems';
export { type ContractDocument, dataDocument, publicDocument } from './document';
export { dialectRoots, operations } from './generated/operations';
export { momentOf } from './moments';
export { nearestName } from './nearest-name';
export { deploymentIdOf, operation } from './operation';
export { isTimeZone } from './time-zones';
export { type RawRequest, type RequestVerdict, validateRequest } from './validate-request';
export { validateDataReply, validateReply } from './validate-reply';
