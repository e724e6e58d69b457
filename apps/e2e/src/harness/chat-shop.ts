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
    const shop = await Shop.open(topology.admin, database, [neighbours]);
    const { agentId, chat } = await automaticAgent(topology.admin, shop.deploymentId);
    return new ChatShop(shop, agentId, chat, topology);
  }

  useModel(model: ScriptedModel): Promise<void> {
    return useModel(this.topology.admin, model);
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

/** The automatic agent of a deployment, which the administrator asks for themselves. */
export async function automaticAgent(
  admin: ApiClient,
  deploymentId: number,
): Promise<{ agentId: number; chat: ChatClient }> {
  const { items } = await admin.call('listAgents', { path: { deploymentId } });
  const { id: agentId = 0, chatUrl = '' } = items[0] ?? {};
  const me = await admin.call('getCurrentUser');
  const headers = { authorization: admin.credential.replace('Bearer', 'Api-Key') };
  return { agentId, chat: new ChatClient(reachable(chatUrl, admin), headers, { internalId: me.email }) };
}

/** Has the agents of the account ask the scripted provider. */
export async function useModel(admin: ApiClient, { baseUrl }: ScriptedModel): Promise<void> {
  const body = { kind: 'openai-compatible' as const, baseUrl, model: 'scripted', key: 'sk-scripted' };
  await admin.call('setAiProvider', { body });
}

/** Nothing resolves the host of agents: its address at the gateway itself. */
const reachable = (chatUrl: string, { baseUrl }: ApiClient): string => chatUrl.replace(`http://${AI_HOST}`, baseUrl);
