import type { DialectName } from '@plinth/contract';
import type { OperationDialect } from './dialect';
import { mcpDialect } from './mcp.dialect';
import { platformDialect } from './platform.dialect';
import { scimDialect } from './scim.dialect';

/** The dialects that the contract speaks of. */
export const operationDialects: Readonly<Record<DialectName, OperationDialect>> = {
  platform: platformDialect,
  scim: scimDialect,
  mcp: mcpDialect,
};
