import { operation, type AuditDescription } from '@plinth/contract';
import { auditedAction } from './audit-trail';

const describedAs = (audit: AuditDescription) => ({ ...operation('getDeployment'), audit });

describe(auditedAction.name, () => {
  it('says nothing of an operation that is not audited', () => {
    expect(auditedAction(operation('listRegions'), { path: {}, query: {} })).toBeUndefined();
  });

  it('hides what a telling name holds, at any depth and in any case', () => {
    const body = {
      settings: { apiKey: 'a', list: [{ DB_PASSWORD: 'b', host: 'c' }], client_secret: { deep: 'd' } },
      token: 'e',
    };
    const action = auditedAction(describedAs({ event: 'Changed', fields: ['settings', 'token'] }), {
      path: {},
      query: {},
      body,
    });
    expect(action?.attributes).toEqual({
      settings: { apiKey: '[HIDDEN]', list: [{ DB_PASSWORD: '[HIDDEN]', host: 'c' }], client_secret: '[HIDDEN]' },
      token: '[HIDDEN]',
    });
  });

  it('hides the value of an entry whose name is telling', () => {
    const body = {
      entries: [
        { name: 'CUBEJS_API_SECRET', value: 's' },
        { name: 'CUBEJS_DB_HOST', value: 'h' },
      ],
    };
    const action = auditedAction(describedAs({ event: 'Changed', fields: ['entries'] }), { path: {}, query: {}, body });
    expect(action?.attributes['entries']).toEqual([
      { name: 'CUBEJS_API_SECRET', value: '[HIDDEN]' },
      { name: 'CUBEJS_DB_HOST', value: 'h' },
    ]);
  });

  it('hides what lies below a telling name in the path of a field', () => {
    const body = { credentials: [{ host: 'h' }] };
    const audit = { event: 'Changed', fields: ['credentials.host'] };
    expect(auditedAction(describedAs(audit), { path: {}, query: {}, body })?.attributes).toEqual({
      'credentials.host': '[HIDDEN]',
    });
  });

  it.each([
    ['sk-0123456789abcdefghijABCDEFGHIJ0123456789', '[HIDDEN]'],
    ['use sk-0123456789abcdefghijABCDEFGHIJ0123456789, please', 'use [HIDDEN], please'],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln', '[HIDDEN]'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nabc', '[HIDDEN]'],
    ['https://ada:hunter2@git.test/x.git', 'https://ada:[HIDDEN]@git.test/x.git'],
    ['sk-learn models, eyJ, https://git.test:8080/a@b', 'sk-learn models, eyJ, https://git.test:8080/a@b'],
  ])('hides a credential in any text by its form: %s', (name, shown) => {
    const action = auditedAction(describedAs({ event: 'Changed', fields: ['name', 'list'] }), {
      path: {},
      query: {},
      body: { name, list: [{ description: name }] },
    });
    expect(action?.attributes).toEqual({ name: shown, list: [{ description: shown }] });
  });

  it('shows the id of a key, but no text under such a name', () => {
    const audit = { event: 'Revoked', fields: ['apiKeyId', 'keyIds', 'entries'] };
    const action = auditedAction(describedAs(audit), {
      path: { apiKeyId: 3 },
      query: {},
      body: { keyIds: [4, 5], entries: [{ name: 'AWS_ACCESS_KEY_ID', value: 'AKIA' }] },
    });
    expect(action?.attributes).toEqual({
      apiKeyId: 3,
      keyIds: [4, 5],
      entries: [{ name: 'AWS_ACCESS_KEY_ID', value: '[HIDDEN]' }],
    });
  });

  it('cuts a long value and replaces what PostgreSQL cannot keep', () => {
    const action = auditedAction(describedAs({ event: 'Changed', fields: ['name', 'list'] }), {
      path: {},
      query: {},
      body: { name: 'a\0b\ud800', list: Array.from({ length: 20_000 }, () => 'x') },
    });
    expect(action?.attributes['name']).toBe('a\uFFFDb\uFFFD');
    expect(String(action?.attributes['list'])).toHaveLength(16_385);
  });

  it('finds fields in the body, then the query, then the path, through every item of an array', () => {
    const action = auditedAction(
      describedAs({ event: 'Wrote', fields: ['files.path', 'branchName', 'deploymentId', 'absent'] }),
      {
        path: { deploymentId: 4 },
        query: { branchName: 'from query' },
        body: { files: [{ path: 'a.yml', content: 'x' }, { path: 'b.yml' }] },
      },
    );
    expect(action).toEqual({
      event: 'Wrote',
      deploymentId: 4,
      attributes: { 'files.path': ['a.yml', 'b.yml'], branchName: 'from query', deploymentId: 4 },
    });
  });
});
