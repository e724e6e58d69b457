import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { McpDefaultsService } from './mcp-defaults.service';
import { McpService } from './mcp.service';

@Controller()
export class McpController implements Operations<'agents', 'MCP'> {
  constructor(
    private readonly mcp: McpService,
    private readonly defaults: McpDefaultsService,
  ) {}

  @Operation('callMcp')
  callMcp({ principal, body, headers }: Call<'callMcp'>) {
    return this.mcp.call(principal, body, headers?.['mcp-protocol-version']);
  }

  @Operation('getMcpSettings')
  getMcpSettings({ principal }: Call<'getMcpSettings'>) {
    return this.defaults.get(principal);
  }

  @Operation('setMcpSettings')
  setMcpSettings({ principal, body }: Call<'setMcpSettings'>) {
    return this.defaults.set(principal, body);
  }
}
