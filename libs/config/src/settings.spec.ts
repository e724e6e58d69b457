import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { checkConfig, ConfigError, flag, integer, list, loadConfig, secretSetting, setting } from './settings';
import { databaseSettings, processSettings } from './shared-settings';

const settings = {
  port: setting('PLINTH_PORT', integer(1, 65_535).default(4000), 'Port.'),
  hosts: setting('PLINTH_HOSTS', list().default([]), 'Hosts.'),
  secure: setting('PLINTH_SECURE', flag().default(false), 'Secure.'),
  key: secretSetting('PLINTH_KEY', z.string().min(8), 'Key.'),
};

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadConfig(settings, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe(loadConfig.name, () => {
  it('refuses to start and names every wrong variable at once', () => {
    expect(problemsOf({ PLINTH_PORT: 'abc', PLINTH_SECURE: 'maybe' })).toEqual([
      expect.stringMatching(/^PLINTH_PORT: /),
      expect.stringMatching(/^PLINTH_SECURE: /),
      expect.stringMatching(/^PLINTH_KEY: /),
    ]);
  });

  it('never shows the value of a wrong secret', () => {
    expect(problemsOf({ PLINTH_KEY: 'hunter2' }).join()).not.toContain('hunter2');
  });

  it('names the variable whose file cannot be read', () => {
    expect(problemsOf({ PLINTH_KEY_FILE: '/nonexistent/key' })).toEqual([expect.stringMatching(/^PLINTH_KEY: ENOENT/)]);
  });

  it('takes defaults, numbers, flags and lists from text', () => {
    expect(loadConfig(settings, { PLINTH_KEY: 'long enough', PLINTH_HOSTS: ' a, ,b ', PLINTH_SECURE: 'yes' })).toEqual({
      port: 4000,
      hosts: ['a', 'b'],
      secure: true,
      key: 'long enough',
    });
  });

  it('takes a blank variable as absent', () => {
    expect(loadConfig(settings, { PLINTH_KEY: 'long enough', PLINTH_PORT: '' }).port).toBe(4000);
  });

  it('reads a value from the file named by the _FILE variant, without its last line break', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    const file = join(folder, 'key');
    writeFileSync(file, 'from a file\n');
    expect(loadConfig(settings, { PLINTH_KEY_FILE: file }).key).toBe('from a file');
    rmSync(folder, { recursive: true });
  });

  it('holds these defaults for every process', () => {
    expect(loadConfig(processSettings, {})).toEqual({
      logLevel: 'info',
      operationsHost: '127.0.0.1',
      operationsPort: 0,
      shutdownGraceMs: 20_000,
    });
  });

  it('refuses an encryption key of another length than 32 bytes', () => {
    const environment = { PLINTH_DATABASE_URL: 'postgres://localhost/plinth', PLINTH_ENCRYPTION_KEYS: 'c2hvcnQ=' };
    expect(() => loadConfig(databaseSettings, environment)).toThrow('PLINTH_ENCRYPTION_KEYS');
  });
});

describe(checkConfig.name, () => {
  const other = { port: settings.port, limit: setting('PLINTH_LIMIT', integer(1, 9).default(5), 'Limit.') };
  const together = {
    settings: other,
    problems: ({ limit }: { limit: number }) => (limit > 3 ? ['PLINTH_LIMIT: no'] : []),
  };
  const check = (environment: Record<string, string>) => () => checkConfig([{ settings }, together], environment);

  it('names every wrong variable of all groups, once, and what is wrong with several together', () => {
    const lines = /^The configuration is not usable:\n {2}PLINTH_PORT: .*\n {2}PLINTH_KEY: .*\n {2}PLINTH_LIMIT: .*$/;
    expect(check({ PLINTH_PORT: 'abc', PLINTH_LIMIT: '10' })).toThrow(lines);
    expect(check({ PLINTH_KEY: 'long enough' })).toThrow('PLINTH_LIMIT: no');
    expect(check({ PLINTH_KEY: 'long enough', PLINTH_LIMIT: '2' })).not.toThrow();
  });

  it.each([
    ['PLINTH_PROT', 'PLINTH_PORT'],
    ['PLINTH_LIMITS', 'PLINTH_LIMIT'],
    ['PLINTH_LIMTI_FILE', 'PLINTH_LIMIT'],
  ])('names %s, which there is not, with the name that is nearest', (variable, nearest) => {
    const given = { PLINTH_KEY: 'long enough', PLINTH_LIMIT: '2' };
    expect(check({ ...given, [variable]: '1' })).toThrow(
      `${variable.replace('_FILE', '')}: there is no such setting; ${nearest} is the nearest name`,
    );
  });

  it('leaves alone what can be the setting of another service', () => {
    expect(check({ PLINTH_KEY: 'long enough', PLINTH_LIMIT: '2', PLINTH_ENGINE_MAX: '3' })).not.toThrow();
  });
});
