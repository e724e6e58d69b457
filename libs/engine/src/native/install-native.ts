import { type Writable } from 'node:stream';
import { JinjaEngine } from '@plinth/jinja';
import { type GatewayFunctions, redactSqlLiterals, SqlInterface } from './cubesql';
import { getFinalQueryResult, getFinalQueryResultMulti } from './results';

/** The exports of `@cubejs-backend/native`, as far as it is asked whether it has its binary. */
export interface NativeModule {
  /** @throws Error when there is no binary for this machine. */
  loadNative(): unknown;
  ResultWrapper: { prototype: { getArray(): unknown[]; getRawData(): unknown[] } };
  [name: string]: unknown;
}

/**
 * Makes `@cubejs-backend/native` work where its binary is not to be had: what the engine asks of it is put onto the
 * module's exports, where callers look at the time of each call. A binary that is there is used instead.
 *
 * What only the binary can do fails with a sentence that says so: data models and configurations in Python, Cube Store, the
 * Tesseract planner, and the PostgreSQL protocol.
 */
export function installNative(native: NativeModule): 'binary' | 'stand-in' {
  try {
    native.loadNative();
    return 'binary';
  } catch {
    Object.assign(native, functions, { NativeInstance });
    // The rows as they are: the binary would get them as bytes of JSON.
    native.ResultWrapper.prototype.getRawData = function getRawData() {
      return [this.getArray()];
    };
    return 'stand-in';
  }
}

function needsBinary(what: string): () => never {
  return () => {
    throw new Error(`${what} needs the native module of Cube, which is not installed`);
  };
}

class NativeInstance {
  newJinjaEngine({ filters }: { filters?: ConstructorParameters<typeof JinjaEngine>[0] } = {}): JinjaEngine {
    return new JinjaEngine(filters);
  }

  readonly loadPythonContext = needsBinary('A data model in Python');
}

/** Their parameters are the module's. */
const functions = {
  setupLogger: () => undefined,
  resetLogger: () => undefined,
  isFallbackBuild: () => true,
  getFinalQueryResult,
  getFinalQueryResultMulti,
  redactSqlLiterals,
  registerInterface: async (gateway: GatewayFunctions) => new SqlInterface(gateway),
  shutdownInterface: async () => undefined,
  execSql: (
    sql: SqlInterface,
    text: string,
    stream: Writable,
    securityContext?: unknown,
    cacheMode?: string,
    timezone?: string,
    throwContinueWait?: boolean,
    requestId?: string,
  ) => sql.run(text, stream, { securityContext, cacheMode, timezone, throwContinueWait, requestId }),
  sql4sql: (sql: SqlInterface, text: string, _disablePostProcessing: boolean, securityContext?: unknown) =>
    sql.sourceSql(text, { securityContext }),
  rest4sql: (sql: SqlInterface, text: string, securityContext?: unknown) => sql.restQuery(text, { securityContext }),
  buildSqlAndParams: needsBinary('The Tesseract planner'),
  parseCubestoreResultMessage: needsBinary('Cube Store'),
  getCubestoreResult: needsBinary('Cube Store'),
  pythonLoadConfig: needsBinary('A configuration in Python'),
};
