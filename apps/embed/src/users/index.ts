export { toContractUser } from './contract-user';
export { EmbedUser } from './embed-user.entity';
export {
  canonicalExternalId,
  EmbedUsersRepository,
  userColumns,
  type AttributeRow,
  type Place,
} from './embed-users.repository';
export { EmbedUsersModule } from './embed-users.module';
export { Provisioning, type DesiredUser } from './provisioning.service';
