export { McpDefaults } from './mcp-defaults.entity';
export { McpDefaultsRepository } from './mcp-defaults.repository';
export { McpModule } from './mcp.module';
