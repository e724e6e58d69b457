import { ExtendAccounts1700200000000 } from './migrations/pre-deploy/1700200000000-ExtendAccounts.migration';
import { AddPasswordResets1700800000000 } from '../sign-in/migrations/pre-deploy/1700800000000-AddPasswordResets.migration';
import { ExpireApiKeys1700910000001 } from '../credentials/migrations/pre-deploy/1700910000001-ExpireApiKeys.migration';
import { RevokeKeysWithPasswords1700910000002 } from '../sign-in/migrations/pre-deploy/1700910000002-RevokeKeysWithPasswords.migration';
import { PasswordLink } from '../sign-in/password-links/password-link.entity';
import { UserAttributeValue } from './user-attributes/user-attribute-value.entity';
import { UserAttribute } from './user-attributes/user-attribute.entity';
import { UserGroupMember } from './user-groups/user-group-member.entity';
import { UserGroup } from './user-groups/user-group.entity';

/** What the control plane keeps about users beside their accounts. */
export const accountEntities = [UserGroup, UserGroupMember, UserAttribute, UserAttributeValue, PasswordLink];

export const accountMigrations = [
  ExtendAccounts1700200000000,
  AddPasswordResets1700800000000,
  ExpireApiKeys1700910000001,
  RevokeKeysWithPasswords1700910000002,
];
