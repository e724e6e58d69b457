import { dataDocument, publicDocument } from '@plinth/contract';
import { areas } from './areas';
import { readerDocument } from './reader-document';

interface Shown {
  'x-tagGroups': { name: string; tags: string[] }[];
  info: { description: string };
  paths: Record<
    string,
    Record<
      string,
      {
        description: string;
        parameters?: { name: string }[];
        responses: Record<string, { description: string }>;
        'x-codeSamples'?: { source: string }[];
      }
    >
  >;
}

const shown = readerDocument(publicDocument, 'Introduction.') as Shown;
const branches = shown.paths['/build/api/v1/deployments/{deploymentId}/branches']!;

describe(readerDocument.name, () => {
  it('has every tag in one area', () => {
    const placed = shown['x-tagGroups'].flatMap(({ tags }) => tags);
    expect([...placed].sort()).toEqual((publicDocument.tags ?? []).map(({ name }) => name).sort());
    const named = Object.values(areas).flat();
    expect(new Set(named).size).toBe(named.length);
  });

  it('says what permission and which credentials an operation needs', () => {
    expect(branches['post']?.description).toContain(
      '**Permission:** `SchemaUpdateDevBranches`. **Credentials:** API key',
    );
  });

  it('offers the header that makes a write safe to repeat, and only at writes', () => {
    const names = (method: string) => (branches[method]?.parameters ?? []).map(({ name }) => name);
    expect(names('post')).toContain('Idempotency-Key');
    expect(names('get')).not.toContain('Idempotency-Key');
  });

  it('folds the errors that many operations share, and keeps those of an operation alone', () => {
    const download = shown.paths['/api/v1/deployments/{deploymentId}/dashboard-exports/{jobId}/download']!['get']!;
    expect(Object.keys(branches['post']!.responses)).toEqual(['200', 'default']);
    expect(Object.keys(download.responses)).toEqual(['200', '422', 'default']);
    expect(branches['post']!.responses['default']!.description).toMatch(/^Errors: 400, 401, 403, 404, 409, /);
    expect(shown.info.description).toMatch(/^Introduction\.\n\n## Errors\n\n- \*\*400\*\* /);
  });

  it('shows how the TypeScript client calls it, with the example of the contract', () => {
    const [sample] = branches['post']!['x-codeSamples']!;
    expect(sample?.source).toContain("await plinth.POST('/build/api/v1/deployments/{deploymentId}/branches', {");
    expect(sample?.source).toContain('params: { path: { deploymentId: 12 } },');
    expect(sample?.source).toContain('"name": "new-metrics"');
  });

  it('leaves a document without access descriptions as it is, apart from its errors', () => {
    const data = readerDocument(dataDocument, 'Data.') as Shown;
    expect(Object.keys(data.paths)).toEqual(Object.keys(dataDocument.paths));
  });
});
