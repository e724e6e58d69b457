import { createHmac } from 'node:crypto';

const REVISION_LENGTH = 20;

/**
 * Secrets of engines, made from the platform's key: a runtime that takes over an engine knows them without reading anything
 * secret from the cluster. Without the key, nothing that is named by them tells what an engine is started with.
 */
export class EngineSecrets {
  private readonly key: Buffer;

  /** @param encryptionKey 32 bytes in base64, the same in all runtimes */
  constructor(encryptionKey: string) {
    this.key = createHmac('sha256', Buffer.from(encryptionKey, 'base64')).update('plinth engines in clusters').digest();
  }

  /** The same for the same content alone. */
  revisionOf(content: unknown): string {
    return this.derive('revision', JSON.stringify(content)).toString('hex').slice(0, REVISION_LENGTH);
  }

  /** Signs the tokens of requests to the engine of that name. */
  tokenSecretOf(engine: string): string {
    return this.derive('tokens', engine).toString('base64url');
  }

  private derive(purpose: string, content: string): Buffer {
    return createHmac('sha256', this.key).update(`${purpose}\n${content}`).digest();
  }
}
