export type { GatewayFunctions } from './gateway-functions';
export { redactSqlLiterals } from './redact';
export { SqlInterface } from './sql-interface';
