import 'reflect-metadata';
import { startWorkspace } from './workspace-fixture';

/** What a crash test tells a replica; comes as JSON in the first argument. */
export interface NotificationOrder {
  premises: { url: string; encryptionKey: string };
  tenantId: number;
  deploymentId: number;
  smtpUrl: string;
  recipients: readonly string[];
}

/** Serves as a replica of the workspace until it is killed. */
async function obey({ premises, tenantId, deploymentId, smtpUrl, recipients }: NotificationOrder): Promise<void> {
  await startWorkspace('in-process', {
    premises,
    settings: { PLINTH_SMTP_URL: smtpUrl },
    prepare: ({ deployments, embedSubjects }) => {
      deployments.set(deploymentId, { tenantId });
      for (const [index, externalId] of recipients.entries()) {
        embedSubjects.set(`acme/${externalId}`, { embedUserId: index + 1, securityContext: { desk: 1 } });
      }
    },
  });
  process.stdout.write('ready\n');
}

const [, , order] = process.argv;
if (require.main === module && order !== undefined) void obey(JSON.parse(order) as NotificationOrder);
