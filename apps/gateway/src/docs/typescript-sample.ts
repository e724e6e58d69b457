import type { DocumentOperation } from './document-operation';

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  example?: unknown;
  schema?: { example?: unknown; type?: string };
}

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** How `@plinth/client` calls the operation. */
export function typescriptSample(operation: DocumentOperation, method: string, path: string): CodeSample {
  const options = [...parameterLines(operation), ...bodyLines(operation)];
  const call = `await plinth.${method.toUpperCase()}('${path}'`;
  const source = [
    "import { createClient } from '@plinth/client';",
    '',
    "const plinth = createClient({ baseUrl: location.origin, apiKey: 'YOUR_API_KEY' });",
    options.length === 0
      ? `const { data, error } = ${call});`
      : `const { data, error } = ${call}, {\n${options.join('\n')}\n});`,
  ].join('\n');
  return { lang: 'typescript', label: 'TypeScript', source };
}

function parameterLines({ parameters = [] }: DocumentOperation): string[] {
  const needed = (parameters as readonly Parameter[]).filter((each) => each.required);
  const groups = ['path', 'query'].flatMap((place) => {
    const members = needed.filter((each) => each.in === place).map((each) => `${each.name}: ${valueOf(each)}`);
    return members.length > 0 ? [`${place}: { ${members.join(', ')} }`] : [];
  });
  return groups.length > 0 ? [`  params: { ${groups.join(', ')} },`] : [];
}

const valueOf = ({ example, schema }: Parameter): string => {
  const value = example ?? schema?.example;
  if (value !== undefined) return JSON.stringify(value);
  return schema?.type === 'string' ? "'…'" : '1';
};

function bodyLines({ requestBody }: DocumentOperation): string[] {
  const example = requestBody?.content?.['application/json']?.example;
  return example === undefined ? [] : [`  body: ${JSON.stringify(example, null, 2).replaceAll('\n', '\n  ')},`];
}
