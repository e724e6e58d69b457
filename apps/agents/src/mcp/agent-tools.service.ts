import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { z } from 'zod';
import { actingPrincipal } from './acting-principal';
import { AgentAnswers } from './agent-answers.service';
import { McpDefaultsService } from './mcp-defaults.service';
import { defineTool, inputs, type Tool } from './tool';

const { deploymentId, agentId } = inputs;

/** Tools that leave a question to an agent. */
@Injectable()
export class AgentTools {
  readonly tools: readonly Tool[] = [this.listAgents(), this.askAgent()];

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly defaults: McpDefaultsService,
    private readonly answers: AgentAnswers,
  ) {}

  private listAgents(): Tool {
    return defineTool({
      name: 'list_agents',
      title: 'List agents',
      description: 'Lists the agents of a deployment, which answer questions about its data.',
      isReadOnly: true,
      input: z.strictObject({ deploymentId }),
      run: async (principal, named) => {
        const { agents } = await this.agentsOf(principal, named.deploymentId);
        return { agents: agents.map(({ id, name, isAutomatic }) => ({ id, name, isAutomatic })) };
      },
    });
  }

  private askAgent(): Tool {
    return defineTool({
      name: 'ask_agent',
      title: 'Ask an agent',
      description:
        'Has an agent answer a question about the data, and answers with the queries that it ran. A long answer comes with ' +
        '`isComplete` false: call again with the `chatId` and without a question to wait for it.',
      isReadOnly: false,
      input: z
        .strictObject({
          deploymentId,
          agentId,
          question: z.string().min(1).max(10_000).optional().describe('The question.'),
          chatId: z.uuid().optional().describe('Thread of an earlier question, to go on with.'),
        })
        .refine(
          ({ question, chatId }) => question !== undefined || chatId !== undefined,
          'must have a question or a chatId',
        ),
      run: async (principal, { question, chatId, ...named }) => {
        const chosen = await this.defaults.agentFor(principal, named);
        const agent = chosen.agentId ?? (await this.automaticOf(principal, chosen.deploymentId));
        const asking = actingPrincipal(principal);
        return this.answers.answer(asking, agent, { input: question, chatId });
      },
    });
  }

  private async automaticOf(principal: Principal, deployment: number): Promise<number> {
    const { agents } = await this.agentsOf(principal, deployment);
    return agents.find(({ isAutomatic }) => isAutomatic)?.id ?? 0;
  }

  private async agentsOf(principal: Principal, named: number | undefined) {
    const path = { deploymentId: await this.defaults.deploymentFor(principal, named) };
    const call = { principal: actingPrincipal(principal), path, query: { first: 200 }, body: undefined };
    const { items } = await this.bus.call('listAgents', call);
    return { agents: items };
  }
}
