import { ConfigError, loadConfig, sandboxSettings } from '@plinth/config';
import { Sandbox, SandboxUnavailable, type WallKind } from '@plinth/sandbox';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Sandboxes } from './sandboxes';

/** A process on a machine where the strongest wall is `kind`, started with `PLINTH_SANDBOX`. */
async function processWith(kind: WallKind, wanted?: string, onNoWall?: (reasons: string) => void) {
  const found = {
    kind,
    gaps: kind === 'none' ? ['network'] : [],
    refused: kind === 'none' ? { namespace: 'EPERM' } : {},
  };
  jest.spyOn(Sandbox, 'open').mockResolvedValue(found as unknown as Sandbox);
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const metrics = new Registry();
  const sandboxes = new Sandboxes({ logger, metrics, ...(onNoWall && { onNoWall }) });
  const config = loadConfig(sandboxSettings, { PLINTH_SANDBOX: wanted });
  const open = () => sandboxes.open(config, { readable: [], secrets: [] });
  const opened = open().then(
    () => undefined,
    (error: unknown) => error,
  );
  return { error: await opened, open, lines, metrics: await metrics.metrics(), details: sandboxes.details() };
}

describe(Sandboxes.name, () => {
  it('refuses to run programs without a wall, and says what is missing and what to do', async () => {
    const { error } = await processWith('none');
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(/namespace: EPERM.*docs\/operations.md.*PLINTH_SANDBOX=none/);
  });

  it('runs programs without a wall for an operator who asks for that by name', async () => {
    const onNoWall = jest.fn();
    expect((await processWith('none', 'none', onNoWall)).error).toBeUndefined();
    expect(onNoWall).not.toHaveBeenCalled();
  });

  it('leaves it to a process that can do without', async () => {
    const onNoWall = jest.fn();
    expect((await processWith('none', 'auto', onNoWall)).error).toBeUndefined();
    expect(onNoWall).toHaveBeenCalledWith('namespace: EPERM');
  });

  it('is refused a wall that was asked for and does not hold, as a wrong setting', async () => {
    jest.spyOn(Sandbox, 'open').mockRejectedValue(new SandboxUnavailable('it does not hold'));
    const sandboxes = new Sandboxes({ logger: pino({ level: 'silent' }), metrics: new Registry() });
    const config = loadConfig(sandboxSettings, { PLINTH_SANDBOX: 'user' });
    await expect(sandboxes.open(config, { readable: [], secrets: [] })).rejects.toThrow(
      new ConfigError(['PLINTH_SANDBOX: it does not hold']),
    );
  });

  it('says what it found in one line of the log, in the health and as a metric', async () => {
    const { open, lines, details, metrics } = await processWith('namespace');
    // As each service of the process does.
    await open();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ sandbox: { kind: 'namespace', gaps: [] } });
    expect(details).toEqual({ sandbox: { kind: 'namespace', gaps: [] } });
    expect(metrics).toContain('plinth_sandbox_wall{kind="namespace"} 1');
  });

  it.each(['0-5', '9-8', 'many', '64000'])('takes no range of users such as %s', (users) => {
    expect(() => loadConfig(sandboxSettings, { PLINTH_SANDBOX_USERS: users })).toThrow(/PLINTH_SANDBOX_USERS/);
  });
});
