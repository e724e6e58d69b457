import { Injectable } from '@nestjs/common';

export interface ContextOwner {
  tenantId: number;
  userId: number;
}

type Addition = (owner: ContextOwner) => Promise<Record<string, unknown>>;

/**
 * What belongs into the own context of a user and cannot be signed into a token, because it lasts shorter or is secret: it
 * is added when the token is used. Domains that have some of it register when the service starts.
 */
@Injectable()
export class ContextAdditions {
  private readonly additions: Addition[] = [];

  register(addition: Addition): void {
    this.additions.push(addition);
  }

  /** The context with what is due to the user; a context that is not the user's own stays as it is. */
  async complete(context: Record<string, unknown>, owner: ContextOwner): Promise<Record<string, unknown>> {
    const own = context['cubeCloud'] as { userId?: unknown } | null | undefined;
    if (typeof own !== 'object' || own?.userId !== owner.userId) return context;
    const added = await Promise.all(this.additions.map((addition) => addition(owner)));
    return { ...context, cubeCloud: Object.assign({ ...own }, ...added) as object };
  }
}
