import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';

/** Carries one request to a server, and its answer back. Nothing is kept from one to the next. */
export class MessageTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  private answered: (message: JSONRPCMessage) => void = () => undefined;

  async start(): Promise<void> {
    return undefined;
  }

  /** What is no answer, such as a notice of progress, has nowhere to go. */
  async send(message: JSONRPCMessage): Promise<void> {
    if ('result' in message || 'error' in message) this.answered(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  answerTo(request: JSONRPCRequest): Promise<JSONRPCMessage> {
    return new Promise((resolve) => {
      this.answered = resolve;
      this.onmessage?.(request);
    });
  }
}
