import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { QueryRunner, type QueryCaller } from '@plinth/queries';

export type SubjectInput = Schemas['ExportSubjectInput'];

/** Whoever data is read as, in a form that can be kept. */
export type Subject =
  | { type: 'USER'; userId: number }
  | { type: 'EMBED_USER'; embedUserId: number; securityContext: Record<string, unknown> };

/** Of those who read data: two subjects of one identity are the same person. */
export const identityOf = (subject: Subject): string =>
  subject.type === 'USER' ? `user:${subject.userId}` : `embed-user:${subject.embedUserId}`;

/** Finds those whom others want data read as. */
@Injectable()
export class Subjects {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly runner: QueryRunner,
  ) {}

  /**
   * Makes an embed user who is not there.
   *
   * @throws AppError `user.not_found` (404) also for a user who is deactivated; `request.invalid`, and what
   *   `resolveEmbedSubject` throws for groups and attributes (400)
   */
  async find(tenantId: number, input: SubjectInput): Promise<Subject> {
    return input.type === 'USER' ? this.user(tenantId, input) : this.embedUser(tenantId, input);
  }

  /**
   * How a subject reads the data of a deployment as of now.
   *
   * @throws AppError `user.not_found` (404), `environment.not_found` (404)
   */
  async viewerOf(tenantId: number, deploymentId: number, subject: Subject): Promise<QueryCaller> {
    const platform = { ...systemPrincipal(tenantId), credentialId: identityOf(subject) };
    if (subject.type === 'EMBED_USER') {
      const viewer = await this.runner.callerFor(platform, deploymentId);
      return { ...viewer, securityContext: subject.securityContext };
    }
    return this.runner.callerFor({ ...platform, userId: subject.userId }, deploymentId).catch(asNotFound);
  }

  private async user(tenantId: number, { userId, email }: SubjectInput): Promise<Subject> {
    const body = { userId: userId ?? null, ...(email != null && { email }) };
    const found = await this.bus.ask('describeDataCaller', systemPrincipal(tenantId), body).catch(asNotFound);
    if (found.userId === null) throw noUser();
    return { type: 'USER', userId: found.userId };
  }

  private async embedUser(tenantId: number, input: SubjectInput): Promise<Subject> {
    const { embedTenantName, externalId, email, groups, userAttributes, securityContext } = input;
    const body = {
      ...{ embedTenantName: embedTenantName ?? '', externalId: externalId ?? '', provision: true },
      ...{ email: email ?? null, groups: groups ?? null, userAttributes: userAttributes ?? null },
      securityContext: securityContext ?? null,
    };
    const found = await this.bus.ask('resolveEmbedSubject', systemPrincipal(tenantId), body);
    return { type: 'EMBED_USER', embedUserId: found.embedUserId, securityContext: found.securityContext };
  }
}

const ofUsers = ['userId'] as const;
const ofEmbedUsers = ['embedTenantName', 'externalId', 'groups', 'userAttributes', 'securityContext'] as const;

/**
 * That a subject is named as its type wants it. What would be passed over is refused: the data would be somebody else's
 * than the sender thinks.
 *
 * @throws AppError `request.invalid` (400)
 */
export function requireSubject(input: SubjectInput, pointer: string): void {
  const foreign = input.type === 'USER' ? ofEmbedUsers : ofUsers;
  for (const name of foreign) {
    if (input[name] != null)
      throw invalidRequest(`${pointer}/${name}`, `is not for subjects of the type ${input.type}`);
  }
  if (input.type === 'USER' && (input.userId == null) === (input.email == null))
    throw invalidRequest(pointer, 'must have exactly one of userId and email');
  if (input.type === 'EMBED_USER' && (input.embedTenantName == null || input.externalId == null))
    throw invalidRequest(pointer, 'must have embedTenantName and externalId');
}

const noUser = (): AppError => new AppError('user.not_found', 'There is no such active user');

/** The control plane says of somebody who may not sign in that there is nobody. */
function asNotFound(error: unknown): never {
  if (error instanceof AppError && error.code === 'auth.credential_invalid') throw noUser();
  throw error;
}
