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

  it.each(['err', 'cause', 'error'])(
    'writes an error under %s with its causes, and no secret that they carry',
    (key) => {
      const { logger, lines } = capture();
      const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', token: 'sk-1' });
      const lost = new Error('postgres://plinth:sk-1@db/plinth is lost', { cause: refused });
      logger.error(
        { [key]: new AggregateError([lost], 'nothing worked', { cause: 'Bearer eyJh.eyJi.c2stMQ' }) },
        'line',
      );
      expect(lines[0]?.[key]).toEqual({
        name: 'AggregateError',
        message: 'nothing worked',
        stack: expect.stringContaining('logger.spec'),
        cause: 'Bearer [HIDDEN]',
        errors: [
          {
            name: 'Error',
            message: 'postgres://plinth:[HIDDEN]@db/plinth is lost',
            stack: expect.any(String),
            cause: {
              name: 'Error',
              message: 'connect ECONNREFUSED',
              code: 'ECONNREFUSED',
              stack: expect.any(String),
            },
          },
        ],
      });
      expect(JSON.stringify(lines)).not.toContain('sk-1');
    },
  );

  it('ends with a cause that is its own', () => {
    const { logger, lines } = capture();
    const error = new Error('round');
    error.cause = error;
    logger.error({ err: error }, 'line');
    expect(JSON.stringify(lines).match(/"message":"round"/g)).toHaveLength(6);
  });

  it('carries the request id and the operation of the request being served', () => {
    const { logger, lines } = capture();
    runInContext({ requestId: 'r-1', operationId: 'getSpec' }, () => logger.info('served'));
    expect(lines[0]).toMatchObject({ service: 'test', level: 'info', requestId: 'r-1', operationId: 'getSpec' });
  });
});
