export { Build } from './build.entity';
export { BuildsModule } from './builds.module';
export { BuildsRepository } from './builds.repository';
