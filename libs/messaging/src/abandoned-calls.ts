import type { NatsConnection } from 'nats';

/** Tells responders, whichever of them has the call, that its caller has gone. Fire and forget, as all notices. */
export class AbandonedCalls {
  private readonly answering = new Map<string, AbortController>();
  private lastNumber = 0;

  /** @param base makes names of calls unique among all connections. */
  constructor(
    private readonly connection: NatsConnection,
    private readonly service: string,
    private readonly base: string,
  ) {
    connection.subscribe(subjectOf('*'), {
      callback: (_error, message) => this.answering.get(message.string())?.abort(),
    });
  }

  /**
   * A name for a call, which the signal abandons from the moment that it is `sent` until `unwatch` is called; none for one
   * without a signal.
   */
  watch(signal: AbortSignal | undefined): { call?: string; sent: () => void; unwatch: () => void } {
    if (!signal) return { sent: nothing, unwatch: nothing };
    const call = `${this.base}.${++this.lastNumber}`;
    const abandon = (): void => {
      if (!this.connection.isClosed()) this.connection.publish(subjectOf(this.service), call);
    };
    const sent = (): void => {
      if (signal.aborted) abandon();
      else signal.addEventListener('abort', abandon, { once: true });
    };
    return { call, sent, unwatch: () => signal.removeEventListener('abort', abandon) };
  }

  /** Runs what answers the call, with a signal that is aborted when its caller has gone. */
  async answer<T>(call: string | undefined, work: (abandoned?: AbortSignal) => Promise<T>): Promise<T> {
    if (call === undefined) return work();
    const controller = new AbortController();
    this.answering.set(call, controller);
    return work(controller.signal).finally(() => this.answering.delete(call));
  }
}

const nothing = (): void => undefined;

const subjectOf = (service: string): string => `evt.${service}.call.abandoned`;
