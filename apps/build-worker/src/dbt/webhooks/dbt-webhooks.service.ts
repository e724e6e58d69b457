import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import type { ReplyOf } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { DataModelsService } from '../../provisioning';
import { isSameText, isSigned } from '../../remotes';
import { DbtPushesRepository } from '../sources/dbt-pushes.repository';
import type { DbtSource } from '../sources/dbt-source.entity';
import { DbtSourcesRepository } from '../sources/dbt-sources.repository';
import { notConnected } from '../sources/dbt-sources.service';
import { webhookUrlOf } from '../sources/webhook-url';
import { DbtSyncsRepository } from '../syncs/dbt-syncs.repository';
import { followedPush, pushesOf } from './push-event';

type Headers = Readonly<Record<string, string>>;
type Receipt = ReplyOf<'receiveDbtWebhook'>;

const SIGNATURES = ['x-hub-signature-256', 'x-hub-signature'];
const TOKEN = 'x-gitlab-token';

const secretContext = (deploymentId: number): string => `dbt-source:${deploymentId}:webhook`;

/**
 * Takes what the repository of a dbt project tells of pushes. The newest push is stored before the provider hears that it
 * arrived; the worker that is free next begins the run.
 */
@Injectable()
export class DbtWebhooksService {
  private readonly secrets: SecretBox;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) { encryptionKeys }: Pick<ConfigOf<typeof databaseSettings>, 'encryptionKeys'>,
    private readonly models: DataModelsService,
    private readonly sources: DbtSourcesRepository,
    private readonly pushes: DbtPushesRepository,
    private readonly syncs: DbtSyncsRepository,
  ) {
    this.secrets = new SecretBox(encryptionKeys);
  }

  /** @throws AppError `dbt_source.not_connected` (409) */
  async regenerateSecret(principal: Principal, deploymentId: number): Promise<ReplyOf<'regenerateDbtWebhookSecret'>> {
    await this.models.open(principal.tenantId, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      if (!(await this.sources.find(tx, deploymentId))) throw notConnected();
      const secret = `pdw_${randomBytes(32).toString('base64url')}`;
      await this.pushes.saveSecret(tx, deploymentId, this.secrets.seal(secret, secretContext(deploymentId)));
      return { webhookUrl: webhookUrlOf(deploymentId), secret };
    });
  }

  /** @throws AppError `dbt_source.signature_invalid` (401), `request.malformed_body` (400) */
  receive({ tenantId }: Principal, deploymentId: number, headers: Headers, body: Buffer): Promise<Receipt> {
    return this.database.transaction(tenantId, async (tx) => {
      const source = await this.sources.find(tx, deploymentId);
      // Who cannot sign learns nothing of the deployment, not even whether it exists.
      if (!source || !this.isGenuine(source, headers, body)) {
        throw new AppError('dbt_source.signature_invalid', 'The signature does not fit the body');
      }
      const push = followedPush(pushesOf(parsed(body)), source.settings.branch);
      if (!push) return { effect: 'ignored' };
      // Not the identity that a delivery has in a header: that is not signed.
      const digest = createHash('sha256').update(body).digest('hex');
      if (!(await this.pushes.insertDelivery(tx, tenantId, deploymentId, digest))) return { effect: 'repeated' };
      await this.pushes.keep(tx, deploymentId, push);
      this.syncs.announce(tx);
      return { effect: 'accepted' };
    });
  }

  private isGenuine({ deploymentId, sealedWebhookSecret }: DbtSource, headers: Headers, body: Buffer): boolean {
    if (sealedWebhookSecret === null) return false;
    const secret = this.secrets.open(sealedWebhookSecret, secretContext(deploymentId));
    const signature = SIGNATURES.map((name) => headers[name]).find((value) => value !== undefined);
    return signature === undefined ? isSameText(secret, headers[TOKEN] ?? '') : isSigned(body, signature, secret);
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new AppError('request.malformed_body', 'The body is not JSON', { cause: error });
  }
}
