import { hash, verify } from '@node-rs/argon2';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@plinth/host';
import type { PasswordConfig } from './passwords.config';
import { BoundedQueue } from '../../kernel';

/** Argon2id with 19 MiB, two passes and one lane: the least that OWASP's password storage cheat sheet recommends. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const LONGEST_QUEUE = 200;

/** Computes password hashes on the thread pool, a few at a time: each takes tens of milliseconds of a core. */
@Injectable()
export class PasswordHashes {
  private readonly queue: BoundedQueue;
  private decoy: Promise<string> | undefined;

  constructor(@Inject(CONFIG) { passwordHashConcurrency }: PasswordConfig) {
    this.queue = new BoundedQueue(passwordHashConcurrency, LONGEST_QUEUE);
  }

  /** PHC string of the password with a new salt. */
  hash(password: string): Promise<string> {
    return this.queue.run(() => hash(normalized(password), parameters));
  }

  /** Whether the password has the hash. Without a hash it takes as long, and the answer is no. */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const against = stored ?? (await this.decoyHash());
    const matches = await this.queue.run(() => verify(against, normalized(password)));
    return matches && stored !== null;
  }

  private decoyHash(): Promise<string> {
    this.decoy ??= this.hash('no password has this hash');
    return this.decoy;
  }
}

/** The same characters typed on different keyboards are the same password (NIST SP 800-63B, 3.1.1.2). */
const normalized = (password: string): string => password.normalize('NFKC');
