import type { DomainEvents, DomainEventType } from '@plinth/messaging';
import type { EntityManager } from 'typeorm';
import { insertEvent } from './outbox/outbox';

/**
 * A transaction in one tenant, handed from services to repositories. Services see that it exists and can record
 * events in it; only repositories reach the data, through `BaseRepository.managerFor`.
 */
export abstract class Transaction {
  abstract readonly tenantId: number;
  /** Records an event that is delivered to its consumers if, and only if, the transaction commits. */
  abstract emit<Type extends DomainEventType>(type: Type, payload: DomainEvents[Type]): Promise<void>;
}

export class ActiveTransaction extends Transaction {
  emitted = false;

  constructor(
    readonly tenantId: number,
    readonly manager: EntityManager,
    readonly schema: string,
  ) {
    super();
  }

  override async emit<Type extends DomainEventType>(type: Type, payload: DomainEvents[Type]): Promise<void> {
    this.emitted = true;
    await insertEvent(this, type, payload);
  }
}

/** The manager behind a transaction: the one seam between services and TypeORM. */
export function managerOf(tx: Transaction): EntityManager {
  if (tx instanceof ActiveTransaction) return tx.manager;
  throw new TypeError('A transaction comes from Database.transaction or Database.mutate');
}
