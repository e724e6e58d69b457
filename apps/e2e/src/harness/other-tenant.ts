import { randomBytes } from 'node:crypto';
import type { ApiClient } from './api-client';
import type { Topology } from './topology';

export interface OtherTenant {
  name: string;
  host: string;
  adminEmail: string;
  /** Client with its administrator's key. */
  admin: ApiClient;
}

/** Another tenant of the platform, with a name that no other file takes. */
export async function otherTenant({ admin, plinth }: Topology): Promise<OtherTenant> {
  const name = `acme-${randomBytes(4).toString('hex')}`;
  const host = `${name}.localhost`;
  const adminEmail = 'a@acme.test';
  const words = ['--name', name, '--host', host, '--admin-email', adminEmail];
  const { apiKey } = await plinth('tenants', 'create', ...words);
  return { name, host, adminEmail, admin: admin.at(host, `Bearer ${String(apiKey)}`) };
}
