import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Answers questions about the data of a deployment. */
@Entity()
export class Agent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  /** Whether it is the one that each deployment has. */
  @Column('boolean')
  isAutomatic!: boolean;

  /** Unique in the deployment, whatever the case of its letters. */
  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  instructions!: string | null;

  /** Null for the model that the provider settings name. */
  @Column('text', { nullable: true })
  model!: string | null;

  /** Names of views and cubes that it is told of; null for all. */
  @Column('jsonb', { nullable: true })
  views!: string[] | null;

  @Column('boolean', { default: () => 'false' })
  allowEmbedding!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}

/** Where a client asks the agent: the host of all agents, or the address of the account that the client has used. */
export interface AgentAddress {
  baseUrl: string;
  accountName: string;
}

/** Where agents of a deployment are kept. */
export const spaceOf = (deploymentId: number): string => `deployment-${deploymentId}`;

export const toContract = (agent: Agent, { baseUrl, accountName }: AgentAddress): Schemas['Agent'] => {
  const { id, deploymentId, name, isAutomatic, instructions, model, views, allowEmbedding } = agent;
  return {
    ...{ id, deploymentId, name, isAutomatic, instructions, model, views, allowEmbedding },
    agentConfigName: isAutomatic ? 'auto' : 'custom',
    agentSpace: { name: spaceOf(deploymentId) },
    chatUrl: `${baseUrl}/api/v1/public/${encodeURIComponent(accountName)}/agents/${id}/chat/stream-chat-state`,
    createdAt: agent.createdAt.toISOString(),
    updatedAt: agent.updatedAt.toISOString(),
  };
};
