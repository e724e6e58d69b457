import type { Schemas } from '@plinth/contract';
import { filesOf, type FileNode, type SourceNode } from './source-tree';
import { textOf } from './text-content';

/** One page of a tree, and how to read the contents of its files; without it they are left out. */
export interface SourceTreePage {
  nodes: readonly SourceNode[];
  pageInfo: Schemas['PageInfo'];
  contentsOf?: ((files: readonly FileNode[]) => AsyncIterable<Buffer>) | undefined;
}

/** Large enough to be worth a message, small enough that a few of them are nothing. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The contract's `SourceTree` in JSON, piece by piece: however large the project is, a few files of it are in memory.
 * The contents are read once for `items` and once for `data`, which hold the same nodes.
 */
export async function* sourceTreeJson({ nodes, pageInfo, contentsOf }: SourceTreePage): AsyncGenerator<Buffer> {
  let pending = '';
  for await (const piece of pieces()) {
    pending += piece;
    if (pending.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  yield Buffer.from(pending);

  async function* pieces(): AsyncGenerator<string> {
    yield '{"items":';
    yield* nodesJson(nodes, contentsOf?.(filesOf(nodes))[Symbol.asyncIterator]());
    yield ',"data":';
    yield* nodesJson(nodes, contentsOf?.(filesOf(nodes))[Symbol.asyncIterator]());
    yield `,"pageInfo":${JSON.stringify(pageInfo)}}`;
  }
}

async function* nodesJson(
  nodes: readonly SourceNode[],
  contents: AsyncIterator<Buffer> | undefined,
): AsyncGenerator<string> {
  yield '[';
  for (const [index, node] of nodes.entries()) {
    if (index > 0) yield ',';
    const head = `{"path":${JSON.stringify(node.path)},"type":"${node.type}"`;
    if (node.type === 'file') {
      yield `${head}${await contentJson(contents)}}`;
      continue;
    }
    yield `${head},"children":`;
    yield* nodesJson(node.children, contents);
    yield '}';
  }
  yield ']';
}

/** What is not text has no content: JSON could not carry it unharmed. */
async function contentJson(contents: AsyncIterator<Buffer> | undefined): Promise<string> {
  const step = await contents?.next();
  const text = step && !step.done ? textOf(step.value) : undefined;
  return text === undefined ? '' : `,"content":${JSON.stringify(text)}`;
}
