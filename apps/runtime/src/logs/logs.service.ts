import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { VisibleEnvironments } from '../environments/visible-environments';
import type { EngineLogLine } from './engine-log-line.entity';
import { EngineLogRepository } from './engine-log.repository';

@Injectable()
export class LogsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly environments: VisibleEnvironments,
    private readonly lines: EngineLogRepository,
  ) {}

  async list(principal: Principal, deploymentId: number, query: QueryOf<'logs'>): Promise<ReplyOf<'logs'>> {
    const { source, pod, container } = query;
    const visible = await this.environments.of(principal, deploymentId);
    const environmentIds = visible
      .filter(({ type }) => source === undefined || (source === 'production') === (type === 'production'))
      .map(({ id }) => id);
    const filter = { environmentIds, pod, container: container === 'MAIN' ? 'cubejs-server' : container };
    const page = await keysetList(query, {
      name: 'engine-logs',
      filters: { deploymentId, source, pod, container },
      positionOf: byId,
      read: (limit, [afterId]) => this.lines.list(this.database, principal.tenantId, filter, limit, afterId),
    });
    return { items: page.items.map(toContractLine), pageInfo: page.pageInfo };
  }
}

const toContractLine = ({ loggedAt, pod, container, message }: EngineLogLine) => ({
  date: loggedAt.toISOString(),
  pod,
  container,
  message,
});
