import { taskStoreOf } from '@plinth/database';
import type { TaskSubject } from '@plinth/testing';
import { controlPlaneSchema } from '../control-plane.schema';
import {
  ProviderRevocationsRepository,
  type ProviderRevocation,
} from '../integrations/oauth-integrations/provider-revocations.repository';

export const subject: TaskSubject<ProviderRevocation, void> = {
  kind: 'revocation',
  schema: controlPlaneSchema,
  table: 'provider_revocation',
  isScheduled: true,
  storeOf: (database) => taskStoreOf(database, new ProviderRevocationsRepository()),
  result: undefined,
  add: async (database, tenantId) => {
    const text = `insert into provider_revocation (tenant_id, user_id, integration_id, client, sealed_access_token)
      values ($1, 1, 1, '{}', 'sealed')`;
    await database.readAsSystem({ name: 'new-revocation', text }, [tenantId]);
  },
};
