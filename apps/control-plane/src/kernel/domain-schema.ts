import type { ServiceSchema } from '@plinth/database';

/** A domain's part of the schema of the control plane. */
export interface DomainSchema extends Pick<ServiceSchema, 'entities' | 'retention' | 'upkeep'> {
  migrations: ServiceSchema['migrations']['preDeploy'];
}
