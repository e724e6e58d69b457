import type { Adapter, AdapterPayload } from 'oidc-provider';
import { clientOf } from './client-registration';

/** Clients that have registered themselves. Their ids are all there is of them: nothing is kept, found by more, or ended. */
export class RegisteredClients implements Adapter {
  async find(id: string): Promise<AdapterPayload | undefined> {
    return clientOf(id) as AdapterPayload | undefined;
  }

  async upsert(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<undefined> {
    return undefined;
  }

  async destroy(): Promise<undefined> {
    return undefined;
  }

  async revokeByGrantId(): Promise<undefined> {
    return undefined;
  }
}
