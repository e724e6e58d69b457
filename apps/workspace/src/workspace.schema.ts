import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { Item } from './content';
import { CreateContent1701300000000 } from './migrations/pre-deploy/1701300000000-CreateContent.migration';
import { CreateExports1701310000000 } from './migrations/pre-deploy/1701310000000-CreateExports.migration';
import { CreateNotifications1701320000000 } from './migrations/pre-deploy/1701320000000-CreateNotifications.migration';
import { FindContentByKind1701510000000 } from './migrations/pre-deploy/1701510000000-FindContentByKind.migration';
import { OrderContentByName1701500000000 } from './migrations/pre-deploy/1701500000000-OrderContentByName.migration';
import { OrderFoldersByPosition1701800000000 } from './migrations/pre-deploy/1701800000000-OrderFoldersByPosition.migration';
import { CreateEmbedShares1701330000000 } from './migrations/pre-deploy/1701330000000-CreateEmbedShares.migration';
import { CreateContentShares1701700000000 } from './migrations/pre-deploy/1701700000000-CreateContentShares.migration';
import { OrderContentByTime1701810000000 } from './migrations/pre-deploy/1701810000000-OrderContentByTime.migration';
import { CreateNotificationFigures1701530000000 } from './migrations/pre-deploy/1701530000000-CreateNotificationFigures.migration';
import { Report, ReportPlacement } from './reports';

export const workspaceSchema: ServiceSchema = {
  service: 'workspace',
  extensions: ['pg_trgm', 'btree_gin'],
  entities: [Item, Report, ReportPlacement],
  migrations: {
    preDeploy: [
      CreateContent1701300000000,
      CreateExports1701310000000,
      CreateNotifications1701320000000,
      OrderContentByName1701500000000,
      FindContentByKind1701510000000,
      CreateEmbedShares1701330000000,
      CreateNotificationFigures1701530000000,
      CreateContentShares1701700000000,
      OrderFoldersByPosition1701800000000,
      OrderContentByTime1701810000000,
    ],
    postDeploy: [DropIntents1701200000000],
  },
};
