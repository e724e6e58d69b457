import type { TestDatabase, ScriptedModel } from '@plinth/testing';
import { ChatClient } from './chat-client';
import type { ApiClient } from './api-client';
import { neighbours, Shop } from './shop';
import type { Topology } from './topology';

/** Host at which agents of all accounts are asked. */
export const AI_HOST = 'ai.localhost';

/** Settings of platforms whose agents ask a scripted provider on the machine itself. */
export const scriptedProviders = {
  PLINTH_AI_ALLOW_INSECURE_PROVIDERS: 'true',
  PLINTH_AI_ALLOW_PRIVATE_PROVIDERS: 'true',
  PLINTH_AI_URL: `http://${AI_HOST}`,
};

/** The sample shop with its automatic agent, which everybody asks about the customers of their own city. */
export class ChatShop {
  private constructor(
    readonly shop: Shop,
    readonly agentId: number,
    /** The administrator asks for themselves. */
    readonly chat: ChatClient,
    private readonly topology: Topology,
  ) {}

  static async open(topology: Topology, database: TestDatabase): Promise<ChatShop> {
    const { admin } = topology;
    const shop = await Shop.open(admin, database, [neighbours]);
    const { items } = await admin.call('listAgents', { path: shop.path });
    const { id = 0, chatUrl = '' } = items[0] ?? {};
    const me = await admin.call('getCurrentUser');
    const headers = { authorization: admin.credential.replace('Bearer', 'Api-Key') };
    return new ChatShop(
      shop,
      id,
      new ChatClient(reachable(chatUrl, admin), headers, { internalId: me.email }),
      topology,
    );
  }

  async useModel({ baseUrl }: ScriptedModel): Promise<void> {
    const body = { kind: 'openai-compatible' as const, baseUrl, model: 'scripted', key: 'sk-scripted' };
    await this.topology.admin.call('setAiProvider', { body });
  }

  /** The automatic agent at the address of the deployment, for whoever holds the token. */
  async byToken(context: Record<string, unknown>, scopes = ['chat']): Promise<ChatClient> {
    const { admin } = this.topology;
    const { items } = await admin.call('getDeploymentEnvironments', { path: this.shop.path });
    const production = items.find(({ type }) => type === 'production');
    const path = { ...this.shop.path, environmentId: String(production?.id) };
    const body = { security_context: context, scopes };
    const { token } = (await admin.call('createDeploymentEnvironmentToken', { path, body })).data;
    const { chatUrl } = await admin.call('getDeploymentSettings', { path: this.shop.path });
    return new ChatClient(reachable(chatUrl ?? '', admin), { 'x-cube-auth-token': token });
  }

  /** A user of the account from that city, and their own key. */
  async userFrom(city: string): Promise<{ email: string; chat: ChatClient }> {
    const { admin, tenant } = this.topology;
    const email = `${city.toLowerCase()}-${tenant}@example.test`;
    const words = ['--tenant', tenant, '--email', email, '--role', 'Admin'];
    const { apiKey } = await this.topology.plinth('api-keys', 'create', ...words);
    const { id } = await admin.as(`Bearer ${String(apiKey)}`).call('getCurrentUser');
    const attributes = await admin.call('getUserAttributes');
    const known = attributes.items.find(({ name }) => name === 'city');
    const { id: attributeId } =
      known ?? (await admin.call('createUserAttribute', { body: { name: 'city', type: 'string' } }));
    await admin.call('upsertUserAttributeValue', {
      body: { userId: String(id), userAttributeId: String(attributeId), value: city },
    });
    const headers = { authorization: `Api-Key ${String(apiKey)}` };
    return { email, chat: this.chat.with({ headers, sessionSettings: { internalId: email } }) };
  }
}

/** Nothing resolves the host of agents: its address at the gateway itself. */
const reachable = (chatUrl: string, { baseUrl }: ApiClient): string => chatUrl.replace(`http://${AI_HOST}`, baseUrl);
