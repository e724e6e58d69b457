import type { DomainSchema } from '../kernel';
import { UserAttributeValue } from './user-attributes/user-attribute-value.entity';
import { UserAttribute } from './user-attributes/user-attribute.entity';
import { UserGroupMember } from './user-groups/user-group-member.entity';
import { UserGroup } from './user-groups/user-group.entity';
import { User } from './users/user.entity';
import { ExtendAccounts1700200000000 } from './migrations/pre-deploy/1700200000000-ExtendAccounts.migration';
import { KeepUserProfiles1700600000001 } from './migrations/pre-deploy/1700600000001-KeepUserProfiles.migration';
import { CoverMemberships1700810000000 } from './migrations/pre-deploy/1700810000000-CoverMemberships.migration';
import { LetExternalIdsRepeat1700930000000 } from './migrations/pre-deploy/1700930000000-LetExternalIdsRepeat.migration';
import { AllowAccountsWithoutAddress1700930000001 } from './migrations/pre-deploy/1700930000001-AllowAccountsWithoutAddress.migration';

/** What the control plane keeps about users. */
export const peopleSchema = {
  entities: [User, UserGroup, UserGroupMember, UserAttribute, UserAttributeValue],
  migrations: [
    ExtendAccounts1700200000000,
    KeepUserProfiles1700600000001,
    CoverMemberships1700810000000,
    LetExternalIdsRepeat1700930000000,
    AllowAccountsWithoutAddress1700930000001,
  ],
} satisfies DomainSchema;
