export { SessionsModule } from './sessions.module';
export { SessionsRepository } from './sessions.repository';
