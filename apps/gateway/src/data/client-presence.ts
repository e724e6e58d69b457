import type { Exchange } from '../exchange/exchange';

/** What a request is recorded with whose client did not wait for the reply; nobody sees it but operators. */
const CLIENT_GONE = 499;

/** Does work for a client as long as it is there: when it leaves, whatever is being waited for on the bus is called off. */
export async function whileListening({ response, context }: Exchange, work: () => Promise<void>): Promise<void> {
  const left = new AbortController();
  context.signal = left.signal;
  const leave = (): void => {
    if (!response.writableFinished) left.abort();
  };
  response.once('close', leave);
  if (response.destroyed) leave();
  try {
    await work();
  } catch (thrown) {
    if (!left.signal.aborted || response.headersSent) throw thrown;
    response.statusCode = CLIENT_GONE;
  } finally {
    response.off('close', leave);
  }
}
