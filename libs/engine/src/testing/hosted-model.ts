import { Sandbox } from '@plinth/sandbox';
import type { ModelStart } from '../model/messages';
import { ModelHost } from '../model/model-host';
import { modelProgram } from '../model/program';

export interface HostedSettings extends Partial<Omit<ModelStart, 'model'>> {
  /** Files of the model by their paths. */
  model: Readonly<Record<string, string>>;
  /** Called while the first process waits for its model, as those of spare engines do. */
  whileWaiting?: () => Promise<void>;
  /** Called when a process has ended, before the next one is started. */
  onReplaced?: () => void;
}

/** What a model process is told beside its model, where a test says nothing else. */
export const PLAIN_START: Omit<ModelStart, 'model'> = {
  root: 'model/',
  configuration: undefined,
  transpiled: [],
  checked: false,
  variables: {},
  databases: { default: 'postgres' },
  preAggregationsSchema: 'p',
};

type Ready = Awaited<ReturnType<ModelHost['start']>>;

const HEAP_MB = 256;
const users = { first: 64_000, last: 64_999 };
const limits = { callMs: 20_000, startMs: 120_000 };
let wall: Promise<Sandbox> | undefined;

/**
 * Has the work done with a model in its process, as an engine has it, and without the engine.
 *
 * @throws ModelRejected when the model does not compile
 */
export async function withHostedModel<T>(
  { model, whileWaiting, onReplaced = () => undefined, ...rest }: HostedSettings,
  work: (host: ModelHost, ready: Ready) => T | Promise<T>,
): Promise<T> {
  const { kind } = await (wall ??= Sandbox.open());
  const host = new ModelHost({
    sandbox: Sandbox.reopen({ kind, users }),
    program: modelProgram(HEAP_MB),
    limits,
    printed: () => undefined,
    replaced: onReplaced,
  });
  try {
    if (whileWaiting) {
      host.prepare();
      await whileWaiting();
    }
    const ready = await host.start({
      model: Object.entries(model).map(([path, content]) => ({ path, content })),
      ...PLAIN_START,
      ...rest,
    });
    return await work(host, ready);
  } finally {
    await host.stop();
  }
}
