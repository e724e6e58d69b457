import { Injectable } from '@nestjs/common';
import { AgentTools } from './agent-tools.service';
import { DashboardTools } from './dashboard-tools.service';
import { DataTools } from './data-tools.service';
import type { Tool } from './tool';

/** All tools, in the order in which they are listed, which is the same for everybody. */
@Injectable()
export class McpTools {
  readonly all: readonly Tool[];

  constructor(data: DataTools, agents: AgentTools, dashboards: DashboardTools) {
    this.all = [...data.tools, ...agents.tools, ...dashboards.tools];
  }
}
