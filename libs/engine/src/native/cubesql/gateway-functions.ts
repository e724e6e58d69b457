import { type ResultRequest, type Row } from '../results';
import { type Cube } from './model';

/**
 * What the gateway offers to its SQL interface, as it registers it. Each function checks scopes and hidden members itself.
 * They reject with an object that has a message.
 */
export interface GatewayFunctions {
  /** A port for the PostgreSQL protocol. */
  pgPort?: number | undefined;
  meta(call: GatewayCall): Promise<{ cubes: readonly Cube[] }>;
  sqlApiLoad(call: GatewayCall & { query: object; queryKey: object; streaming: false; cacheMode: string }): Promise<{
    getFinalResult(): Promise<[ResultRequest[], (readonly Row[])[], LoadedHead[]]>;
  }>;
  /** Parameters stand as `$0$` in the text. */
  sql(
    call: GatewayCall & { query: object; memberToAlias: object; expressionParams: [] },
  ): Promise<{ sql: { sql: [text: string, values: (string | null)[]] } }>;
  logLoadEvent(call: GatewayCall & { event: string; properties: object }): Promise<void>;
}

export interface LoadedHead {
  lastRefreshTime?: string;
  external?: boolean;
}

/** Who asks. */
export interface GatewayCall {
  request: { id: string; meta: { protocol: 'http'; apiType: 'sql' } };
  session: { user: null; superuser: false; securityContext: unknown };
}
