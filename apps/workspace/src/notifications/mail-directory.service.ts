import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Recipient } from './recipients.repository';

export type EmbedSubject = ReplyOf<'resolveEmbedSubject'>;
export type EmbedSubjectRequest = BodyOf<'resolveEmbedSubject'>;

/** Asks the services that know people who they are. */
@Injectable()
export class MailDirectory {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Users who are active, and the address of the tenant. */
  users(
    tenantId: number,
    { userIds = [], emails = [] }: { userIds?: readonly number[]; emails?: readonly string[] },
  ): Promise<ReplyOf<'describeMailRecipients'>> {
    const body = { userIds: [...userIds], emails: [...emails] };
    return this.bus.ask('describeMailRecipients', systemPrincipal(tenantId), body);
  }

  /** @throws AppError for unknown groups and attributes (400), and what cannot be provisioned */
  provision(tenantId: number, request: EmbedSubjectRequest): Promise<EmbedSubject> {
    return this.bus.ask('resolveEmbedSubject', systemPrincipal(tenantId), request);
  }

  /** The embed user, when there is one. @throws AppError as {@link provision} */
  async embedUser(
    tenantId: number,
    request: Omit<EmbedSubjectRequest, 'provision'>,
  ): Promise<EmbedSubject | undefined> {
    try {
      return await this.provision(tenantId, { ...request, provision: false });
    } catch (error) {
      if (error instanceof AppError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The embed user of a recipient, with what holds for the notification alone. */
  subjectOf(tenantId: number, recipient: Recipient & { type: 'EMBED_USER' }): Promise<EmbedSubject | undefined> {
    const { embedTenantName, externalId, groups, userAttributes, securityContext } = recipient;
    const context = { groups, userAttributes, securityContext } as Pick<
      EmbedSubjectRequest,
      'groups' | 'userAttributes' | 'securityContext'
    >;
    return this.embedUser(tenantId, { embedTenantName, externalId, email: null, ...context });
  }
}
