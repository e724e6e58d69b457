export { toContractUser } from './contract-user';
export { EmbedUser } from './embed-user.entity';
export { canonicalExternalId, EmbedUsersRepository, userColumns, type AttributeRow } from './embed-users.repository';
export { EmbedUsersModule } from './embed-users.module';
export { Provisioning, type DesiredUser } from './provisioning.service';
