import { dbtLine, redacted } from './dbt-line';

const python = '/srv/cache/dbt';
const secrets = { values: ['warehouse-password', 'dev'], folders: [python, `${python}/lib/python3.12/site-packages`] };
const line = (level: string, name: string, msg: string): string => JSON.stringify({ info: { level, name, msg } });

describe(redacted, () => {
  it('hides values of variables, but for those that are parts of words', () => {
    expect(redacted('no warehouse-password for developers', secrets)).toBe('no *** for developers');
  });

  it('hides where a traceback leads, and keeps what it names', () => {
    const text = `File "${python}/lib/python3.12/site-packages/dbt/cli/main.py", line 1\nFile "${python}/bin/dbt"`;
    expect(redacted(text, secrets)).toBe('File "dbt/cli/main.py", line 1\nFile "bin/dbt"');
    expect(redacted('in /tmp/scratch-1/project/models/a.sql', secrets)).toBe('in models/a.sql');
  });
});

describe(dbtLine, () => {
  it('is nothing for what is no event, and for events that tell nothing', () => {
    expect(dbtLine('Traceback (most recent call last):', secrets)).toBeUndefined();
    expect(dbtLine(line('info', 'Noise', 'x'), secrets)).toBeUndefined();
  });

  it('is a problem as dbt tells it, and how far dbt is', () => {
    expect(dbtLine(line('error', 'Any', ` \u001b[31mmodels/a.sql\u001b[0m has warehouse-password `), secrets)).toEqual({
      ...{ level: 'error', event: 'Any', message: 'models/a.sql has ***' },
    });
    expect(dbtLine(line('info', 'ParsePerfInfoPath', '/srv/x'), secrets)).toMatchObject({
      level: 'info',
      message: 'The project is read',
    });
  });
});
