import { operations, type ContractDocument, type OperationDescription } from '@plinth/contract';
import { accessNote } from './access-note';
import { tagGroups } from './areas';
import { ErrorList } from './error-list';
import type { DocumentOperation } from './document-operation';
import { typescriptSample } from './typescript-sample';

type Paths = Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;

const described = new Map<string, OperationDescription>(operations.map((each) => [each.operationId, each]));

/**
 * A document as people read it: tags in areas, who may call what, the header that makes a write safe to repeat, a sample
 * for the TypeScript client, and the errors that all share folded into one list. Clients are served the document itself.
 */
export function readerDocument(document: ContractDocument, introduction: string): object {
  const paths = document.paths as Paths;
  const errors = new ErrorList(
    Object.values(paths).flatMap((item) => Object.values(item).map(({ responses }) => responses)),
  );
  return {
    ...document,
    info: { ...document.info, description: `${introduction}\n\n## Errors\n\n${errors.text()}` },
    'x-tagGroups': tagGroups((document.tags ?? []).map(({ name }) => name)),
    paths: mapValues(paths, (item, path) =>
      mapValues(item, (operation, method) => shownOperation(operation, { path, method, errors })),
    ),
  };
}

interface Place {
  path: string;
  method: string;
  errors: ErrorList;
}

function shownOperation(operation: DocumentOperation, { path, method, errors }: Place): object {
  const description = described.get(operation.operationId);
  const shown = { ...operation, responses: errors.folded(operation.responses) };
  if (!description) return shown;
  const isRetrySafe = method !== 'get' && description.stream !== 'request';
  return {
    ...shown,
    description: `${operation.description ?? ''}\n\n${accessNote(description.access)}\n\nOperation \`${operation.operationId}\`.`,
    parameters: [...(operation.parameters ?? []), ...(isRetrySafe ? [idempotencyKey] : [])],
    ...(description.dialect !== 'scim' && { 'x-codeSamples': [typescriptSample(operation, method, path)] }),
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A text of your own. The same request with the same key within 24 hours answers with the first result.',
  schema: { type: 'string', maxLength: 255 },
};

const mapValues = <Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
