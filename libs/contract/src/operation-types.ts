import type { OperationIdsByService } from './generated/operations';
import type { operations as Operations } from './generated/types';
import type { OperationId, ServiceName } from './operation-description';

type ParametersOf<Id extends OperationId, Place extends 'path' | 'query'> = Operations[Id]['parameters'] extends {
  [key in Place]?: infer Parameters;
}
  ? [NonNullable<Parameters>] extends [never]
    ? Record<string, never>
    : NonNullable<Parameters>
  : Record<string, never>;

type Json<Holder> = Holder extends { content: { 'application/json': infer Value } }
  ? Value
  : Holder extends { content: { 'application/scim+json': infer Value } }
    ? Value
    : undefined;

/** Fields of a form; the part with the bytes travels as a stream. */
type Form<Holder> = Holder extends { content: { 'multipart/form-data': infer Fields } }
  ? Omit<Fields, 'file'>
  : Json<Holder>;

type SuccessOf<Responses> = {
  [Status in keyof Responses]: `${Status & number}` extends `2${string}` ? Responses[Status] : never;
}[keyof Responses];

/** Path parameters of an operation, as the services receive them. */
export type PathOf<Id extends OperationId> = ParametersOf<Id, 'path'>;

/** Query parameters of an operation, as the services receive them. */
export type QueryOf<Id extends OperationId> = ParametersOf<Id, 'query'>;

/** JSON body or form fields of an operation; includes undefined where the body may be absent. */
export type BodyOf<Id extends OperationId> = Operations[Id] extends { requestBody: infer Body }
  ? Form<Body>
  : Operations[Id] extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? undefined
      : Form<NonNullable<Body>> | undefined
    : undefined;

/** JSON body of the successful reply of an operation; undefined where it has none. */
export type ReplyOf<Id extends OperationId> = Json<SuccessOf<Operations[Id]['responses']>>;

/** Tags of the operations that a service owns. */
export type TagOf<Service extends ServiceName> = Service extends keyof OperationIdsByService
  ? keyof OperationIdsByService[Service]
  : never;

/** Ids of the operations that a service owns, optionally those of some tags. */
export type OperationsOf<
  Service extends ServiceName,
  Tag extends TagOf<Service> = TagOf<Service>,
> = Service extends keyof OperationIdsByService
  ? OperationIdsByService[Service][Tag & keyof OperationIdsByService[Service]]
  : never;
