import { Inject, Injectable } from '@nestjs/common';
import { hasAccess, systemPrincipal, type Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { inMemoryList, keysetList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { AgentRights, spaceOf } from '../agents';
import { skillsOf, type Skill } from './skill';

/** Knows what the data model teaches agents. */
@Injectable()
export class Skills {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly rights: AgentRights,
  ) {}

  /** @throws AppError `access.denied` (403), `deployment.not_found`, `branch.not_found` (404) */
  async list(
    principal: Principal,
    deploymentId: number,
    { branchName: wanted = '', space = '', ...paging }: QueryOf<'listAgentSkills'>,
  ): Promise<ReplyOf<'listAgentSkills'>> {
    const branchName = wanted.trim() === '' ? null : wanted;
    await this.requireReadable(principal, deploymentId, branchName);
    const isHere = space === '' || space === spaceOf(deploymentId);
    const skills = isHere ? await this.read(principal.tenantId, deploymentId, branchName) : [];
    const positionOf = ({ file }: Skill): [file: string] => [file];
    const filters = { deploymentId, branchName: branchName ?? undefined, space };
    const { items, pageInfo } = await keysetList(
      paging,
      inMemoryList(skills, { name: 'agent-skills', filters, positionOf }),
    );
    return {
      items: items.map(({ name, title, description, problem }) => ({ name, title, description, problem })),
      pageInfo,
    };
  }

  /** Those that can be used. @throws AppError `branch.not_found` (404) */
  async usable(tenantId: number, deploymentId: number, branchName: string): Promise<Skill[]> {
    return (await this.read(tenantId, deploymentId, branchName)).filter(({ problem }) => problem === null);
  }

  /** Unfinished work is shown to those who read data models. */
  private async requireReadable(principal: Principal, deploymentId: number, branchName: string | null): Promise<void> {
    const asked = { deploymentId };
    const { deployBranchName } = await this.bus.ask('describeDeployment', systemPrincipal(principal.tenantId), asked);
    const reach = await this.rights.reachOf(principal, deploymentId, 'AgentRead');
    if (reach !== 'all' && reach.length === 0) throw denied('AgentRead on an agent');
    const isOpen = branchName === null || branchName === deployBranchName;
    if (!isOpen && !hasAccess(principal, 'SchemaRead', deploymentId)) throw denied('SchemaRead');
  }

  private async read(tenantId: number, deploymentId: number, branchName: string | null): Promise<Skill[]> {
    const asked = { deploymentId, branchName };
    const { files } = await this.bus.ask('readAgentSkills', systemPrincipal(tenantId), asked);
    return skillsOf(files);
  }
}

const denied = (permission: string): AppError =>
  new AppError('access.denied', `This needs the permission ${permission}`);
