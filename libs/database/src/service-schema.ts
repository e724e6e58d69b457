import type { ServiceName } from '@plinth/contract';

/** Where a service keeps its state: a schema and two roles of its own. */
export interface ServiceSchema {
  schema: string;
  /** Ordinary work; row-level security shows it one tenant at a time. */
  role: string;
  /** Work across tenants: relaying events, claiming jobs, finding the tenant of a host. */
  systemRole: string;
}

export function serviceSchema(service: ServiceName): ServiceSchema {
  const schema = service.replaceAll('-', '_');
  return { schema, role: `plinth_${schema}`, systemRole: `plinth_${schema}_system` };
}
