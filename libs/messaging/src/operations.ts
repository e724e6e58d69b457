import { applyDecorators, Catch, UseFilters, type RpcExceptionFilter } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { OperationId, OperationsOf, ServiceName, TagOf } from '@plinth/contract';
import { throwError, type Observable } from 'rxjs';
import type { Handler } from './bus';

/**
 * The methods of a controller that serves every operation of a service with the tag:
 * `class DeploymentsController implements Operations<'control-plane', 'Deployments'>`.
 * A missing operation, or a reply that is not in the contract, does not compile.
 */
export type Operations<Service extends ServiceName, Tag extends TagOf<Service>> = {
  [Id in OperationsOf<Service, Tag>]: Handler<Id>;
};

/** Keeps Nest from turning what a handler throws into its own error shape; the dispatcher decides on it. */
@Catch()
class RethrowFilter implements RpcExceptionFilter<unknown> {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}

type OperationDecorator<Id extends OperationId> = <Method extends Handler<Id>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/** Serves an operation with the decorated controller method, which takes one `Call` and answers as the contract says. */
export const Operation = <Id extends OperationId>(operationId: Id): OperationDecorator<Id> =>
  applyDecorators(MessagePattern(operationId), UseFilters(RethrowFilter));
