import { Injectable } from '@nestjs/common';
import type { ReplyOf, Schemas } from '@plinth/contract';
import { AppError, invalidRequest, type ErrorDetail } from '@plinth/errors';
import { mailAddress } from '@plinth/mail';
import pLimit from 'p-limit';
import { MailDirectory, type EmbedSubject, type EmbedSubjectRequest } from './mail-directory.service';
import type { NewRecipient } from './recipients.repository';

type Input = Schemas['NotificationRecipientInput'];
type Users = ReplyOf<'describeMailRecipients'>['users'];
type Context = Pick<EmbedSubjectRequest, 'groups' | 'userAttributes' | 'securityContext'>;

/** Embed users that are asked for at the same time. */
const AT_ONCE = 8;

/** Finds those whom requests name. */
@Injectable()
export class RecipientResolver {
  constructor(private readonly directory: MailDirectory) {}

  /**
   * Each of them once, in the order of the request. Embed users who are not there are made only when nothing is wrong with
   * anybody.
   *
   * @throws AppError `request.invalid` (400), which names all that is wrong
   */
  async resolve(tenantId: number, inputs: readonly Input[]): Promise<NewRecipient[]> {
    refuse(inputs.flatMap(problemsOf));
    const { users } = await this.directory.users(tenantId, {
      userIds: inputs.flatMap(({ type, userId }) => (type === 'USER' ? (userId ?? []) : [])),
      emails: inputs.flatMap(({ type, userId, email }) => (type === 'USER' && userId == null ? (email ?? []) : [])),
    });
    const found = await this.embedUsers(tenantId, inputs, false);
    refuse(inputs.flatMap((input, index) => unreachable(input, index, { users, embedUser: found[index] })));
    const made = await this.embedUsers(tenantId, inputs, true, found);
    const all = inputs.map((input, index) => recipientOf(input, users, made[index]));
    return [...new Map(all.map((each) => [`${each.userId}/${each.embedUserId}`, each])).values()];
  }

  /** In the places of the inputs. */
  private embedUsers(
    tenantId: number,
    inputs: readonly Input[],
    provision: boolean,
    known: readonly (EmbedSubject | undefined)[] = [],
  ): Promise<(EmbedSubject | undefined)[]> {
    const limit = pLimit(AT_ONCE);
    const find = (input: Input, index: number): Promise<EmbedSubject | undefined> => {
      const { embedTenantName, externalId, email } = input;
      const names = { embedTenantName: embedTenantName ?? '', externalId: externalId ?? '' };
      const request = { ...names, email: email ?? null, ...contextOf(input) };
      const asked = provision
        ? this.directory.provision(tenantId, { ...request, provision: true })
        : this.directory.embedUser(tenantId, request);
      return asked.catch((error: unknown) => at(index, error));
    };
    return Promise.all(
      inputs.map((input, index) =>
        input.type === 'EMBED_USER' && !known[index] ? limit(() => find(input, index)) : known[index],
      ),
    );
  }
}

const contextOf = ({ groups, userAttributes, securityContext }: Input): Context => ({
  groups: groups ?? null,
  userAttributes: userAttributes ?? null,
  securityContext: securityContext ?? null,
});

function problemsOf(input: Input, index: number): ErrorDetail[] {
  const path = `/body/recipients/${index}`;
  if (input.type === 'SLACK') return [{ path: `${path}/type`, message: 'SLACK is not supported yet' }];
  if (input.type === 'USER') {
    const isNamed = (input.userId == null) !== (input.email == null);
    return isNamed ? [] : [{ path, message: 'must have userId or email, and not both' }];
  }
  const isNamed = input.embedTenantName != null && input.externalId != null;
  return isNamed ? [] : [{ path, message: 'must have embedTenantName and externalId' }];
}

/** Why nothing can be sent to somebody. */
function unreachable(
  input: Input,
  index: number,
  { users, embedUser }: { users: Users; embedUser: EmbedSubject | undefined },
): ErrorDetail[] {
  const path = `/body/recipients/${index}`;
  if (input.type === 'USER') {
    const user = userOf(input, users);
    if (!user) return [{ path, message: 'is no active user' }];
    return mailAddress(user.email) === undefined ? [{ path, message: 'has no address for mail' }] : [];
  }
  if (input.email != null && mailAddress(input.email) === undefined) {
    return [{ path: `${path}/email`, message: 'is no address for mail' }];
  }
  return addressOf(input, embedUser) === undefined ? [{ path, message: 'has no address for mail' }] : [];
}

/** Of an embed user: their own, the one they are made with, or an external id that is one. */
const addressOf = ({ email, externalId }: Input, embedUser: EmbedSubject | undefined): string | undefined =>
  [embedUser?.email, embedUser ? undefined : email, externalId]
    .map((text) => (text == null ? undefined : mailAddress(text)))
    .find((address) => address !== undefined);

const userOf = ({ userId, email }: Input, users: Users) =>
  users.find((user) =>
    userId != null ? user.id === userId : user.email.toLowerCase() === email?.trim().toLowerCase(),
  );

function recipientOf(input: Input, users: Users, embedUser: EmbedSubject | undefined): NewRecipient {
  const none = { groups: null, userAttributes: null, securityContext: null };
  if (embedUser) {
    const { embedUserId, embedTenantName, externalId } = embedUser;
    const email = addressOf(input, embedUser) ?? '';
    const context = contextOf(input) as NewRecipient;
    const { groups, userAttributes, securityContext } = context;
    return {
      ...{ type: 'EMBED_USER', userId: null, embedUserId, embedTenantName, externalId, email },
      ...{ groups, userAttributes, securityContext },
    } as NewRecipient;
  }
  const { id: userId, email } = userOf(input, users) as Users[number];
  return { type: 'USER', userId, embedUserId: null, embedTenantName: null, externalId: null, email, ...none };
}

function refuse(details: readonly ErrorDetail[]): void {
  const [first] = details;
  if (first) throw new AppError('request.invalid', `${first.path} ${first.message}`, { details: [...details] });
}

/** What is wrong with one, said of it. */
function at(index: number, error: unknown): never {
  if (error instanceof AppError && error.status === 400) {
    throw invalidRequest(`/body/recipients/${index}`, `cannot be found: ${error.message}`);
  }
  throw error;
}
