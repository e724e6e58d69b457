import { createLogger } from './logger';
import { runInContext } from './request-context';

const capture = () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
};

describe(createLogger.name, () => {
  it.each([
    [{ authorization: 'Bearer sk-1' }],
    [{ headers: { authorization: 'Bearer sk-1' } }],
    [{ request: { body: { password: 'sk-1' } } }],
    [{ config: { databaseUrl: 'postgres://u:sk-1@h/d' } }],
  ])('does not let a secret into a line: %j', (fields) => {
    const { logger, lines } = capture();
    logger.info(fields, 'line');
    expect(JSON.stringify(lines)).not.toContain('sk-1');
    expect(JSON.stringify(lines)).toContain('[HIDDEN]');
  });

  it('carries the request id and the operation of the request being served', () => {
    const { logger, lines } = capture();
    runInContext({ requestId: 'r-1', operationId: 'getSpec' }, () => logger.info('served'));
    expect(lines[0]).toMatchObject({ service: 'test', level: 'info', requestId: 'r-1', operationId: 'getSpec' });
  });
});
